//! Helm charts, rendered where a run is asked to. A finding is shown at the line of the template or of the values that it comes from,
//! where that can be seen from the text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use walguard_manifest::{self as manifest, Document, Location, Source};

use crate::program;

/// What `helm template` writes above each document.
const SOURCE: &str = "# Source: ";

/// A template, rendered.
#[derive(Debug)]
pub struct Template {
    pub documents: Vec<Document>,
    /// The template and the values of its chart, as they are written.
    pub written: Vec<Arc<Source>>,
}

/// Renders a chart.
///
/// # Errors
/// What helm complains of, or what of its output cannot be read.
pub fn render(chart: &Path) -> Result<Vec<Template>, String> {
    if !program::is_here("helm") {
        return Err("helm is not installed".to_owned());
    }
    let chart = if chart.as_os_str().is_empty() { Path::new(".") } else { chart };
    let path = chart.to_string_lossy();
    // A path that begins with a dash is no option.
    let output = program::output("helm", &["template", "release", "--", &path])?;
    let text = String::from_utf8_lossy(&output).into_owned();
    let mut templates: Vec<Template> = Vec::new();
    for (source, text) in split(&text) {
        // The name begins with the name of the chart.
        let file: PathBuf = chart.join(source.split_once('/').map_or(source, |(_, rest)| rest));
        let shown = crate::walk::tidy(&file).display().to_string();
        let reading = manifest::read(shown, text.into_bytes());
        if let Some(error) = reading.errors.first() {
            return Err(error.to_string());
        }
        let written = [file, chart.join("values.yaml")]
            .into_iter()
            .filter_map(|file| {
                let text = std::fs::read_to_string(&file).ok()?;
                Some(Arc::new(Source::new(crate::walk::tidy(&file).display().to_string(), text)))
            })
            .collect();
        templates.push(Template { documents: reading.documents, written });
    }
    Ok(templates)
}

/// The documents of each template, by the comments that name it.
fn split(text: &str) -> Vec<(&str, String)> {
    let mut parts: Vec<(&str, String)> = Vec::new();
    for document in text.split("\n---") {
        let document = document.strip_prefix("---").unwrap_or(document);
        let Some(source) = document.lines().find_map(|line| line.strip_prefix(SOURCE)) else { continue };
        match parts.last_mut() {
            Some((last, text)) if *last == source => {
                text.push_str("\n---");
                text.push_str(document);
            }
            _ => parts.push((source, document.to_owned())),
        }
    }
    parts
}

/// Where a place of a rendered text was written: on the one line of the template or the values that says the same, else on the one
/// line of the template with the same key, else at the beginning of the template.
pub fn origin(rendered: &Source, location: &Location, written: &[Arc<Source>]) -> Option<(Arc<Source>, Location)> {
    let line = rendered.line(location.line).trim();
    let key = line.split_once(':').map_or(line, |(key, _)| key);
    let whole = written.iter().find_map(|source| Some((source, only(source, |other| other == line)?)));
    let start = || {
        written.iter().find_map(|source| {
            Some((source, only(source, |other| other.split_once(':').is_some_and(|(other, _)| other == key))?))
        })
    };
    let (source, line) = whole.or_else(start).or_else(|| Some((written.first()?, 1)))?;
    Some((Arc::clone(source), source.locate_line(line, false)))
}

/// The only line of a text that is like this.
fn only(source: &Source, like: impl Fn(&str) -> bool) -> Option<u32> {
    let mut lines = (1..).zip(source.text.lines()).filter(|(_, line)| like(line.trim()));
    let (first, _) = lines.next()?;
    lines.next().is_none().then_some(first)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn documents_keep_the_name_of_their_template() {
        let text = "---\n# Source: c/templates/a.yaml\na: 1\n---\n# Source: c/templates/a.yaml\na: 2\n---\n# Source: c/charts/d/templates/b.yaml\nb: 1\n";
        let parts = split(text);
        assert_eq!(
            parts.iter().map(|(source, _)| *source).collect::<Vec<_>>(),
            ["c/templates/a.yaml", "c/charts/d/templates/b.yaml"]
        );
        assert_eq!(manifest::read("a", parts[0].1.clone().into_bytes()).documents.len(), 2);
    }

    #[test]
    fn a_place_is_found_where_it_was_written() {
        let source = |name: &str, text: &str| Arc::new(Source::new(name.to_owned(), text.to_owned()));
        let rendered = Source::new("r".to_owned(), "spec:\n  size: 1Gi\n  fsync: \"off\"\n  other: 1\n".to_owned());
        let template = source("t", "spec:\n  size: {{ .Values.size }}\n  {{- toYaml .Values.p }}\n");
        let values = source("v", "size: 2Gi\np:\n  fsync: \"off\"\n");
        let at = |line: u32| {
            let location = rendered.locate_line(line, true);
            let (source, location) =
                origin(&rendered, &location, &[Arc::clone(&template), Arc::clone(&values)]).unwrap();
            (source.name.clone(), location.line)
        };
        assert_eq!(at(3), ("v".to_owned(), 3));
        assert_eq!(at(2), ("t".to_owned(), 2));
        assert_eq!(at(4), ("t".to_owned(), 1));
    }
}
