//! Findings for people: by file and resource, each with its fact and cure in a few lines and the value in its source.

use std::collections::HashMap;
use std::io::{self, Write};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use serde_json::Value as Json;
use walguard_engine::{Catalogue, Check, Finding, PathSegment, Severity, field, formula, keys, value_at};
use walguard_manifest::{Document, Location, Source};

use crate::excerpt::Excerpt;
use crate::fold::{Folded, fold};
use crate::skipped::{self, Skipped};
use crate::{
    Beside, Located, Place, Report, Style, Summary, by_severity, counted, indent, judged, one_line, paint, width, wrap,
};

/// Columns of the frame before a note, without its name and the digits of the line number.
const FRAME_COLUMNS: usize = 3;

pub(super) fn write(report: &Report, catalogue: &Catalogue, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let width = width();
    let renderer = Renderer::styled().term_width(width).decor_style(DecorStyle::Ascii);
    for (title, findings) in resources(report, style) {
        heading(&title, &findings, out)?;
        for folded in findings {
            headline(folded.first, width, out)?;
            let framed = renderer.render(&[group(report, &folded, catalogue, width, style)]);
            writeln!(out, "{}\n", without_bare_lines(&framed, is_whole_line(folded.first)))?;
        }
    }
    if !style.quiet {
        summarise(report, style, out)?;
        remark(report, style, out)?;
    }
    Ok(())
}

/// The findings that are shown, each cause once, by the file and the resource they are about, in the order in which those were read; of
/// each the worst first.
fn resources(report: &Report, style: Style) -> Vec<(Title, Vec<Folded<'_>>)> {
    let mut resources: Vec<(Title, Vec<Folded<'_>>)> = Vec::new();
    let mut positions: HashMap<Title, usize> = HashMap::new();
    for folded in fold(&style.shown(report)) {
        let title = Title::of(folded.first);
        let position = *positions.entry(title.clone()).or_insert(resources.len());
        if position == resources.len() {
            resources.push((title, Vec::new()));
        }
        resources[position].1.push(folded);
    }
    for (_, findings) in &mut resources {
        findings.sort_by_key(|folded| std::cmp::Reverse(folded.first.finding.severity));
    }
    resources
}

/// What findings stand together under: the file, and the resource in it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Title {
    /// None of a live cluster.
    file: Option<String>,
    resource: String,
}

impl Title {
    fn of(found: &Located) -> Self {
        let resource = &found.finding.resource;
        let name = match resource.namespace.as_str() {
            "" => resource.name.clone(),
            namespace => format!("{namespace}/{}", resource.name),
        };
        let file = match &found.place {
            Place::Document { source, .. } => Some(source.name.clone()),
            Place::Object(_) => None,
        };
        Self { file, resource: one_line(&format!("{} {name}", resource.kind)) }
    }
}

fn heading(title: &Title, findings: &[Folded<'_>], out: &mut dyn Write) -> io::Result<()> {
    let (bold, dim) = (paint::BOLD, paint::DIM);
    let mut summary = Summary::default();
    findings.iter().for_each(|folded| summary.count(&folded.first.finding));
    let counts: Vec<String> = by_severity(&summary).map(|(_, text)| text).collect();
    let file = title.file.as_ref().map(|file| format!("{file}  ")).unwrap_or_default();
    writeln!(out, "{bold}{file}{}{bold:#}  {dim}{}{dim:#}", title.resource, counts.join(", "))
}

/// `error[wal/init_zero]: the fact, and what to do about it`.
fn headline(found: &Located, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let finding = &found.finding;
    let painted = paint::severity(finding.severity);
    let head = format!("{}[{}]", finding.severity.as_str(), finding.check);
    let text = wrap(&format!("{head}: {}", finding.message), width.saturating_sub(2), "  ");
    let text = text.trim();
    match text.strip_prefix(&head) {
        Some(rest) => writeln!(out, "{painted}{head}{painted:#}{rest}"),
        None => writeln!(out, "{text}"),
    }
}

fn group<'a>(
    report: &'a Report,
    folded: &Folded<'a>,
    catalogue: &'a Catalogue,
    width: usize,
    style: Style,
) -> Group<'a> {
    let found = folded.first;
    let explain = style.explain;
    let finding = &found.finding;
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let digits = match &found.place {
        Place::Document { location, .. } => location.line.to_string().len(),
        Place::Object(_) => 1,
    };
    let width = width.saturating_sub(FRAME_COLUMNS + digits);
    let named = |name: &'static str, text: &str| {
        Element::from(Level::HELP.with_name(name).message(wrapped(text, width.saturating_sub(name.len() + 2))))
    };

    let mut group = Group::with_level(level);
    match &found.place {
        Place::Document { index, source, location } => {
            group = group.element(excerpt(source, location));
            for beside in &found.related {
                group = group.element(mentioned(beside, source));
            }
            if let Some(reading) = misread(&report.documents[*index], finding, location) {
                group = group.element(named("note", &reading));
            }
        }
        Place::Object(_) => {
            group =
                group.element(Origin::path(format!("{} {}", found.place.name(), finding.field()).trim_end().to_owned()))
        }
    }
    let fix: Vec<String> = finding.fix.iter().filter_map(describe).collect();
    if !finding.remediation.is_empty() && (explain || fix.is_empty() && !advises(&finding.message)) {
        group = group.element(named("help", &finding.remediation));
    }
    if !fix.is_empty() {
        group = group.element(named("fix", &fix.join("; ")));
    }
    if let Some(elsewhere) = folded.elsewhere(style.verbose) {
        group = group.element(named("also", &elsewhere));
    }
    if explain {
        if let Some(check) = catalogue.checks.get(&finding.check) {
            group = group.element(named("why", &format!("{}. {}", check.title, check.description)));
            let sums = arithmetic(check, &finding.facts);
            if !sums.is_empty() {
                group = group.element(Element::from(Level::HELP.with_name("arithmetic").message(sums)));
            }
        }
        if !finding.facts.is_empty() {
            group = group.element(Element::from(Level::HELP.with_name("facts").message(table(&finding.facts))));
        }
        if !finding.docs.is_empty() {
            group = group.element(named("see", &finding.docs));
        }
    }
    group
}

