//! Where rules come from: embedded, or a directory a host read.

use std::borrow::Cow;
use std::collections::HashSet;

use regorus::Value;

use crate::{Catalogue, link};

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
    /// The modules linked, where the build did it.
    linked: Option<&'static str>,
}

impl Rules {
    /// The rules this binary was built with.
    #[must_use]
    pub fn embedded() -> Self {
        let files = embedded::SOURCES.iter().chain(embedded::TABLES);
        let files = files.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Self { files, linked: Some(embedded::LINKED) }
    }

    /// The same, with nothing but what a judgement needs: no modules to list, no examples. The sources do not become part of
    /// a binary that takes its rules from here alone.
    #[must_use]
    pub fn embedded_linked() -> Self {
        let files = embedded::TABLES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Self { files, linked: Some(embedded::LINKED) }
    }

    /// Rules from files, each (path below `rules/` with forward slashes, text). Tests, and the generated Rego twin of a
    /// table whose JSON is there, are left out.
    #[must_use]
    pub fn from_files(files: Vec<(String, String)>) -> Self {
        let tables: HashSet<String> =
            files.iter().filter_map(|(name, _)| name.strip_suffix(".json").map(str::to_owned)).collect();
        let files = files
            .into_iter()
            .filter(|(name, _)| match name.strip_suffix(".rego") {
                Some(stem) => !stem.ends_with("_test") && !tables.contains(stem),
                None => name.ends_with(".json") || name.ends_with("/pass.yaml") || name.ends_with("/fail.yaml"),
            })
            .collect();
        Self { files, linked: None }
    }

    /// The Rego modules: path and source.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter(|(name, _)| name.ends_with(".rego")).map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Every word of the rules and their tables: what a name in a resource must be among for a rule to read it by that name.
    /// Keys of the form `a/b` may be put together from two words.
    #[must_use]
    pub fn words(&self) -> HashSet<String> {
        let of_a_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let linked = self.linked();
        let tables = self.files.iter().filter(|(name, _)| name.ends_with(".json") && name != "catalogue.json");
        let mut words = HashSet::new();
        for text in tables.map(|(_, text)| text.as_str()).chain([linked.as_ref()]) {
            for word in text.split(|c| !of_a_word(c)).filter(|word| !word.is_empty()) {
                if !words.contains(word) {
                    words.insert(word.to_owned());
                }
                // `object.status.phase` is three names.
                for part in word.split(['.', '/']).filter(|part| !part.is_empty()) {
                    if !words.contains(part) {
                        words.insert(part.to_owned());
                    }
                }
            }
        }
        words
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

    /// The modules as the one that is evaluated.
    #[must_use]
    pub fn linked(&self) -> Cow<'static, str> {
        match self.linked {
            Some(linked) => Cow::Borrowed(linked),
            None => Cow::Owned(link::link_files(&self.files)),
        }
    }

    /// The tables as one document: `a/b.json` stands at `walguard.a.b`.
    pub(crate) fn data(&self) -> Result<Value, RulesError> {
        let mut root = Value::new_object();
        for (name, text) in &self.files {
            let Some(stem) = name.strip_suffix(".json") else { continue };
            let table: Value = parse(name, text)?;
            place(&mut root, &mut std::iter::once("walguard").chain(stem.split('/')), table)
                .ok_or_else(|| RulesError::Data(format!("{name}: one of its directories is a table already")))?;
        }
        Ok(root)
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

/// Puts a value at a path, making objects on the way; `None` where something else stands there.
fn place(parent: &mut Value, path: &mut dyn Iterator<Item = &str>, value: Value) -> Option<()> {
    let Some(key) = path.next() else {
        *parent = value;
        return Some(());
    };
    let fields = parent.as_object_mut().ok()?;
    let key = Value::from(key);
    if !fields.contains_key(&key) {
        fields.insert(key.clone(), Value::new_object());
    }
    place(fields.get_mut(&key)?, path, value)
}

fn parse<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> Result<T, RulesError> {
    serde_json::from_str(text).map_err(|source| RulesError::Table { file: name.to_owned(), source })
}
