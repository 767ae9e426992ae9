//! The policy configuration: what may stand in it. Said once, as a [`Shape`]; its validation, its normal form and its JSON
//! Schema follow from that.
//!
//! What is not known – a key, a check, a setting, a severity – is an error: a configuration that means nothing must not look
//! as if it meant something.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use crate::finding::{Finding, PathSegment, ResourceRef, field};
use crate::{Catalogue, Check, Setting, Value};

/// What the configuration calls itself in a review.
const API_VERSION: &str = "walguard.dev/v1";
const KIND: &str = "Configuration";
const SEVERITIES: [&str; 4] = ["error", "warning", "info", "off"];

/// Something that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError {
    /// Where; what is missing has the path it would have.
    pub path: Vec<PathSegment>,
    pub message: String,
}

impl std::fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.path.as_slice() {
            [] => f.write_str(&self.message),
            path => write!(f, "{}: {}", field(path), self.message),
        }
    }
}

/// A configuration in the form the rules read: without `version`, times in RFC 3339 and UTC.
///
/// # Errors
/// Everything that is wrong with it.
pub fn normalise(configuration: &Json, catalogue: &Catalogue) -> Result<Json, Vec<ConfigurationError>> {
    let mut reader = Reader::default();
    let normal = reader.read(&configuration_shape(catalogue), configuration, &[]);
    if !reader.errors.is_empty() {
        return Err(reader.errors);
    }
    let mut normal = normal.unwrap_or_else(|| json!({}));
    if let Some(fields) = normal.as_object_mut() {
        fields.remove("version");
    }
    Ok(normal)
}

/// What a configuration was used for, as far as the checks of area `policy/` want to know.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The resources that were judged by it.
    pub judged: &'a [ResourceRef],
    /// The waivers that covered a finding, by their place in the configuration.
    pub used: &'a BTreeSet<usize>,
    /// True when everything there is was judged, not only some files.
    pub complete: bool,
}

/// The request of a [`crate::Review`] of the configuration itself, which the checks of area `policy/` judge. `name`: of its file.
#[must_use]
pub fn review(name: &str, configuration: &Json, run: Option<Run<'_>>) -> Value {
    let mut object = configuration.as_object().cloned().unwrap_or_default();
    object.insert("apiVersion".to_owned(), API_VERSION.into());
    object.insert("kind".to_owned(), KIND.into());
    object.insert("metadata".to_owned(), json!({"name": name}));
    let mut review = json!({"object": object});
    if let Some(Run { judged, used, complete }) = run {
        review["judged"] = json!(judged);
        review["used"] = json!(used);
        review["complete"] = complete.into();
    }
    Value::from(review)
}

/// True of a finding about the configuration itself.
#[must_use]
pub fn concerned(finding: &Finding) -> bool {
    finding.resource.kind == KIND && finding.resource.api_version == API_VERSION
}

/// The JSON Schema (draft 7) of a configuration, of which nothing is required. What several places share stands in
/// `definitions`, and is referred to from `root` on (`#` where the schema is a document of its own).
#[must_use]
pub fn schema(catalogue: &Catalogue, root: &str) -> Json {
    let mut definitions = BTreeMap::new();
    let mut schema = configuration_shape(catalogue).schema(root, &mut definitions);
    if !definitions.is_empty() {
        schema["definitions"] = json!(definitions);
    }
    schema
}

