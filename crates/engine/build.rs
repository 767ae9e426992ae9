//! Embeds what goes with the compiled rules: their catalogue, and the examples of the checks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let rules =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../../rules").canonicalize()?;
    println!("cargo::rerun-if-changed={}", rules.join("catalogue.json").display());
    println!("cargo::rerun-if-changed={}", rules.join("checks").display());
    let mut files = Vec::new();
    collect(&rules.join("checks"), &mut files)?;
    files.sort();
    let mut source = format!(
        "pub static CATALOGUE: &str = include_str!({:?});\npub static EXAMPLES: &[(&str, &str)] = &[\n",
        rules.join("catalogue.json").display().to_string()
    );
    for file in &files {
        let name = file.strip_prefix(&rules).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        writeln!(source, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    source.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("files.rs"), source)
}

/// What `walguard checks explain` shows.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.file_name().is_some_and(|name| name == "pass.yaml" || name == "fail.yaml") {
            files.push(path);
        }
    }
    Ok(())
}
