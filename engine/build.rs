//! Embeds `rules/`: every module that is not a test, every table (a JSON file) in place of its generated Rego twin, and the
//! examples of the checks; and the modules linked, so that no start has to do it.

// Shared with the engine, which links the rules of a directory.
#[path = "src/link.rs"]
mod link;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let rules = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../rules");
    println!("cargo::rerun-if-changed={}", rules.display());
    let mut files = Vec::new();
    collect(&rules, &mut files)?;
    files.sort();

    // Apart, because a host that only judges needs no more than the tables and what is linked.
    let (mut sources, mut tables) = (String::new(), String::new());
    let mut texts = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&rules).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        let path = file.canonicalize()?;
        let list = if name.ends_with(".json") { &mut tables } else { &mut sources };
        writeln!(list, "    ({name:?}, include_str!({:?})),", path.display().to_string()).map_err(io::Error::other)?;
        texts.push((name, fs::read_to_string(file)?));
    }
    let mut source = format!(
        "pub static SOURCES: &[(&str, &str)] = &[\n{sources}];\npub static TABLES: &[(&str, &str)] = &[\n{tables}];\n"
    );
    source.push_str("pub static LINKED: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/linked.rego\"));\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("linked.rego"), link::link_files(&texts))?;
    fs::write(out.join("files.rs"), source)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if wanted(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn wanted(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => true,
        // What `walguard checks explain` shows.
        Some("yaml") => matches!(&*name, "pass.yaml" | "fail.yaml"),
        Some("rego") => !name.ends_with("_test.rego") && !path.with_extension("json").exists(),
        _ => false,
    }
}
