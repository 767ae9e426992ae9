//! The JSON Schema of the policy configuration: by itself, for editors, and in the schema of the chart's values.

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};
use walguard_engine::{Catalogue, configuration};

/// `docs/walguard.schema.json`, of the file `walguard.yaml`.
pub fn file(catalogue: &Catalogue, address: &str) -> Result<String> {
    let mut schema = configuration::schema(catalogue, "#");
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["$id"] = address.into();
    // What is about files only `lint` reads.
    schema["properties"]["exclude"] = json!({
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "description": "Files that lint does not read: patterns as in .gitignore, from the directory of this file",
    });
    schema["properties"]["render"] = json!({"type": "boolean", "description": "lint renders Helm charts with helm"});
    schema["properties"]["ignoreComments"] = json!({
        "enum": ["all", "warnings", "none"],
        "default": "all",
        "description": "What comments `# walguard: ignore[id] until=… reason=…` in manifests may ignore: everything, all but errors, or nothing",
    });
    schema["properties"]["files"] = json!({
        "type": "array",
        "description": "lint only: severities and settings of checks in some files; later entries override earlier ones and everything else",
        "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["paths", "checks"],
            "properties": {
                "paths": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": "string", "minLength": 1},
                    "description": "Patterns as in .gitignore, from the directory of this file",
                },
                "checks": schema["properties"]["checks"].clone(),
            },
        },
    });
    schema["title"] = "walguard.yaml, the policy configuration of walguard".into();
    schema["required"] = json!(["version"]);
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// `dist/schemastore.json`, the entry for SchemaStore's catalogue: editors with it find the schema by the name of the file.
pub fn store(address: &str) -> Result<String> {
    let entry = json!({
        "name": "walguard",
        "description": "Policy configuration of walguard, which checks PostgreSQL clusters for Kubernetes",
        "fileMatch": ["walguard.yaml", "walguard.yml", ".walguard.yaml", ".walguard.yml"],
        "url": address,
    });
    Ok(serde_json::to_string_pretty(&entry)? + "\n")
}

/// `values.schema.json` with the configuration in `policy`; the rest, written by hand, stays as it is.
pub fn values(catalogue: &Catalogue, now: &str) -> Result<String> {
    const HEAD: &str = "    \"policy\": ";
    let schema = configuration::schema(catalogue, "#/properties/policy");
    let (before, rest) = now.split_once(HEAD).context("values.schema.json has no property \"policy\"")?;
    let mut old = serde_json::Deserializer::from_str(rest).into_iter::<Json>();
    old.next().context("\"policy\" of values.schema.json has no value")??;
    let after = &rest[old.byte_offset()..];
    let written = serde_json::to_string_pretty(&schema)?.replace('\n', "\n    ");
    Ok(format!("{before}{HEAD}{written}{after}"))
}