/// What a value has to be.
enum Shape<'a> {
    /// A text that is not empty.
    Text,
    /// A whole number above zero.
    Count,
    /// A date, or a time in RFC 3339.
    Moment,
    /// The one version there is.
    Version,
    Boolean,
    /// One of some words.
    Word(&'static [&'static str]),
    Severity,
    /// The id of a check, or an area with a slash.
    CheckOrArea(&'a BTreeMap<String, Check>),
    /// What the default of a setting is.
    Setting(&'a str, &'a Setting),
    List(Box<Shape<'a>>),
    /// Keys that are known.
    Fields(Vec<Field<'a>>),
    /// Any keys, with text.
    Labels,
    /// Ids of checks, each with its own shape.
    Checks(&'a BTreeMap<String, Check>),
    /// Names of the settings of a check.
    Settings(&'a str, &'a BTreeMap<String, Setting>),
}

struct Field<'a> {
    name: &'static str,
    description: &'static str,
    need: Need,
    shape: Shape<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Optional,
    /// This one, or another one of its kind beside it.
    OneOf,
    Required,
}

impl<'a> Field<'a> {
    const fn optional(name: &'static str, shape: Shape<'a>, description: &'static str) -> Self {
        Self { name, description, need: Need::Optional, shape }
    }

    const fn one_of(name: &'static str, shape: Shape<'a>, description: &'static str) -> Self {
        Self { name, description, need: Need::OneOf, shape }
    }

    const fn required(name: &'static str, shape: Shape<'a>, description: &'static str) -> Self {
        Self { name, description, need: Need::Required, shape }
    }
}

/// The names of the fields of which one at least must be there.
fn alternatives(fields: &[Field<'_>]) -> Vec<&'static str> {
    fields.iter().filter(|field| field.need == Need::OneOf).map(|field| field.name).collect()
}

fn configuration_shape(catalogue: &Catalogue) -> Shape<'_> {
    use Shape::{Boolean, Checks, Fields, Version};
    let checks = &catalogue.checks;
    Fields(vec![
        Field::optional("version", Version, "The version of this form: 1"),
        Field::optional("mode", mode_shape(), "What errors lead to"),
        Field::optional("showInfo", Boolean, "Show advice (findings of severity info) to whoever sends a request"),
        Field::optional("checks", Checks(checks), "Severity and settings of checks, by id"),
        Field::optional("namespaces", list(namespace_shape(checks)), "What is different in some namespaces"),
        Field::optional(
            "dependents",
            Shape::Word(&["warn", "deny", "off"]),
            "What a change of an object leads to that makes a cluster faulty which depends on it",
        ),
        Field::optional("waivers", list(waiver_shape(checks)), "Accepted risks: who, why, until when"),
        Field::optional("exemptions", exemptions_shape(), "Whose requests lead to nothing; they are only recorded"),
        Field::optional(
            "attestations",
            list(attestation_shape()),
            "Storage that an administrator knows to write atomically",
        ),
    ])
}

fn list(shape: Shape<'_>) -> Shape<'_> {
    Shape::List(Box::new(shape))
}

const fn mode_shape<'a>() -> Shape<'a> {
    Shape::Word(&["enforce", "warn", "audit"])
}

fn namespace_shape(checks: &BTreeMap<String, Check>) -> Shape<'_> {
    use Shape::{Checks, Fields, Labels, Text};
    Fields(vec![
        Field::one_of("names", list(Text), "Names of namespaces; * stands for any text, ? for one character"),
        Field::one_of("matchLabels", Labels, "Labels that a namespace must have, all of them"),
        Field::optional("mode", mode_shape(), "What errors lead to there"),
        Field::optional("checks", Checks(checks), "Severity and settings of checks there, by id"),
    ])
}

fn waiver_shape(checks: &BTreeMap<String, Check>) -> Shape<'_> {
    use Shape::{CheckOrArea, Fields, Moment, Text};
    Fields(vec![
        Field::required("check", CheckOrArea(checks), "Id of the check, or an area with a slash for all of its checks"),
        Field::required("resource", scope_shape(), "Which resources"),
        Field::required("reason", Text, "Why the risk is accepted"),
        Field::required("owner", Text, "Who answers for it"),
        Field::required("expires", Moment, "From when on it no longer counts: a date or an RFC 3339 time"),
    ])
}

/// Resources by name; patterns.
fn scope_shape<'a>() -> Shape<'a> {
    use Shape::{Fields, Text};
    Fields(vec![
        Field::one_of("namespace", Text, "Namespace; * stands for any text, ? for one character"),
        Field::one_of("kind", Text, "Kind, likewise"),
        Field::one_of("name", Text, "Name, likewise"),
    ])
}

fn exemptions_shape<'a>() -> Shape<'a> {
    use Shape::{Fields, Text};
    Fields(vec![
        Field::optional("users", list(Text), "Names of users; * stands for any text, ? for one character"),
        Field::optional("groups", list(Text), "Groups, likewise"),
    ])
}

fn check_shape<'a>(id: &'a str, check: &'a Check) -> Shape<'a> {
    Shape::Fields(vec![
        Field::optional("severity", Shape::Severity, "How bad its findings are; off: it is not asked"),
        Field::optional("settings", Shape::Settings(id, &check.settings), "Its settings, by name"),
    ])
}

fn attestation_shape<'a>() -> Shape<'a> {
    use Shape::{Count, Fields, Moment, Text};
    Fields(vec![
        Field::required("storageClass", Text, "Name of the StorageClass"),
        Field::optional("resource", scope_shape(), "Only for these clusters; without it for all that are on the class"),
        Field::required("atomicWriteBytes", Count, "Writes of this many bytes, aligned, are never torn"),
        Field::required("evidence", Text, "How that was tested, and where it is written down"),
        Field::required("by", Text, "Who says so"),
        Field::required("expires", Moment, "From when on it no longer counts: a date or an RFC 3339 time"),
    ])
}

#[derive(Default)]
struct Reader {
    errors: Vec<ConfigurationError>,
}

impl Reader {
    /// The normal form of a value; `None` where it is wrong.
    fn read(&mut self, shape: &Shape<'_>, value: &Json, path: &[PathSegment]) -> Option<Json> {
        match shape {
            Shape::Fields(fields) => self.fields(fields, value, path),
            Shape::List(shape) => self.list(shape, value, path),
            Shape::Checks(checks) => self.checks(checks, value, path),
            Shape::Settings(id, settings) => self.settings(id, settings, value, path),
            Shape::Labels => self.labels(value, path),
            _ => match shape.scalar(value, path) {
                Ok(value) => Some(value),
                Err(message) => self.fail(path, message),
            },
        }
    }

    fn fields(&mut self, fields: &[Field<'_>], value: &Json, path: &[PathSegment]) -> Option<Json> {
        let map = self.map(value, path)?;
        for key in map.keys().filter(|key| fields.iter().all(|field| field.name != key.as_str())) {
            let nearest = nearest(key, fields.iter().map(|field| field.name));
            self.fail(&join(path, key.as_str()), format!("there is no key {key} here{nearest}"));
        }
        let mut read = Map::new();
        for field in fields {
            let at = join(path, field.name);
            match map.get(field.name) {
                Some(value) => {
                    read.extend(self.read(&field.shape, value, &at).map(|value| (field.name.to_owned(), value)));
                }
                None if field.need == Need::Required => {
                    self.fail(&at, format!("{} is missing: {}", field.name, lower(field.description)));
                }
                None => {}
            }
        }
        let alternatives = alternatives(fields);
        if !alternatives.is_empty() && alternatives.iter().all(|name| !map.contains_key(*name)) {
            self.fail(path, format!("{} needs {}", field(path), alternatives.join(" or ")));
        }
        Some(Json::Object(read))
    }

    fn list(&mut self, shape: &Shape<'_>, value: &Json, path: &[PathSegment]) -> Option<Json> {
        let Some(list) = value.as_array() else {
            return self.fail(path, format!("{} is {}, not a list", field(path), type_of(value)));
        };
        let read = list.iter().enumerate().filter_map(|(index, value)| self.read(shape, value, &join(path, index)));
        Some(Json::Array(read.collect()))
    }

    fn checks(&mut self, checks: &BTreeMap<String, Check>, value: &Json, path: &[PathSegment]) -> Option<Json> {
        let mut read = Map::new();
        for (id, chosen) in self.map(value, path)? {
            let at = join(path, id.as_str());
            let Some(check) = checks.get(id) else {
                let nearest = nearest(id, checks.keys().map(String::as_str));
                self.fail(&at, format!("there is no check {id}{nearest}"));
                continue;
            };
            read.extend(self.read(&check_shape(id, check), chosen, &at).map(|chosen| (id.clone(), chosen)));
        }
        Some(Json::Object(read))
    }

    fn settings(
        &mut self,
        id: &str,
        settings: &BTreeMap<String, Setting>,
        value: &Json,
        path: &[PathSegment],
    ) -> Option<Json> {
        let mut read = Map::new();
        for (name, value) in self.map(value, path)? {
            let at = join(path, name.as_str());
            let Some(setting) = settings.get(name) else {
                let all: Vec<&str> = settings.keys().map(String::as_str).collect();
                let nearest = nearest(name, all.iter().copied());
                self.fail(
                    &at,
                    match all.as_slice() {
                        [] => format!("{id} has no settings"),
                        _ => format!("{id} has no setting {name}{nearest}; it has {}", all.join(", ")),
                    },
                );
                continue;
            };
            read.extend(self.read(&Shape::Setting(name, setting), value, &at).map(|value| (name.clone(), value)));
        }
        Some(Json::Object(read))
    }

    fn labels(&mut self, value: &Json, path: &[PathSegment]) -> Option<Json> {
        for (key, label) in self.map(value, path)? {
            if !label.is_string() {
                self.fail(&join(path, key.as_str()), format!("the label {key} is {label}, not a text"));
            }
        }
        Some(value.clone())
    }

    fn map<'v>(&mut self, value: &'v Json, path: &[PathSegment]) -> Option<&'v Map<String, Json>> {
        if value.as_object().is_none() {
            let name = if path.is_empty() { "the configuration".to_owned() } else { field(path) };
            self.fail(path, format!("{name} is {}, not a map", type_of(value)));
        }
        value.as_object()
    }

    fn fail(&mut self, path: &[PathSegment], message: String) -> Option<Json> {
        self.errors.push(ConfigurationError { path: path.to_vec(), message });
        None
    }
}

impl Shape<'_> {
    /// The normal form of a value that is neither a list nor a map, or what is wrong with it.
    fn scalar(&self, value: &Json, path: &[PathSegment]) -> Result<Json, String> {
        let name = path.last().map(ToString::to_string).unwrap_or_default();
        match self {
            Self::Text if value.as_str().is_none_or(|text| text.trim().is_empty()) => {
                Err(format!("{name} is {value}, not a text"))
            }
            Self::Count if value.as_u64().is_none_or(|count| count == 0) => {
                Err(format!("{name} is {value}, not a whole number above zero"))
            }
            Self::Moment => value.as_str().and_then(timestamp).map(Json::from).ok_or_else(|| {
                format!("{name} is {value}, neither a date (2027-04-01) nor an RFC 3339 time before 2262")
            }),
            Self::Version if *value != 1 => Err(format!("version {value} is not known; this walguard reads version 1")),
            Self::Boolean if !value.is_boolean() => Err(format!("{name} is {value}, neither true nor false")),
            Self::Word(words) if *value == Json::Bool(false) && words.contains(&"off") => Ok("off".into()),
            Self::Word(words) if value.as_str().is_none_or(|word| !words.contains(&word)) => {
                let nearest = value.as_str().map(|word| nearest(word, words.iter().copied())).unwrap_or_default();
                Err(format!("{name} is {value}, and not one of {}{nearest}", words.join(", ")))
            }
            Self::CheckOrArea(checks) => check_or_area(checks, value),
            Self::Severity => severity(value),
            Self::Setting(name, setting) => {
                let wanted = type_of(&setting.default);
                if setting.default.is_null() || type_of(value) == wanted {
                    Ok(value.clone())
                } else {
                    Err(format!("{name} is {wanted} (default {}), not {}", setting.default, type_of(value)))
                }
            }
            _ => Ok(value.clone()),
        }
    }

    fn schema(&self, root: &str, definitions: &mut BTreeMap<String, Json>) -> Json {
        match self {
            Self::Text => json!({"type": "string", "minLength": 1}),
            Self::Count => json!({"type": "integer", "minimum": 1}),
            Self::Moment => {
                json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2}))?$"})
            }
            Self::Version => json!({"const": 1}),
            Self::Boolean => json!({"type": "boolean"}),
            Self::Word(words) if words.contains(&"off") => {
                json!({"enum": words.iter().map(|word| json!(word)).chain([false.into()]).collect::<Vec<_>>()})
            }
            Self::Word(words) => json!({"enum": words}),
            Self::CheckOrArea(checks) => {
                let known: Vec<String> =
                    checks.keys().map(String::as_str).chain(areas(checks)).map(str::to_owned).collect();
                define("check", definitions, root, || json!({"enum": known}))
            }
            Self::Labels => json!({"type": "object", "additionalProperties": {"type": "string"}}),
            Self::Severity => json!({"enum": ["error", "warning", "info", "off", false]}),
            Self::Setting(_, setting) => {
                let mut schema = json!({"description": setting.description, "default": setting.default});
                if let Some(name) = schema_type(&setting.default) {
                    schema["type"] = name.into();
                }
                schema
            }
            Self::List(shape) => json!({"type": "array", "items": shape.schema(root, definitions)}),
            Self::Fields(fields) => {
                let required: Vec<&str> =
                    fields.iter().filter(|field| field.need == Need::Required).map(|field| field.name).collect();
                let alternatives: Vec<Json> =
                    alternatives(fields).into_iter().map(|name| json!({"required": [name]})).collect();
                let properties = fields.iter().map(|field| {
                    let mut schema = field.shape.schema(root, definitions);
                    // Beside a reference nothing else counts.
                    if schema.get("$ref").is_none() {
                        schema["description"] = field.description.into();
                    }
                    (field.name.to_owned(), schema)
                });
                let mut schema = closed(properties.collect());
                if !required.is_empty() {
                    schema["required"] = json!(required);
                }
                if !alternatives.is_empty() {
                    schema["anyOf"] = json!(alternatives);
                }
                schema
            }
            Self::Checks(checks) => {
                let ids = checks.iter().map(|(id, check)| {
                    let mut schema = check_shape(id, check).schema(root, &mut BTreeMap::new());
                    schema["description"] = check.title.as_str().into();
                    (id.clone(), schema)
                });
                define("checks", definitions, root, || closed(ids.collect()))
            }
            Self::Settings(_, settings) => {
                let names = settings
                    .iter()
                    .map(|(name, setting)| (name.clone(), Self::Setting(name, setting).schema(root, definitions)));
                closed(names.collect())
            }
        }
    }
}

