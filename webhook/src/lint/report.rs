//! What a run found, before it is printed.

use walguard_engine::{Finding, Severity};

use crate::manifest::{Document, Location, ReadError};

/// What a run found.
#[derive(Debug)]
pub struct Report {
    pub documents: Vec<Document>,
    /// Worst first; each fault once.
    pub findings: Vec<Located>,
    /// Input that could not be read or judged.
    pub failures: Vec<Failure>,
    pub summary: Summary,
}

impl Report {
    /// The document that a finding is about.
    #[must_use]
    pub fn document(&self, found: &Located) -> &Document {
        &self.documents[found.document]
    }

    /// The file of a finding.
    #[must_use]
    pub fn file(&self, found: &Located) -> &str {
        &self.document(found).source.name
    }
}

/// A finding and where its cause is written.
#[derive(Debug)]
pub struct Located {
    pub finding: Finding,
    /// Index into [`Report::documents`].
    pub document: usize,
    pub location: Location,
}

/// Input that could not be read, or a resource that could not be judged.
#[derive(Debug)]
pub struct Failure {
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
    /// Failures.
    pub failed: usize,
}

impl Summary {
    pub(super) fn count(&mut self, finding: &Finding) {
        match finding.severity {
            _ if !finding.counts() => self.waived += 1,
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Info => self.info += 1,
        }
    }
}
