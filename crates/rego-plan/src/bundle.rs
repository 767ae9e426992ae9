//! Bundles of OPA: an archive with a plan, and the data that rules read.

use std::io::Read as _;

use serde_json::Value as Json;

use crate::{Plan, opa};

/// A larger file in a bundle is refused.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// Why a bundle cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("the bundle is no .tar.gz: {0}")]
    Archive(#[from] std::io::Error),
    #[error("the bundle holds no plan; build it with `opa build --target plan --entrypoint …`")]
    NoPlan,
    #[error(transparent)]
    Plan(#[from] opa::PlanError),
    #[error("the data of the bundle is no JSON: {0}")]
    Data(#[from] serde_json::Error),
}

/// What a bundle holds.
#[derive(Debug)]
pub struct Bundle {
    pub plan: Plan,
    /// `data`, as far as it is not made by rules.
    pub data: Json,
    /// The Rego that it was made from, each (path, text).
    pub sources: Vec<(String, String)>,
}

/// Reads a bundle that `opa build --target plan` wrote.
///
/// # Errors
/// When it is none, or holds no plan.
pub fn read(bundle: &[u8]) -> Result<Bundle, BundleError> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bundle));
    let (mut plan, mut data, mut sources) = (None, Json::Null, Vec::new());
    for entry in archive.entries()? {
        let entry = entry?;
        let name = entry.path()?.to_string_lossy().trim_start_matches(['.', '/']).to_owned();
        let rego = name.ends_with(".rego");
        if !rego && name != "plan.json" && name != "data.json" {
            continue;
        }
        let mut bytes = Vec::new();
        entry.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        match name.as_str() {
            _ if rego => sources.push((name, String::from_utf8_lossy(&bytes).into_owned())),
            "plan.json" => plan = Some(opa::read(&bytes)?),
            _ => data = serde_json::from_slice(&bytes)?,
        }
    }
    Ok(Bundle { plan: plan.ok_or(BundleError::NoPlan)?, data, sources })
}