/// A reference to a definition, made where it is not there yet.
fn define(name: &str, definitions: &mut BTreeMap<String, Json>, root: &str, definition: impl FnOnce() -> Json) -> Json {
    definitions.entry(name.to_owned()).or_insert_with(definition);
    json!({"$ref": format!("{root}/definitions/{name}")})
}

fn closed(properties: Map<String, Json>) -> Json {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn severity(value: &Json) -> Result<Json, String> {
    let word = match value {
        // What a bare `off` is in YAML.
        Json::Bool(false) => Some("off"),
        other => other.as_str(),
    };
    match word {
        Some(word) if SEVERITIES.contains(&word) => Ok(word.into()),
        Some(word) => Err(format!("{word} is no severity: error, warning, info or off{}", nearest(word, SEVERITIES))),
        None => Err(format!("{value} is no severity: error, warning, info or off")),
    }
}

fn check_or_area(checks: &BTreeMap<String, Check>, value: &Json) -> Result<Json, String> {
    let text = value.as_str().unwrap_or_default();
    if checks.contains_key(text) || areas(checks).any(|area| area == text) {
        return Ok(text.into());
    }
    let nearest = match text.ends_with('/') {
        true => nearest(text, areas(checks)),
        false => nearest(text, checks.keys().map(String::as_str)),
    };
    Err(format!("there is no check {}{nearest}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
}

/// The areas of checks, each with its slash.
fn areas(checks: &BTreeMap<String, Check>) -> impl Iterator<Item = &str> {
    let areas: BTreeSet<&str> = checks.keys().filter_map(|id| id.find('/').map(|at| &id[..=at])).collect();
    areas.into_iter()
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn join(path: &[PathSegment], segment: impl Into<PathSegment>) -> Vec<PathSegment> {
    path.iter().cloned().chain([segment.into()]).collect()
}

/// A date or an RFC 3339 time, the latter in UTC and as every engine reads it; a date means its first moment. `None` for the
/// rest, and for what lies past the nanoseconds that 64 bits count (the year 2262).
#[must_use]
pub fn timestamp(text: &str) -> Option<String> {
    let moment = match text.len() {
        10 => text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp(),
        _ if rfc3339(text) => text.parse::<jiff::Timestamp>().ok()?,
        _ => return None,
    };
    i64::try_from(moment.as_nanosecond()).ok()?;
    Some(moment.to_string())
}

/// Whether a text has the form of RFC 3339; the parser takes more.
fn rfc3339(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let like = |text: &str, form: &str| {
        text.len() == form.len()
            && text
                .bytes()
                .zip(form.bytes())
                .all(|(byte, wanted)| byte == wanted || wanted == b'0' && byte.is_ascii_digit())
    };
    let Some((second, rest)) = text.split_at_checked(19) else { return false };
    let (fraction, zone) = rest.split_at(rest.find(['Z', '+', '-']).unwrap_or(rest.len()));
    like(second, "0000-00-00T00:00:00")
        && (fraction.is_empty() || fraction.strip_prefix('.').is_some_and(digits))
        && (zone == "Z" || like(zone, "+00:00") || like(zone, "-00:00"))
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

fn schema_type(value: &Json) -> Option<&'static str> {
    match value {
        Json::Null => None,
        Json::Bool(_) => Some("boolean"),
        Json::Number(_) => Some("number"),
        Json::String(_) => Some("string"),
        Json::Array(_) => Some("array"),
        Json::Object(_) => Some("object"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let check = json!({
            "title": "t", "description": "d", "severity": "error", "since": "0.1.0", "remediation": "r",
            "settings": {"hours": {"default": 24, "description": "Hours."}},
        });
        serde_json::from_value(json!({"checks": {"wal/a": check, "wal/b": check}, "kinds": []})).unwrap()
    }

    fn errors(configuration: &Json) -> Vec<String> {
        let errors = normalise(configuration, &catalogue()).unwrap_err();
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn everything_it_may_say() {
        let configuration = json!({
            "version": 1,
            "mode": "warn",
            "showInfo": true,
            "dependents": "deny",
            "checks": {"wal/a": {"severity": false, "settings": {"hours": 48}}, "wal/b": {}},
            "namespaces": [{"names": ["dev-*"], "mode": "audit"}, {"matchLabels": {"a": "b"}, "checks": {"wal/a": {"severity": "off"}}}],
            "waivers": [{"check": "wal/", "resource": {"name": "c"}, "reason": "r", "owner": "o", "expires": "2027-04-01"}],
            "exemptions": {"users": ["velero"], "groups": []},
            "attestations": [{
                "storageClass": "s", "resource": {"namespace": "n"}, "atomicWriteBytes": 8192, "evidence": "e", "by": "b",
                "expires": "2027-04-01T02:00:00+02:00",
            }],
        });
        let mut normal = configuration.clone();
        normal.as_object_mut().unwrap().remove("version");
        normal["checks"]["wal/a"]["severity"] = "off".into();
        normal["waivers"][0]["expires"] = "2027-04-01T00:00:00Z".into();
        normal["attestations"][0]["expires"] = "2027-04-01T00:00:00Z".into();
        assert_eq!(normalise(&configuration, &catalogue()).unwrap(), normal);
        assert_eq!(normalise(&normal, &catalogue()).unwrap(), normal, "what is normal stays as it is");
        assert_eq!(normalise(&json!({}), &catalogue()).unwrap(), json!({}));
    }

    #[test]
    fn every_mistake_is_named() {
        assert_eq!(errors(&json!([])), ["the configuration is a list, not a map"]);
        assert_eq!(
            errors(&json!({
                "mode": "enforced", "showInfo": "yes", "waiver": [],
                "namespaces": [{"mode": "warn"}, {"names": "dev", "matchLabels": {"a": 1}}],
                "waivers": [
                    {"check": "wal/c", "resource": {}, "reason": "", "expires": "2027-02-30"},
                    {"check": "walk/", "resource": {"labels": {}}, "reason": "r", "owner": 1, "expires": "2300-01-01"},
                ],
                "exemptions": {"users": ["a", 1]},
            })),
            [
                "waiver: there is no key waiver here, did you mean waivers?",
                "mode: mode is \"enforced\", and not one of enforce, warn, audit, did you mean enforce?",
                "showInfo: showInfo is \"yes\", neither true nor false",
                "namespaces[0]: namespaces[0] needs names or matchLabels",
                "namespaces[1].names: namespaces[1].names is a text, not a list",
                "namespaces[1].matchLabels.a: the label a is 1, not a text",
                "waivers[0].check: there is no check wal/c, did you mean wal/b?",
                "waivers[0].resource: waivers[0].resource needs namespace or kind or name",
                "waivers[0].reason: reason is \"\", not a text",
                "waivers[0].owner: owner is missing: who answers for it",
                "waivers[0].expires: expires is \"2027-02-30\", neither a date (2027-04-01) nor an RFC 3339 time before 2262",
                "waivers[1].check: there is no check walk/, did you mean wal/?",
                "waivers[1].resource.labels: there is no key labels here",
                "waivers[1].resource: waivers[1].resource needs namespace or kind or name",
                "waivers[1].owner: owner is 1, not a text",
                "waivers[1].expires: expires is \"2300-01-01\", neither a date (2027-04-01) nor an RFC 3339 time before 2262",
                "exemptions.users[1]: 1 is 1, not a text",
            ]
        );
    }

    #[test]
    fn moments_are_those_of_rfc_3339_and_dates() {
        for (text, moment) in [
            ("2027-04-01", Some("2027-04-01T00:00:00Z")),
            ("2027-04-01T00:00:00Z", Some("2027-04-01T00:00:00Z")),
            ("2027-04-01T01:30:00.5-01:30", Some("2027-04-01T03:00:00.5Z")),
            ("2027-04-01T00:00Z", None),
            ("2027-04-01 00:00:00Z", None),
            ("2027-04-01T00:00:00", None),
            ("2027-04-01T00:00:00+02", None),
            ("20270401T000000Z", None),
            ("2027-04-01T00:00:00Z[UTC]", None),
            ("2027-04-01T00:00:00.Z", None),
            ("9999-12-31", None),
            ("", None),
            ("ééééééééééééééééééé", None),
        ] {
            assert_eq!(timestamp(text).as_deref(), moment, "{text:?}");
        }
    }

    #[test]
    fn the_schema_refers_to_what_it_defines() {
        let schema = schema(&catalogue(), "#/properties/policy");
        let text = schema.to_string();
        for name in ["checks", "check"] {
            assert!(
                text.contains(&format!("#/properties/policy/definitions/{name}\""))
                    && schema["definitions"][name].is_object()
            );
        }
        assert_eq!(schema["definitions"]["check"]["enum"], json!(["wal/a", "wal/b", "wal/"]));
        assert_eq!(
            schema["properties"]["waivers"]["items"]["required"],
            json!(["check", "resource", "reason", "owner", "expires"])
        );
    }
}
