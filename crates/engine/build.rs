//! Embeds what goes with the compiled rules: their catalogue, and the examples of the checks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde_json::Value as Json;

fn main() -> io::Result<()> {
    let rules =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../../rules").canonicalize()?;
    println!("cargo::rerun-if-changed={}", rules.join("catalogue.json").display());
    println!("cargo::rerun-if-changed={}", rules.join("checks").display());
    let mut files = Vec::new();
    collect(&rules.join("checks"), &mut files)?;
    files.sort();
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let catalogue = match env::var_os("CARGO_FEATURE_TERSE") {
        Some(_) => {
            write(&out.join("catalogue.json"), &terse(&fs::read(rules.join("catalogue.json"))?)?)?;
            out.join("catalogue.json")
        }
        None => rules.join("catalogue.json"),
    };
    let mut source = format!(
        "pub static CATALOGUE: &str = include_str!({:?});\npub static EXAMPLES: &[(&str, &str)] = &[\n",
        catalogue.display().to_string()
    );
    for file in &files {
        let name = file.strip_prefix(&rules).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        writeln!(source, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    source.push_str("];\n");
    write(&out.join("files.rs"), source.as_bytes())
}

/// Writes a new file in the place of the old one, which a copy of the target directory by hard links shares.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, content)?;
    fs::rename(new, path)
}

/// A catalogue without what people read of a check: a host that explains none has no use for most of it.
fn terse(catalogue: &[u8]) -> io::Result<Vec<u8>> {
    let mut catalogue: Json = serde_json::from_slice(catalogue)?;
    catalogue["tables"] = Json::Array(Vec::new());
    for check in catalogue["checks"].as_object_mut().into_iter().flat_map(|checks| checks.values_mut()) {
        for text in ["title", "description", "since"] {
            check[text] = "".into();
        }
        for setting in check.get_mut("settings").and_then(Json::as_object_mut).into_iter().flatten().map(|(_, it)| it) {
            setting["description"] = "".into();
        }
        if let Some(check) = check.as_object_mut() {
            check.retain(|key, _| {
                !["formulas", "related_resources", "shown_by", "sources", "tables"].contains(&key.as_str())
            });
        }
    }
    Ok(serde_json::to_vec(&catalogue)?)
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
