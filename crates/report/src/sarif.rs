//! SARIF 2.1.0, for code scanning.

use std::io::{self, Write};

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Invocation, Location, LogicalLocation, Message,
    MultiformatMessageString, Notification, PhysicalLocation, Region, Replacement, ReportingConfiguration,
    ReportingDescriptor, Result as SarifResult, ResultLevel, Run, SCHEMA_URL, Sarif, Suppression, Tool, ToolComponent,
};
use walguard_engine::{Catalogue, Check, Severity, Waived};
use walguard_manifest::{self as manifest, Source};

use crate::{Beside, Failure, Located, Place, Report, TextEdit, proposal};

pub(super) fn write(report: &Report, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<ReportingDescriptor> =
        catalogue.checks.iter().map(|(id, check)| rule(id, check, catalogue.docs(id))).collect();
    let mut driver =
        ToolComponent::builder().name("walguard").semantic_version(env!("CARGO_PKG_VERSION")).rules(rules).build();
    driver.information_uri = Some(walguard_engine::REPOSITORY.to_owned()).filter(|uri| !uri.is_empty());
    let live = report.objects.is_some();
    let notifications: Vec<Notification> = report.failures.iter().map(|failure| notification(failure, live)).collect();
    let invocation = Invocation::builder()
        .execution_successful(report.failures.is_empty())
        .tool_execution_notifications(notifications)
        .build();
    let results = report.findings.iter().enumerate();
    let results: Vec<SarifResult> =
        results.map(|(number, found)| result(found, report.edits.get(&number), catalogue)).collect();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .column_kind(json!("unicodeCodePoints"))
        .invocations(vec![invocation])
        .results(results)
        .build();
    let sarif = Sarif::builder().schema(SCHEMA_URL).version(json!("2.1.0")).runs(vec![run]).build();
    serde_json::to_writer_pretty(&mut *out, &sarif)?;
    writeln!(out)
}

fn rule(id: &str, check: &Check, docs: String) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(text).markdown(text).build();
    let mut rule = ReportingDescriptor::builder()
        .id(id)
        .short_description(text(&check.title))
        .full_description(text(check.description.trim()))
        .help(text(&check.remediation))
        .default_configuration(ReportingConfiguration::builder().level(json!(level(check.severity))).build())
        .build();
    rule.help_uri = Some(docs).filter(|docs| !docs.is_empty());
    rule
}

fn result(found: &Located, edit: Option<&TextEdit>, catalogue: &Catalogue) -> SarifResult {
    let finding = &found.finding;
    let resource = &finding.resource;
    let name = format!("{} {}/{} {}", resource.kind, resource.namespace, resource.name, finding.field());
    let mut location = Location::builder()
        .logical_locations(vec![LogicalLocation::builder().fully_qualified_name(name.clone()).build()])
        .build();
    location.physical_location = match &found.place {
        Place::Document { source, location, .. } => Some(physical(source, location)),
        Place::Object(_) => None,
    };
    let mut result = SarifResult::builder()
        .rule_id(finding.check.as_str())
        .level(level(finding.severity))
        .message(Message::builder().text(format!("{} {}", finding.message, finding.remediation)).build())
        .locations(vec![location])
        // Lines move, the fault stays the same.
        .partial_fingerprints(std::collections::BTreeMap::from([(
            "resourceField/v1".to_owned(),
            format!("{}: {} {name}", finding.check, resource.api_version),
        )]))
        .build();
    if !found.related.is_empty() {
        result.related_locations = Some(found.related.iter().map(beside).collect());
    }
    result.fixes = edit.map(|edit| vec![fix(edit, proposal(finding).unwrap_or_default())]);
    result.suppressions = finding.waived.as_ref().map(|waived| vec![suppression(waived)]);
    result.rule_index =
        catalogue.checks.keys().position(|id| *id == finding.check).and_then(|at| i64::try_from(at).ok());
    result
}

fn beside(beside: &Beside) -> Location {
    let mut location = Location::builder().message(Message::builder().text(beside.message.as_str()).build()).build();
    location.physical_location = Some(physical(&beside.source, &beside.location));
    location
}

/// A waiver, which the configuration holds, or a comment in the manifest.
fn suppression(waived: &Waived) -> Suppression {
    let kind = if waived.comment.is_some() { "inSource" } else { "external" };
    Suppression::builder().kind(json!(kind)).status(json!("accepted")).justification(waived.justification()).build()
}

fn physical(source: &Source, location: &manifest::Location) -> PhysicalLocation {
    let line = i64::from(location.line);
    let column = i64::from(location.column);
    let text = &source.text[location.bytes.clone()];
    // A value of several lines is marked on its first one.
    let marked = text.lines().next().map_or(0, |line| line.chars().count());
    let region = Region::builder()
        .start_line(line)
        .start_column(column)
        .end_column(column.saturating_add(i64::try_from(marked).unwrap_or(0)))
        .build();
    PhysicalLocation::builder().artifact_location(artifact(&source.name)).region(region).build()
}

fn fix(TextEdit { source, bytes, text }: &TextEdit, description: String) -> Fix {
    let (start, end) = (source.position(bytes.start), source.position(bytes.end));
    let region = Region::builder()
        .start_line(i64::from(start.line))
        .start_column(i64::from(start.column))
        .end_line(i64::from(end.line))
        .end_column(i64::from(end.column))
        .build();
    let mut replacement = Replacement::builder().deleted_region(region).build();
    replacement.inserted_content = (!text.is_empty()).then(|| ArtifactContent::builder().text(text.as_str()).build());
    let change =
        ArtifactChange::builder().artifact_location(artifact(&source.name)).replacements(vec![replacement]).build();
    Fix::builder().description(Message::builder().text(description).build()).artifact_changes(vec![change]).build()
}

fn notification(failure: &Failure, live: bool) -> Notification {
    let mut place = PhysicalLocation::builder().artifact_location(artifact(&failure.file)).build();
    place.region = failure
        .position
        .map(|(line, column)| Region::builder().start_line(i64::from(line)).start_column(i64::from(column)).build());
    let mut location = Location::builder().build();
    if live {
        location.logical_locations =
            Some(vec![LogicalLocation::builder().fully_qualified_name(failure.file.clone()).build()]);
    } else {
        location.physical_location = Some(place);
    }
    Notification::builder()
        .level(json!(ResultLevel::Error))
        .message(Message::builder().text(failure.message.as_str()).build())
        .locations(vec![location])
        .build()
}

fn artifact(file: &str) -> ArtifactLocation {
    // A URI reference: what has a meaning of its own in one is escaped.
    let uri: String = file.chars().fold(String::new(), |mut uri, c| {
        match c {
            '%' | '?' | '#' | ' ' | '<' | '>' | '"' => uri.push_str(&format!("%{:02X}", u32::from(c))),
            _ => uri.push(c),
        }
        uri
    });
    ArtifactLocation::builder().uri(uri).build()
}

fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Info => ResultLevel::Note,
    }
}
