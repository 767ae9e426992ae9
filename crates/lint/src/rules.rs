//! Rules from a directory, for those who write them.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use walguard_engine::Rules;

/// The rules of a directory, or the embedded ones.
///
/// # Errors
/// When the directory cannot be read or holds no Rego.
pub fn load(directory: Option<&Path>) -> anyhow::Result<Rules> {
    let Some(directory) = directory else { return Ok(Rules::embedded()) };
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(directory).standard_filters(false).build() {
        let entry = entry.context("cannot read the rules")?;
        let path = entry.path();
        let name = path.strip_prefix(directory).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let wanted = [".rego", ".json", ".yaml"].iter().any(|extension| name.ends_with(extension));
        if wanted && path.is_file() {
            let text =
                fs::read_to_string(path).with_context(|| format!("cannot read the rules: {}", path.display()))?;
            files.push((name, text));
        }
    }
    if !files.iter().any(|(name, _)| name.ends_with(".rego")) {
        bail!("there are no rules (*.rego) in {}", directory.display());
    }
    files.sort();
    Ok(Rules::from_files(files))
}
