//! The policy configuration, `walguard.yaml`: the severity and settings of checks, and what an administrator attests.
//!
//! ```yaml
//! version: 1
//! checks:
//!   wal/init_zero_filesystem:
//!     severity: off                  # error | warning | info | off
//!   durability/full_page_writes:
//!     settings:
//!       backup_window_hours: 48      # `walguard checks explain ID` lists them
//! attestations:                      # storage that an administrator knows to write atomically
//!   - storageClass: fast-nvme
//!     atomicWriteBytes: 16384
//!     evidence: "pg_test_atomic on 2026-10-02, ticket OPS-1234"
//!     by: dba-team
//!     expires: 2027-04-01
//! ```
//!
//! What is not known – a key, a check, a setting, a severity – is an error with its line and column: a configuration that
//! means nothing must not look as if it meant something.

use std::path::{Path, PathBuf};
use std::{env, io};

use serde_json::{Map, Value as Json, json};
use walguard_engine::{Catalogue, Setting, field};

use crate::manifest::{self, Document, Notice, PathSegment, ReadError};

/// The names under which a configuration is looked for.
const NAMES: [&str; 2] = ["walguard.yaml", "walguard.yml"];
const SEVERITIES: [&str; 4] = ["error", "warning", "info", "off"];

/// The configuration that lies in the working directory or the nearest directory above it.
///
/// # Errors
/// When there is no working directory.
pub fn discover() -> io::Result<Option<PathBuf>> {
    let here = env::current_dir()?;
    let found =
        here.ancestors().flat_map(|directory| NAMES.map(|name| directory.join(name))).find(|path| path.is_file());
    // As short as a person would write it.
    Ok(found.map(|path| path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path)))
}

/// Reads a configuration into the form the rules know.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn parse(name: &str, bytes: Vec<u8>, catalogue: &Catalogue) -> Result<Json, Vec<ReadError>> {
    let reading = manifest::read(name, bytes);
    let mut reader = Reader { errors: reading.errors, catalogue };
    let mut configuration = json!({});
    match reading.documents.as_slice() {
        [] if reader.errors.is_empty() => reader.errors.push(ReadError {
            file: name.to_owned(),
            line: 1,
            column: 1,
            message: "the configuration is empty; at least `version: 1` must stand in it".to_owned(),
            hint: None,
        }),
        [] => {}
        [document] => configuration = reader.configuration(document),
        [_, second, ..] => reader.fail(second, &[], "a configuration is one document, this is a second one"),
    }
    reader.errors.sort_by_key(|error| (error.line, error.column));
    if reader.errors.is_empty() { Ok(configuration) } else { Err(reader.errors) }
}

struct Reader<'a> {
    errors: Vec<ReadError>,
    catalogue: &'a Catalogue,
}

/// A path of keys and indices.
macro_rules! path {
    ($base:expr, $segment:expr) => {{
        let mut path: Vec<PathSegment> = $base.to_vec();
        path.push(PathSegment::from($segment));
        path
    }};
}