/// Without the lines that hold nothing but the frame; and without the mark below a line that is the cause as a whole.
fn without_bare_lines(framed: &str, whole: bool) -> String {
    let bare = |line: &str| {
        let text = anstream::adapter::strip_str(line).to_string();
        // Before another line of the same file stands the mark of a file without its name.
        let rest = if text.trim() == ":::" { Some("") } else { text.trim().strip_prefix('|').map(str::trim) };
        rest.is_some_and(|rest| rest.is_empty() || whole && rest.chars().all(|c| c == '^'))
    };
    framed.lines().filter(|line| !bare(line)).collect::<Vec<_>>().join("\n")
}

/// Whether nothing else than the cause of a finding stands in its line.
fn is_whole_line(found: &Located) -> bool {
    let Place::Document { source, location, .. } = &found.place else { return false };
    let excerpt = Excerpt::new(source, location);
    let (before, _, after) = excerpt.parts();
    !excerpt.cut && before.trim().is_empty() && matches!(after.trim(), "" | ":")
}

/// Whether a message ends with what to do: it has a second sentence.
fn advises(message: &str) -> bool {
    message.match_indices(". ").any(|(at, _)| message[at + 2..].starts_with(|first: char| first.is_uppercase()))
}

/// The line of the source in which a finding's cause stands, with a line under the cause.
fn excerpt<'a>(source: &'a Source, location: &Location) -> Snippet<'a, Annotation<'a>> {
    let excerpt = Excerpt::new(source, location);
    let mut annotation = AnnotationKind::Primary.span(excerpt.before..excerpt.end);
    if excerpt.cut {
        // The frame would name a column of the window.
        annotation = annotation.label(format!("column {}", location.column));
    }
    let snippet = Snippet::source(excerpt.text).path(source.name.as_str());
    snippet.line_start(location.line as usize).annotation(annotation)
}

/// Another line that the finding speaks of, and what it says.
fn mentioned<'a>(beside: &'a Beside, first: &Source) -> Snippet<'a, Annotation<'a>> {
    let excerpt = Excerpt::new(&beside.source, &beside.location);
    let annotation = AnnotationKind::Context.span(excerpt.before..excerpt.end).label(beside.message.as_str());
    let snippet = Snippet::source(excerpt.text).line_start(beside.location.line as usize).annotation(annotation);
    if beside.source.name == first.name { snippet } else { snippet.path(beside.source.name.as_str()) }
}

/// Says so where YAML reads something else than is written: `off` without quotes is a boolean.
pub(super) fn misread(document: &Document, finding: &Finding, location: &Location) -> Option<String> {
    if !location.exact {
        return None;
    }
    let path = &finding.path;
    let written = document.scalar(path)?;
    let value = value_at(&document.value, path)?;
    let text = value.to_string();
    let differs = written.plain && !value.is_string() && !value.is_null() && text != written.text;
    differs.then(|| format!("without quotes, YAML reads {} as {}", written.text, text))
}

fn wrapped(text: &str, width: usize) -> String {
    wrap(text, width, "").trim_end().to_owned()
}

