//! A page for people who read findings elsewhere than in a terminal: one file that fetches nothing. A table counts the findings of each
//! object, pictures show its disks and budgets, and a fix is shown before and after. Boxes hide severities, and a search hides what does
//! not match; only the search needs a script, which shows it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};
use similar::{ChangeTag, TextDiff};
use walguard_engine::{Catalogue, ResourceRef, Severity};

use crate::excerpt::Excerpt;
use crate::fold::{Folded, fold};
use crate::skipped;
use crate::{Located, Picture, Place, Report, Summary, TextEdit, by_severity, counted, human, judged, name};

const STYLE: &str = include_str!("html.css");
/// The playground has it, too.
const PICTURES: &str = include_str!("pictures.css");
const SCRIPT: &str = include_str!("html.js");
/// Whatever a manifest says, a browser loads nothing for it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

pub(super) fn write(report: &Report, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
    let found: Vec<&Located> = report.findings.iter().filter(|found| found.finding.counts()).collect();
    let mut places = Places::default();
    for folded in fold(&found) {
        places.at(&folded.first.place).findings.push(folded);
    }
    for (_, place, picture) in &report.pictures {
        places.at(place).pictures.push(picture);
    }
    // By the finding, which the report has in one place.
    let edits: BTreeMap<*const Located, &TextEdit> = report
        .edits
        .iter()
        .filter_map(|(number, edit)| Some((std::ptr::from_ref(report.findings.get(*number)?), edit)))
        .collect();
    let summary = &report.summary;
    let judged = judged(report);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "walguard: " (judged) }
                style { (PreEscaped(STYLE)) (PreEscaped(PICTURES)) }
            }
            body {
                header {
                    h1 { "walguard" }
                    p {
                        (judged) ", " (counted(summary.clusters, "PostgreSQL cluster", "PostgreSQL clusters"))
                        @for uncounted in summary.uncounted() { ", " (uncounted) }
                    }
                    @if found.is_empty() { p.none { "No findings" } } @else {
                        p.filter {
                            @for (severity, text) in by_severity(summary) {
                                label class=(severity.as_str()) {
                                    input id=(severity.as_str()) type="checkbox" checked;
                                    " " (text)
                                }
                            }
                            input id="search" type="search" placeholder="Search" aria-label="Search" hidden;
                        }
                    }
                    (overview(&found, &report.pictures, &places))
                }
                main {
                    @if !report.failures.is_empty() {
                        section {
                            h2 { "Not read or not judged" }
                            @for failure in &report.failures { p.failure { (failure.to_string()) } }
                        }
                    }
                    @for (number, part) in places.all.iter().enumerate() {
                        section.place id=(anchor(number)) {
                            h2 { (part.name) }
                            @for picture in &part.pictures { (picture.draw()) }
                            @for folded in &part.findings {
                                (finding(report, folded, edits.get(&std::ptr::from_ref(folded.first)).copied(), catalogue))
                            }
                        }
                    }
                    @let skipped = skipped::summary(&report.skipped);
                    @if !report.notes.is_empty() || skipped.is_some() {
                        section {
                            h2 { "Not read or unknown" }
                            @for note in report.notes.iter().chain(&skipped) { p { (note) } }
                        }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    writeln!(out, "{}", page.into_string())
}

/// A section of the page: a file, or an object of a live cluster.
struct Part<'r> {
    name: String,
    pictures: Vec<&'r Picture>,
    findings: Vec<Folded<'r>>,
}

/// The sections, in the order in which the worst finding of each stands; those without any come last.
#[derive(Default)]
struct Places<'r> {
    all: Vec<Part<'r>>,
    known: HashMap<String, usize>,
}

impl<'r> Places<'r> {
    fn at(&mut self, place: &Place) -> &mut Part<'r> {
        let name = place.name();
        let index = *self.known.entry(name.clone()).or_insert(self.all.len());
        if index == self.all.len() {
            self.all.push(Part { name, pictures: Vec::new(), findings: Vec::new() });
        }
        &mut self.all[index]
    }
}

/// Where the section of a file or an object begins.
fn anchor(number: usize) -> String {
    format!("place-{number}")
}

