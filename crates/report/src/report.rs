//! What a run found, before it is printed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use walguard_engine::{Finding, ResourceRef, Severity};
use walguard_manifest::{Document, Location, ReadError, Source};

use crate::pictures::Picture;
use crate::skipped::Skipped;

/// What a run found.
#[derive(Debug)]
pub struct Report {
    /// What was read from files.
    pub documents: Vec<Document>,
    /// What was judged of a live cluster; `None` when it was files that were judged.
    pub objects: Option<Vec<ResourceRef>>,
    /// Worst first; each fault once.
    pub findings: Vec<Located>,
    /// Input that could not be read or judged.
    pub failures: Vec<Failure>,
    /// What was found and not read as what it seems to be.
    pub skipped: Vec<Skipped>,
    /// What a reader has to know of the run: what was unknown, and why.
    pub notes: Vec<String>,
    /// There are clusters in what was not read.
    pub partial: bool,
    pub summary: Summary,
    /// What the fixes would change in their files, by the number of the finding; where a format wants it.
    pub edits: BTreeMap<usize, TextEdit>,
    /// Clusters, where they stand, and what they look like; where a format draws them.
    pub pictures: Vec<(ResourceRef, Place, Picture)>,
}

/// Other text in the place of some bytes of a file.
#[derive(Debug)]
pub struct TextEdit {
    pub source: Arc<Source>,
    pub bytes: Range<usize>,
    pub text: String,
}

impl Report {
    /// What was found, counted. Of `summary` the documents and clusters are taken over.
    #[must_use]
    pub fn new(
        documents: Vec<Document>,
        objects: Option<Vec<ResourceRef>>,
        findings: Vec<Located>,
        failures: Vec<Failure>,
        summary: Summary,
    ) -> Self {
        let Summary { documents: read, clusters, .. } = summary;
        let mut summary = Summary { documents: read, clusters, failed: failures.len(), ..Summary::default() };
        findings.iter().for_each(|found| summary.count(&found.finding));
        Self {
            documents,
            objects,
            findings,
            failures,
            skipped: Vec::new(),
            notes: Vec::new(),
            partial: false,
            summary,
            edits: BTreeMap::new(),
            pictures: Vec::new(),
        }
    }

    /// With what was skipped, and what there is to know.
    #[must_use]
    pub fn with(self, skipped: Vec<Skipped>, notes: Vec<String>) -> Self {
        Self { skipped, notes, ..self }
    }

    /// With what clusters look like.
    #[must_use]
    pub fn drawn(self, pictures: Vec<(ResourceRef, Place, Picture)>) -> Self {
        Self { pictures, ..self }
    }

    /// With the knowledge that there are clusters in what was not read.
    #[must_use]
    pub fn partly(self, partial: bool) -> Self {
        Self { partial, ..self }
    }
}

/// A finding and where its cause is.
#[derive(Debug)]
pub struct Located {
    pub finding: Finding,
    pub place: Place,
    /// The other places that it speaks of, as far as they are written somewhere.
    pub related: Vec<Beside>,
}

/// A place that a finding speaks of, besides its own.
#[derive(Debug)]
pub struct Beside {
    pub source: Arc<Source>,
    pub location: Location,
    /// What stands there, in a few words.
    pub message: String,
}

impl Located {
    /// A finding that speaks of no other place.
    #[must_use]
    pub const fn new(finding: Finding, place: Place) -> Self {
        Self { finding, place, related: Vec::new() }
    }
}

/// Where the cause of a finding is.
#[derive(Clone, Debug)]
pub enum Place {
    /// Written in a document.
    Document {
        /// Index into [`Report::documents`].
        index: usize,
        /// The file that the location is in: that of the document, or one that was packed into it.
        source: Arc<Source>,
        location: Location,
    },
    /// In an object of a live cluster, which has no lines.
    Object(ResourceRef),
}

impl Place {
    /// The name of the file, or of the object.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Document { source, .. } => source.name.clone(),
            Self::Object(object) => name(object),
        }
    }

    /// What findings of the same order are put in order by: the document, and the line in it.
    #[must_use]
    pub const fn order(&self) -> (usize, u32) {
        match self {
            Self::Document { index, location, .. } => (*index, location.line),
            Self::Object(_) => (0, 0),
        }
    }
}

/// `shop/Cluster/orders`, an object of a live cluster.
#[must_use]
pub fn name(object: &ResourceRef) -> String {
    let ResourceRef { namespace, kind, name, .. } = object;
    if namespace.is_empty() { format!("{kind}/{name}") } else { format!("{namespace}/{kind}/{name}") }
}

/// Input that could not be read, or a resource that could not be judged.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The file; of a live cluster the object or the kind.
    pub file: String,
    /// Line and column, from 1, where known.
    pub position: Option<(u32, u32)>,
    pub message: String,
}

impl Failure {
    /// A failure that concerns a whole file.
    #[must_use]
    pub fn new(file: String, message: String) -> Self {
        Self { file, position: None, message }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        let message = format!("{}{hint}", error.message);
        Self { file: error.file, position: Some((error.line, error.column)), message }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Numbers of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Documents read, of every kind.
    pub documents: usize,
    /// PostgreSQL clusters among them.
    pub clusters: usize,
    pub error: usize,
    pub warning: usize,
    pub info: usize,
    /// Findings that a waiver covers; they are in none of the three above.
    pub waived: usize,
    /// Findings that a comment in the manifest covers; likewise.
    pub ignored: usize,
    /// Failures.
    pub failed: usize,
}

impl Summary {
    /// `1 finding waived by the configuration`, `2 findings ignored by comments`, as far as there are some.
    pub(crate) fn uncounted(&self) -> Vec<String> {
        let counted =
            |count, what: &str| crate::counted(count, &format!("finding {what}"), &format!("findings {what}"));
        let all = [(self.waived, "waived by the configuration"), (self.ignored, "ignored by comments")];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)).collect()
    }

    /// How many findings of a severity count.
    pub(crate) const fn of(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Info => self.info,
        }
    }

    pub(crate) fn count(&mut self, finding: &Finding) {
        match finding.severity {
            _ if finding.waived.as_ref().is_some_and(|waived| waived.comment.is_some()) => self.ignored += 1,
            _ if !finding.counts() => self.waived += 1,
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Info => self.info += 1,
        }
    }
}
