//! Where rules come from: embedded, or a directory a host read.

use serde_json::{Map, Value as Json};

use crate::Catalogue;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

/// Why rules cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    #[error("the rules do not compile: {0}")]
    Module(String),
    #[error("{file}: {source}")]
    Table { file: String, source: serde_json::Error },
    #[error("the tables of the rules cannot be loaded: {0}")]
    Data(String),
    #[error("the rules cannot be prepared: {0}")]
    Prepare(String),
}

/// Rego modules and the tables they read, by path below `rules/`.
#[derive(Clone, Debug)]
pub struct Rules {
    files: Vec<(String, String)>,
}

impl Rules {
    /// The rules this binary was built with.
    #[must_use]
    pub fn embedded() -> Self {
        Self { files: embedded::FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect() }
    }

    /// Rules from files, each (path below `rules/` with forward slashes, text). Tests, and the generated Rego twin of a
    /// table whose JSON is there, are left out.
    #[must_use]
    pub fn from_files(files: Vec<(String, String)>) -> Self {
        let tables: std::collections::HashSet<String> =
            files.iter().filter_map(|(name, _)| name.strip_suffix(".json").map(str::to_owned)).collect();
        let files = files
            .into_iter()
            .filter(|(name, _)| match name.strip_suffix(".rego") {
                Some(stem) => !stem.ends_with("_test") && !tables.contains(stem),
                None => name.ends_with(".json") || name.ends_with("/pass.yaml") || name.ends_with("/fail.yaml"),
            })
            .collect();
        Self { files }
    }

    /// The Rego modules: path and source.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter(|(name, _)| name.ends_with(".rego")).map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Manifests that a check refuses and that it accepts.
    #[must_use]
    pub fn examples(&self, id: &str) -> Option<(&str, &str)> {
        let text = |file: &str| {
            let name = format!("checks/{id}/{file}.yaml");
            self.files.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
        };
        text("fail").zip(text("pass"))
    }

    /// The paths of the tables, with dots: `a/b.json` is `walguard.a.b`.
    pub(crate) fn tables(&self) -> Vec<String> {
        let tables = self.files.iter().filter_map(|(name, _)| name.strip_suffix(".json"));
        tables.map(|stem| format!("walguard.{}", stem.replace('/', "."))).collect()
    }

    /// The tables as one document: `a/b.json` stands at `walguard.a.b`.
    pub(crate) fn data(&self) -> Result<Json, RulesError> {
        let mut root = Map::new();
        for (name, text) in self.files.iter().filter(|(name, _)| name.ends_with(".json")) {
            let table: Json = parse(name, text)?;
            let mut place = &mut root;
            let path: Vec<&str> = name.trim_end_matches(".json").split('/').collect();
            let (last, directories) = path.split_last().unwrap_or((&"", &[]));
            for directory in std::iter::once(&"walguard").chain(directories) {
                let next = place.entry((*directory).to_owned()).or_insert_with(|| Json::Object(Map::new()));
                match next {
                    Json::Object(map) => place = map,
                    _ => {
                        return Err(RulesError::Data(format!("{name}: {directory} is a table already")));
                    }
                }
            }
            place.insert((*last).to_owned(), table);
        }
        Ok(Json::Object(root))
    }

    /// What the rules say of themselves (`catalogue.json`).
    ///
    /// # Errors
    /// When the file is there and is not a catalogue.
    pub fn catalogue(&self) -> Result<Catalogue, RulesError> {
        match self.files.iter().find(|(name, _)| name == "catalogue.json") {
            Some((name, text)) => parse(name, text),
            None => Ok(Catalogue::default()),
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> Result<T, RulesError> {
    serde_json::from_str(text).map_err(|source| RulesError::Table { file: name.to_owned(), source })
}