/// How many findings of each severity each object has, the worst first; clusters without any come last.
fn overview(found: &[&Located], pictures: &[(ResourceRef, Place, Picture)], places: &Places<'_>) -> Markup {
    let mut objects: Vec<(&ResourceRef, &Place, Summary)> = Vec::new();
    let mut known: HashMap<(&ResourceRef, String), usize> = HashMap::new();
    let with_finding = found.iter().map(|found| (&found.finding.resource, &found.place, Some(&found.finding)));
    let drawn = pictures.iter().map(|(resource, place, _)| (resource, place, None));
    for (resource, place, finding) in with_finding.chain(drawn) {
        let index = *known.entry((resource, place.name())).or_insert(objects.len());
        if index == objects.len() {
            objects.push((resource, place, Summary::default()));
        }
        if let Some(finding) = finding {
            objects[index].2.count(finding);
        }
    }
    objects.sort_by_key(|(.., summary)| Reverse((summary.error, summary.warning, summary.info)));
    let mut all = Summary::default();
    found.iter().for_each(|found| all.count(&found.finding));
    let severities: Vec<Severity> = by_severity(&all).map(|(severity, _)| severity).collect();
    html! {
        @if !objects.is_empty() {
            table {
                thead {
                    tr {
                        th scope="col" { "Object" }
                        th.in scope="col" { "In" }
                        @for severity in &severities { th.number scope="col" { (severity.as_str()) } }
                    }
                }
                tbody {
                    @for (resource, place, summary) in &objects {
                        tr {
                            th scope="row" {
                                @match places.known.get(&place.name()) {
                                    Some(number) => { a href={ "#" (anchor(*number)) } { (name(resource)) } }
                                    None => { (name(resource)) }
                                }
                            }
                            td.in { @if let Place::Document { source, .. } = place { (source.name) } }
                            @for severity in &severities {
                                @let count = summary.of(*severity);
                                td.number.(severity.as_str()) { @if count > 0 { (count) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn finding(report: &Report, folded: &Folded<'_>, edit: Option<&TextEdit>, catalogue: &Catalogue) -> Markup {
    let found = folded.first;
    let finding = &found.finding;
    let check = catalogue.checks.get(&finding.check);
    let title = check.map_or(finding.check.as_str(), |check| check.title.as_str());
    let fix: Vec<String> = finding.fix.iter().filter_map(human::describe).collect();
    html! {
        article class=(finding.severity.as_str()) {
            h3 { (title) }
            p.check {
                span.severity { (finding.severity.as_str()) } " "
                @if finding.docs.is_empty() { (finding.check) } @else { a href=(finding.docs) { (finding.check) } }
                " " span.place { (place(found)) }
            }
            @if let Place::Document { index, source, location } = &found.place {
                @let excerpt = Excerpt::new(source, location);
                @let (before, cause, after) = excerpt.parts();
                pre {
                    span.line { (location.line) }
                    @if excerpt.cut { "…" }
                    (before) mark { (cause) } (after)
                }
                @if let Some(reading) = human::misread(&report.documents[*index], finding, location) { p { (reading) } }
            }
            p.message { (finding.message) }
            @if !finding.remediation.is_empty() { p.remedy { (paragraphs(&finding.remediation)) } }
            @match edit {
                Some(edit) => { (change(edit)) }
                None => @if !fix.is_empty() { p.fix { "Fix: " code { (fix.join("; ")) } } }
            }
            @if let Some(elsewhere) = folded.elsewhere(true) {
                details {
                    summary { "Also in " (counted(folded.others.len(), "other place", "other places")) }
                    p { (elsewhere) }
                }
            }
            @if let Some(check) = check {
                details {
                    summary { "Why" }
                    @for paragraph in check.description.trim().split("\n\n") { p { (paragraphs(paragraph)) } }
                    @let sums = human::arithmetic(check, &finding.facts);
                    @if !sums.is_empty() { pre { (sums) } }
                    @if !finding.facts.is_empty() { pre { (human::table(&finding.facts)) } }
                }
            }
        }
    }
}

/// What a fix changes in its file, before and after.
fn change(edit: &TextEdit) -> Markup {
    let before = edit.source.text.as_str();
    let parts = [before.get(..edit.bytes.start), Some(edit.text.as_str()), before.get(edit.bytes.end..)];
    let after = parts.into_iter().flatten().collect::<String>();
    let diff = TextDiff::from_lines(before, &after);
    html! {
        p.fix { "Fix" }
        pre.diff {
            @for (number, group) in diff.grouped_ops(2).iter().enumerate() {
                @if number > 0 { span.line { "⋯" } }
                @for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                    @let (class, sign) = match change.tag() {
                        ChangeTag::Delete => ("removed", "−"),
                        ChangeTag::Insert => ("added", "+"),
                        ChangeTag::Equal => ("kept", " "),
                    };
                    @let line = change.old_index().or_else(|| change.new_index()).map_or(0, |index| index + 1);
                    span.(class) { span.line { (format!("{line:>4}")) } (sign) " " (change.value().trim_end_matches(['\r', '\n'])) }
                }
            }
        }
    }
}

fn place(found: &Located) -> String {
    let field = found.finding.field();
    match &found.place {
        Place::Document { location, .. } => format!("line {}, column {} · {field}", location.line, location.column),
        Place::Object(_) => field,
    }
}

/// Text with what stands between backticks as code.
fn paragraphs(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}