/// A JSON Patch operation in words.
pub(super) fn describe(operation: &Json) -> Option<String> {
    let text = |key: &str| operation.get(key)?.as_str();
    let path = segments(text("path")?);
    let shown = field(&path);
    match text("op")? {
        "replace" => Some(format!("set {shown} to {}", operation.get("value")?)),
        "add" => Some(format!("add {shown}: {}", operation.get("value")?)),
        "remove" => Some(format!("remove {shown}")),
        "move" => {
            let from = segments(text("from")?);
            let ((name, parent), (_, own)) = (path.split_last()?, from.split_last()?);
            Some(match parent == own {
                true => format!("rename {} to {name}", field(&from)),
                false => format!("move {} to {shown}", field(&from)),
            })
        }
        _ => None,
    }
}

/// A JSON Pointer as a path; a number is taken for an index.
fn segments(pointer: &str) -> Vec<PathSegment> {
    keys(pointer).map(|key| key.parse().map_or(PathSegment::Key(key), PathSegment::Index)).collect()
}

/// How the facts follow from one another, each formula by name and below it with its amounts.
pub(super) fn arithmetic(check: &Check, facts: &serde_json::Map<String, Json>) -> String {
    let sums = check.formulas.iter().filter_map(|formula| {
        let filled = formula::filled(formula, facts)?;
        Some(format!("{}\n    {filled}", formula::in_words(formula)))
    });
    sums.collect::<Vec<_>>().join("\n")
}

/// Facts, one a line, their values under one another.
pub(super) fn table(facts: &serde_json::Map<String, Json>) -> String {
    let width = facts.keys().map(String::len).max().unwrap_or_default();
    let line = |(name, value): (&String, &Json)| match value.as_str() {
        Some(text) => format!("{name:width$}  {text}"),
        None => format!("{name:width$}  {value}"),
    };
    indent(&facts.iter().map(line).collect::<Vec<_>>().join("\n"), "").trim_end().to_owned()
}

pub(super) fn summarise(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Summary { documents, clusters, failed, .. } = report.summary;
    let live = report.objects.is_some();
    match (documents + failed, live) {
        (0, true) => return writeln!(out, "Nothing to check: there is no PostgreSQL cluster"),
        (0, false) => return writeln!(out, "Nothing to lint: there is no manifest"),
        _ => {}
    }
    let mut found = Vec::new();
    let hidden = if style.info { 0 } else { report.summary.info };
    for (severity, text) in by_severity(&Summary { info: report.summary.info - hidden, ..report.summary }) {
        let style = paint::severity(severity);
        found.push(format!("{style}{text}{style:#}"));
    }
    let found = match (found.is_empty(), hidden) {
        (false, _) => found.join(", "),
        (true, 0) => "No findings".to_owned(),
        (true, _) => "No problems".to_owned(),
    };
    // Silence about what nobody read is not praise.
    let found = if report.partial { format!("{found} in what was read,") } else { format!("{found} in") };
    write!(out, "{found} {}", judged(report))?;
    match clusters {
        0 => write!(out, " (no PostgreSQL cluster among them)")?,
        _ => write!(out, " ({})", counted(clusters, "PostgreSQL cluster", "PostgreSQL clusters"))?,
    }
    if hidden > 0 {
        write!(out, "; {hidden} info hidden, --info shows {}", if hidden == 1 { "it" } else { "them" })?;
    }
    for uncounted in report.summary.uncounted() {
        write!(out, "; {uncounted}")?;
    }
    if failed > 0 {
        let style = paint::severity(Severity::Error);
        write!(
            out,
            "; {style}{} could not be read or checked{style:#}",
            if live {
                counted(failed, "kind or object", "kinds or objects")
            } else {
                counted(failed, "input", "inputs")
            }
        )?;
    }
    writeln!(out)
}

