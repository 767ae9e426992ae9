//! A page for people who read findings elsewhere than in a terminal: one file that fetches nothing and runs no script. Boxes hide
//! severities.

use std::collections::HashMap;
use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};
use walguard_engine::Catalogue;

use crate::excerpt::Excerpt;
use crate::fold::{Folded, fold};
use crate::skipped;
use crate::{Located, Place, Report, by_severity, counted, human, judged};

const STYLE: &str = include_str!("html.css");

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
                        }
                    }
                }
                main {
                    @if !report.failures.is_empty() {
                        section {
                            h2 { "Not read or not judged" }
                            @for failure in &report.failures { p.failure { (failure.to_string()) } }
                        }
                    }
                    @for (name, list) in &places {
                        section {
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
            }
        }
    };
    writeln!(out, "{}", page.into_string())
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
