//! Rules from an OPA bundle, for those who write their own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value as Json;
use walguard_engine::Rules;
use walguard_manifest as manifest;

/// The embedded rules, with the checks of a bundle beside them where one is given.
///
/// # Errors
/// When the bundle cannot be read or its rules not be evaluated.
pub fn load(bundle: Option<&Path>) -> anyhow::Result<Rules> {
    let Some(path) = bundle else { return Ok(Rules::embedded()) };
    let shown = || format!("cannot use the rules of {}", path.display());
    let bundle = rego_plan::bundle::read(&fs::read(path).with_context(shown)?).with_context(shown)?;
    Rules::of_bundle(bundle.plan, bundle.data, &described(&bundle.sources)).with_context(shown)
}

/// The METADATA of packages, by the path of the package.
fn described(sources: &[(String, String)]) -> BTreeMap<String, Json> {
    let described = sources.iter().filter_map(|(name, source)| {
        let (head, rest) = source.split_at(
            source.find("\npackage ").map(|at| at + 1).or_else(|| source.starts_with("package ").then_some(0))?,
        );
        let package = rest.lines().next()?.strip_prefix("package ")?.trim().to_owned();
        let comments = head.lines().skip_while(|line| line.trim() != "# METADATA").skip(1);
        let yaml: String = comments.map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or_default())).collect();
        let reading = manifest::read(name.as_str(), yaml.into_bytes());
        Some((package, reading.documents.into_iter().next()?.value))
    });
    described.collect()
}
