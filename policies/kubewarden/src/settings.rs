//! The settings of the policy: the policy configuration that the other hosts read from `walguard.yaml`.

use serde_json::{Map, Value as Json};
use walguard_engine::{Catalogue, ConfigurationError, Value, configuration};

/// Reads settings into the form the rules know; `None` where there are none.
///
/// # Errors
/// Everything that is wrong with them, one a line.
pub fn read(settings: &[u8], catalogue: &Catalogue) -> Result<Option<Value>, String> {
    let settings: Json = serde_json::from_slice(settings).map_err(|error| error.to_string())?;
    if settings.is_null() || settings.as_object().is_some_and(Map::is_empty) {
        return Ok(None);
    }
    let lines = |errors: Vec<ConfigurationError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Ok(Some(walguard_engine::value(configuration::normalise(&settings, catalogue).map_err(lines)?)))
}