impl Reader<'_> {
    fn configuration(&mut self, document: &Document) -> Json {
        for notice in &document.notices {
            let (Notice::DuplicateKey { path, .. } | Notice::MergeReplacesKey { path, .. }) = notice;
            self.fail(document, path, &format!("{} is written twice", field(path)));
        }
        let Some(root) = self.map(document, &[], &document.value) else { return json!({}) };
        self.known(document, &[], root, &["version", "checks", "attestations"]);
        match root.get("version") {
            Some(version) if version == 1 => {}
            Some(version) => {
                self.fail(
                    document,
                    &["version".into()],
                    &format!("version {version} is not known; this walguard reads version 1"),
                );
            }
            None => self.fail(document, &[], "version is missing; write `version: 1`"),
        }
        let mut configuration = Map::new();
        if let Some(checks) = root.get("checks") {
            configuration.insert("checks".to_owned(), self.checks(document, checks));
        }
        if let Some(attestations) = root.get("attestations") {
            configuration.insert("attestations".to_owned(), self.attestations(document, attestations));
        }
        Json::Object(configuration)
    }

    fn checks(&mut self, document: &Document, checks: &Json) -> Json {
        let at = [PathSegment::from("checks")];
        let mut read = Map::new();
        for (id, chosen) in self.map(document, &at, checks).into_iter().flatten() {
            let at = path!(at, id.as_str());
            let catalogue = self.catalogue;
            let Some(check) = catalogue.checks.get(id) else {
                let nearest = nearest(id, catalogue.checks.keys().map(String::as_str));
                self.fail(document, &at, &format!("there is no check {id}{nearest}"));
                continue;
            };
            let Some(chosen) = self.map(document, &at, chosen) else { continue };
            self.known(document, &at, chosen, &["severity", "settings"]);
            let mut entry = Map::new();
            if let Some(severity) = chosen.get("severity") {
                let at = path!(at, "severity");
                // YAML reads a bare `off` as false; here everybody means the word.
                let bare_off = *severity == Json::Bool(false) && document.scalar(&at).is_some_and(|s| s.text == "off");
                match if bare_off { Some("off") } else { severity.as_str() } {
                    Some(word) if SEVERITIES.contains(&word) => {
                        entry.insert("severity".to_owned(), word.into());
                    }
                    word => {
                        let nearest = word.map(|word| nearest(word, SEVERITIES)).unwrap_or_default();
                        let written = document.scalar(&at).map_or_else(|| severity.to_string(), |s| s.text.to_owned());
                        let message = format!("{written} is no severity: error, warning, info or off{nearest}");
                        self.fail(document, &at, &message);
                    }
                }
            }
            if let Some(settings) = chosen.get("settings") {
                let settings = self.settings(document, &path!(at, "settings"), id, &check.settings, settings);
                entry.insert("settings".to_owned(), settings);
            }
            read.insert(id.clone(), Json::Object(entry));
        }
        Json::Object(read)
    }

    fn settings(
        &mut self,
        document: &Document,
        at: &[PathSegment],
        id: &str,
        known: &std::collections::BTreeMap<String, Setting>,
        chosen: &Json,
    ) -> Json {
        let mut read = Map::new();
        for (name, value) in self.map(document, at, chosen).into_iter().flatten() {
            let at = path!(at, name.as_str());
            let Some(setting) = known.get(name) else {
                let message = if known.is_empty() {
                    format!("{id} has no settings")
                } else {
                    let all: Vec<&str> = known.keys().map(String::as_str).collect();
                    let nearest = nearest(name, all.iter().copied());
                    format!("{id} has no setting {name}{nearest}; it has {}", all.join(", "))
                };
                self.fail(document, &at, &message);
                continue;
            };
            let wanted = type_of(&setting.default);
            if setting.default.is_null() || type_of(value) == wanted {
                read.insert(name.clone(), value.clone());
            } else {
                self.fail(
                    document,
                    &at,
                    &format!("{name} is {wanted} (default {}), not {}", setting.default, type_of(value)),
                );
            }
        }
        Json::Object(read)
    }

    fn attestations(&mut self, document: &Document, attestations: &Json) -> Json {
        const KEYS: [&str; 5] = ["storageClass", "atomicWriteBytes", "evidence", "by", "expires"];
        let at = [PathSegment::from("attestations")];
        let Some(list) = attestations.as_array() else {
            self.fail(document, &at, &format!("attestations is {}, not a list", type_of(attestations)));
            return json!([]);
        };
        let mut read = Vec::new();
        for (index, attestation) in list.iter().enumerate() {
            let at = path!(at, index);
            let Some(attestation) = self.map(document, &at, attestation) else { continue };
            self.known(document, &at, attestation, &KEYS);
            let mut entry = attestation.clone();
            for key in KEYS {
                let at = path!(at, key);
                match (key, attestation.get(key)) {
                    (_, None) => self.fail(document, &at, &format!("the attestation lacks {key}")),
                    ("atomicWriteBytes", Some(bytes)) => {
                        if bytes.as_u64().is_none_or(|bytes| bytes == 0) {
                            self.fail(document, &at, &format!("atomicWriteBytes is {bytes}, not a number of bytes"));
                        }
                    }
                    ("expires", Some(moment)) => match moment.as_str().and_then(timestamp) {
                        Some(moment) => {
                            entry.insert(key.to_owned(), moment.into());
                        }
                        None => {
                            let message =
                                format!("expires is {moment}, neither a date (2027-04-01) nor an RFC 3339 time");
                            self.fail(document, &at, &message);
                        }
                    },
                    (_, Some(text)) => {
                        if text.as_str().is_none_or(|text| text.trim().is_empty()) {
                            self.fail(document, &at, &format!("{key} is {text}, not a text"));
                        }
                    }
                }
            }
            read.push(Json::Object(entry));
        }
        Json::Array(read)
    }

    fn map<'v>(&mut self, document: &Document, at: &[PathSegment], value: &'v Json) -> Option<&'v Map<String, Json>> {
        if value.as_object().is_none() {
            let name = if at.is_empty() { "the configuration".to_owned() } else { field(at) };
            self.fail(document, at, &format!("{name} is {}, not a map", type_of(value)));
        }
        value.as_object()
    }

    fn known(&mut self, document: &Document, at: &[PathSegment], map: &Map<String, Json>, known: &[&str]) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let nearest = nearest(key, known.iter().copied());
            self.fail(document, &path!(at, key.as_str()), &format!("there is no key {key} here{nearest}"));
        }
    }

    fn fail(&mut self, document: &Document, at: &[PathSegment], message: &str) {
        let location = document.locate(at);
        self.errors.push(ReadError {
            file: document.source.name.clone(),
            line: location.line,
            column: location.column,
            message: message.to_owned(),
            hint: None,
        });
    }
}

/// A date or a time as RFC 3339 in UTC. A date means its first moment.
#[must_use]
pub fn timestamp(text: &str) -> Option<String> {
    let moment = match text.parse::<jiff::Timestamp>() {
        Ok(moment) => moment,
        Err(_) => text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp(),
    };
    Some(moment.to_string())
}

/// `, did you mean …?` when one of the known words is near.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let likeness = |known: &str| {
        // The last part of an id may be all that was written.
        let last = known.rsplit('/').next().unwrap_or(known);
        strsim::jaro_winkler(word, known).max(strsim::jaro_winkler(word, last))
    };
    let best = known
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, known)| format!(", did you mean {known}?")).unwrap_or_default()
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "empty",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
