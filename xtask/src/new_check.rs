//! `make new-check ID=area/name`: the four files of a check, which pass their own tests from the start.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

const RULE: &str = include_str!("new_check/check.rego.in");
const TEST: &str = include_str!("new_check/check_test.rego.in");
const PASS: &str = include_str!("new_check/pass.yaml.in");
const FAIL: &str = include_str!("new_check/fail.yaml.in");

/// Writes the files.
///
/// # Errors
/// When the id is not area/name in lower case, or the check is there already.
pub fn write(root: &Path, id: &str) -> Result<()> {
    let (area, name) = id.split_once('/').context("ID must be area/name, for example wal/segment_size_small")?;
    let word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if !word(area) || !word(name) {
        bail!("ID {id:?}: area and name are lower-case letters, digits and underscores");
    }
    let directory = root.join("rules/checks").join(area).join(name);
    if directory.exists() {
        bail!("{} is there already", directory.display());
    }
    fs::create_dir_all(&directory)?;
    for (file, template) in [
        (format!("{name}.rego"), RULE),
        (format!("{name}_test.rego"), TEST),
        ("pass.yaml".to_owned(), PASS),
        ("fail.yaml".to_owned(), FAIL),
    ] {
        fs::write(directory.join(file), template.replace("@AREA@", area).replace("@NAME@", name))?;
    }
    eprintln!("wrote {}: now make it find what it is for", directory.display());
    Ok(())
}