/// What was unknown, what was skipped, and where more is said.
fn remark(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let dim = paint::DIM;
    if let Some(worst) = report.findings.iter().find(|found| style.shows(&found.finding)).filter(|_| !style.explain) {
        writeln!(out, "{dim}Why, with numbers and sources: walguard checks explain {}{dim:#}", worst.finding.check)?;
    }
    for note in &report.notes {
        write!(out, "{}", wrap(&format!("Note: {note}"), width(), ""))?;
    }
    if let Some(skipped) = skipped::summary(&report.skipped) {
        let more = if style.verbose { "" } else { "; -v lists them" };
        write!(out, "{}", wrap(&format!("{skipped}{more}"), width(), ""))?;
    }
    if style.verbose {
        for Skipped { reason, path } in &report.skipped {
            writeln!(out, "  {path} {dim}{}{dim:#}", reason.described())?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use walguard_manifest as manifest;

    const WIDTH: usize = 80;

    /// A finding at `spec.parameters.wal_init_zero` of a manifest, as people see it without colours.
    fn shown(manifest: &str, explain: bool) -> String {
        let documents = manifest::read("db.yaml", manifest.as_bytes().to_vec()).documents;
        let finding: Finding = serde_json::from_value(json!({
            "check": "wal/init_zero",
            "severity": "warning",
            "action": "warn",
            "message": "CloudNativePG shop/orders zero-fills its segments: 16 MiB each, and that at 100 MB/s takes 160 ms in which no commit returns",
            "remediation": "Set wal_init_zero to off.",
            "docs": "https://example.com/init_zero",
            "resource": {"apiVersion": "v1", "kind": "x", "namespace": "", "name": "y"},
            "path": ["spec", "parameters", "wal_init_zero"],
            "facts": {"stall_milliseconds": 160, "segment_bytes": 16_777_216, "throughput_bytes_per_second": 104_857_600, "filesystem": "xfs"},
            "fix": [
                {"op": "replace", "path": "/spec/parameters/wal_init_zero", "value": "off"},
                {"op": "add", "path": "/metadata/annotations/a~1b", "value": 1},
                {"op": "remove", "path": "/spec/x"},
            ],
        }))
        .unwrap();
        let catalogue: Catalogue = serde_json::from_value(json!({
            "checks": {"wal/init_zero": {
                "title": "New segments stall commits", "description": "First line\nof a paragraph.\n\nSecond:\n- one\n- two",
                "severity": "warning", "since": "0.1.0", "remediation": "",
                "formulas": [
                    "stall_milliseconds == floor((segment_bytes * 1000) / throughput_bytes_per_second)",
                    "stall_milliseconds > limit_milliseconds",
                ],
            }},
            "kinds": [],
        }))
        .unwrap();
        let location = documents[0].locate(&finding.path);
        let source = std::sync::Arc::clone(&documents[0].source);
        let found = Located::new(finding, Place::Document { index: 0, source, location });
        let report = Report::new(documents, None, Vec::new(), Vec::new(), Summary::default());
        let folded = Folded { first: &found, others: Vec::new() };
        let style =
            Style { color: crate::Color::Never, explain, quiet: false, verbose: false, info: true, statistics: false };
        let mut text = Vec::new();
        headline(&found, WIDTH, &mut text).unwrap();
        let text = anstream::adapter::strip_str(std::str::from_utf8(&text).unwrap()).to_string();
        let framed = Renderer::plain().term_width(WIDTH).render(&[group(&report, &folded, &catalogue, WIDTH, style)]);
        text + &without_bare_lines(&framed, is_whole_line(folded.first))
    }

    #[test]
    fn operations_are_said_in_words() {
        for (operation, words) in [
            (json!({"op": "replace", "path": "/spec/a", "value": "on"}), "set spec.a to \"on\""),
            (json!({"op": "add", "path": "/spec/l/0/a~1b", "value": 1}), "add spec.l[0][\"a/b\"]: 1"),
            (json!({"op": "remove", "path": "/spec/a"}), "remove spec.a"),
            (json!({"op": "move", "from": "/spec/a", "path": "/spec/b"}), "rename spec.a to b"),
            (json!({"op": "move", "from": "/spec/a", "path": "/spec/p/a"}), "move spec.a to spec.p.a"),
        ] {
            assert_eq!(describe(&operation).as_deref(), Some(words));
        }
    }

    #[test]
    fn the_value_the_reason_the_cure() {
        insta::assert_snapshot!(shown("# Größe\nspec:\n  parameters: {max: 1, wal_init_zero: on} # 🐘\n", false));
    }

    #[test]
    fn numbers_and_background_on_request() {
        insta::assert_snapshot!(shown("spec:\n  parameters:\n    wal_init_zero: \"on\"\n", true));
    }

    #[test]
    fn what_is_not_written_is_shown_at_its_parent() {
        insta::assert_snapshot!(shown("spec:\n  parameters:\n    max: 1\n", false));
    }

    #[test]
    fn of_a_long_line_a_part_is_shown() {
        let filler = "x".repeat(1 << 20);
        let text = shown(
            &format!("{{\"{filler}\": 1, \"spec\": {{\"parameters\": {{\"wal_init_zero\": \"{filler}\"}}}}}}"),
            false,
        );
        assert!(text.len() < 4000, "{}", text.len());
        assert!(text.contains("column 1048626") && text.contains("^^^"), "{text}");
    }

    #[test]
    fn of_a_text_of_several_lines_the_first_is_marked() {
        let text = shown("spec:\n  parameters:\n    wal_init_zero: |\n      on\n      off\n", false);
        assert!(text.contains("3 |     wal_init_zero: |\n  |                    ^\n"), "{text}");
    }
}
