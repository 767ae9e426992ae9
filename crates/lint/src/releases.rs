//! Objects that carry values of charts: Flux's HelmRelease and ResourceSet, Argo CD's Application and ApplicationSet, patches in Flux's
//! Kustomization. Which charts run PostgreSQL is the rules' to know.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard_engine::{Engine, PathSegment};
use walguard_manifest::Document;
use walguard_report::counted;

use crate::inputs::{Input, Inputs, Origin};
use crate::options::Run;
use crate::{judgement, server};

/// The kinds that may carry values or patches.
pub const KINDS: [&str; 5] = ["HelmRelease", "Application", "ApplicationSet", "ResourceSet", "Kustomization"];
/// The package of the rules that knows charts.
const PACKAGE: &str = "walguard.charts";

/// What the rules say of such an object.
#[derive(Debug, Deserialize)]
struct Unread {
    /// `HelmRelease`, as it is counted.
    kind: String,
    /// What of it was not read: `values of charts with PostgreSQL`.
    what: String,
}

/// Whether the rules have to be asked about a document.
fn is_one(document: &Document) -> bool {
    let text = |pointer: &str| document.value.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default();
    let group = text("/apiVersion").split('/').next().unwrap_or_default();
    KINDS.contains(&text("/kind"))
        && (group.ends_with(".fluxcd.io") || group.ends_with(".controlplane.io") || group == "argoproj.io")
}

/// An object that a chart renders to, by its adapter.
#[derive(Debug, Deserialize)]
struct Rendered {
    object: Json,
    paths: Vec<Moved>,
}

/// What stands below `from` in the object was written below `to` in the values.
#[derive(Clone, Debug, Deserialize)]
pub struct Moved {
    from: Vec<PathSegment>,
    to: Vec<PathSegment>,
}

/// Where something at a path of the object was written in the release.
pub fn origin(path: &[PathSegment], paths: &[Moved]) -> Vec<PathSegment> {
    let nearest = paths.iter().filter(|moved| path.starts_with(&moved.from)).max_by_key(|moved| moved.from.len());
    nearest.map_or_else(Vec::new, |moved| [&moved.to, &path[moved.from.len()..]].concat())
}

/// Adds what releases render to, as far as the rules read their charts, and notes what was not read: one line for each kind.
///
/// # Errors
/// When the rules cannot be asked.
pub fn read(inputs: &mut Inputs, run: &Run) -> anyhow::Result<()> {
    let documents: Vec<Document> =
        inputs.documents.iter().map(|input| &input.document).filter(|document| is_one(document)).cloned().collect();
    if documents.is_empty() {
        return Ok(());
    }
    let mut engine = judgement::engine(&run.rules)?;
    for document in &documents {
        let input = json!({"review": {"object": document.value}});
        let all: Vec<Rendered> = server::ask(&mut engine, PACKAGE, "rendered", input)?;
        let release = Arc::new(document.clone());
        inputs.documents.extend(all.into_iter().map(|Rendered { object, paths }| Input {
            document: Document::packed(object, Arc::clone(&document.source), Vec::new()),
            origin: Some(Origin::Release(Arc::clone(&release), paths)),
            changed: Vec::new(),
        }));
    }
    let notes = notes(&documents, &mut engine)?;
    inputs.notes.extend(notes);
    Ok(())
}

fn notes(documents: &[Document], engine: &mut Engine) -> anyhow::Result<Vec<String>> {
    const NAMED: usize = 3;
    let mut unread: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for document in documents {
        let input = json!({"review": {"object": document.value}});
        let all: Vec<Unread> = server::ask(engine, PACKAGE, "unread", input)?;
        for Unread { kind, what } in all {
            let place = document.locate(&[]);
            let name = format!("{}:{}", document.source.name, place.line);
            unread.entry((kind, what)).or_default().push(name);
        }
    }
    let note = |((kind, what), places): ((String, String), Vec<String>)| {
        let more = if places.len() > NAMED { ", …" } else { "" };
        let were = if places.len() == 1 { "was" } else { "were" };
        format!(
            "{what} of {} {were} not read: {}{more}",
            counted(places.len(), &kind, &format!("{kind}s")),
            places[..places.len().min(NAMED)].join(", ")
        )
    };
    Ok(unread.into_iter().map(note).collect())
}
