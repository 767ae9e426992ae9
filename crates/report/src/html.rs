//! A page for people who read findings elsewhere than in a terminal: one file that fetches nothing. A table counts the findings of each
//! object, boxes hide severities, and a search hides what does not match; only the search needs a script, which shows it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};
use walguard_engine::{Catalogue, ResourceRef, Severity};

use crate::excerpt::Excerpt;
use crate::fold::{Folded, fold};
use crate::skipped;
use crate::{Located, Place, Report, Summary, by_severity, counted, human, judged, name};

const STYLE: &str = include_str!("html.css");
const SCRIPT: &str = include_str!("html.js");
/// Whatever a manifest says, a browser loads nothing for it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

pub(super) fn write(report: &Report, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
    let found: Vec<&Located> = report.findings.iter().filter(|found| found.finding.counts()).collect();
    // By file or object, in the order in which the worst finding of each stands.
    let mut places: Vec<(String, Vec<Folded<'_>>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for folded in fold(&found) {
        let name = folded.first.place.name();
        let index = *known.entry(name.clone()).or_insert(places.len());
        if index == places.len() {
            places.push((name, Vec::new()));
        }
        places[index].1.push(folded);
    }
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
                style { (PreEscaped(STYLE)) }
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
                        (overview(&found, &known))
                    }
                }
                main {
                    @if !report.failures.is_empty() {
                        section {
                            h2 { "Not read or not judged" }
                            @for failure in &report.failures { p.failure { (failure.to_string()) } }
                        }
                    }
                    @for (number, (name, list)) in places.iter().enumerate() {
                        section id=(anchor(number)) {
                            h2 { (name) }
                            @for folded in list { (finding(report, folded, catalogue)) }
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

/// Where the section of a file or an object begins.
fn anchor(number: usize) -> String {
    format!("place-{number}")
}

/// How many findings of each severity each object has, the worst first. `places` are the numbers of the sections.
fn overview(found: &[&Located], places: &HashMap<String, usize>) -> Markup {
    let mut objects: Vec<(&ResourceRef, &Located, Summary)> = Vec::new();
    let mut known: HashMap<&ResourceRef, usize> = HashMap::new();
    for &found in found {
        let index = *known.entry(&found.finding.resource).or_insert(objects.len());
        if index == objects.len() {
            objects.push((&found.finding.resource, found, Summary::default()));
        }
        objects[index].2.count(&found.finding);
    }
    objects.sort_by_key(|(.., summary)| Reverse((summary.error, summary.warning, summary.info)));
    let mut all = Summary::default();
    found.iter().for_each(|found| all.count(&found.finding));
    let severities: Vec<Severity> = by_severity(&all).map(|(severity, _)| severity).collect();
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Object" }
                    @for severity in &severities { th.number scope="col" { (severity.as_str()) } }
                }
            }
            tbody {
                @for (resource, first, summary) in &objects {
                    tr {
                        th scope="row" {
                            @match places.get(&first.place.name()) {
                                Some(number) => { a href={ "#" (anchor(*number)) } { (name(resource)) } }
                                None => { (name(resource)) }
                            }
                        }
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

fn finding(report: &Report, folded: &Folded<'_>, catalogue: &Catalogue) -> Markup {
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
            @if !fix.is_empty() { p.fix { "Fix: " code { (fix.join("; ")) } } }
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
