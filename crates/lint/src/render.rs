//! What other programs make of the files of a run: kustomize of overlays, helm of charts.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;

use walguard_report::{Reason, Skipped};

use crate::config::Policies;
use crate::helm;
use crate::inputs::{Input, Inputs, Origin, shown};
use crate::judge::concerns_rules;
use crate::judgement::reference;
use crate::kustomize::{self, Rendering};
use crate::options::Run;
use crate::walk::absolute;

/// What may be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Render {
    /// Nothing: no program is started.
    Nothing,
    /// Overlays, and charts where the configuration says so.
    Overlays,
    /// Charts, too.
    Charts,
}

/// Puts what overlays and charts render to in the place of what they are made of.
///
/// # Errors
/// When the configuration of a chart cannot be read.
pub fn render(inputs: &mut Inputs, render: Render, run: &Run, policies: &mut Policies<'_>) -> anyhow::Result<()> {
    overlays(inputs, render, run);
    for chart in std::mem::take(&mut inputs.charts) {
        let number = policies.of(&chart.join("Chart.yaml"))?;
        let configured = policies.all()[number].configuration.as_ref().is_some_and(|read| read.render);
        let skip = Skipped { reason: Reason::Chart, path: name(&chart) };
        if render == Render::Nothing || !(render == Render::Charts || configured) {
            inputs.skipped.push(skip);
            continue;
        }
        match helm::render(&chart) {
            Ok(templates) => {
                for helm::Template { documents, written } in templates {
                    let written = Arc::new(written);
                    inputs.count += documents.len();
                    inputs.documents.extend(documents.into_iter().map(|document| Input {
                        document,
                        origin: Some(Origin::Chart(Arc::clone(&written))),
                        changed: Vec::new(),
                    }));
                }
            }
            Err(reason) => {
                inputs.notes.push(format!("the Helm chart {} was not rendered: {reason}", name(&chart)));
                inputs.skipped.push(skip);
            }
        }
    }
    Ok(())
}

/// A directory as it is printed.
fn name(directory: &Path) -> String {
    if directory.as_os_str().is_empty() { ".".to_owned() } else { shown(directory) }
}

fn overlays(inputs: &mut Inputs, render: Render, run: &Run) {
    let concerned: HashSet<PathBuf> = inputs
        .documents
        .iter()
        .filter(|input| concerns_rules(&input.document, run))
        .map(|input| absolute(Path::new(&input.document.source.name)))
        .collect();
    let given: HashSet<PathBuf> =
        inputs.documents.iter().map(|input| absolute(Path::new(&input.document.source.name))).collect();
    // A base beside the directory that was given is read for what it is.
    let beside = |file: &Path| {
        let outside = !given.contains(file) && !inputs.directories.iter().any(|directory| file.starts_with(directory));
        let documents = || walguard_manifest::read("", std::fs::read(file).unwrap_or_default()).documents;
        outside && documents().iter().any(|document| concerns_rules(document, run))
    };
    let directories: BTreeSet<PathBuf> = inputs.directories.clone();
    let own = |directory: &Path| directories.contains(directory);
    let rendering = match render {
        Render::Nothing => Rendering::default(),
        _ => inputs.kustomizations.render(&|file| concerned.contains(file) || beside(file), &own),
    };
    let covered: HashSet<&PathBuf> = rendering.rendered.iter().flat_map(|rendered| &rendered.files).collect();
    // What one overlay drops and another one, which could not be rendered, may keep is judged as it was written.
    let renders: HashSet<(&str, &str)> = rendering
        .rendered
        .iter()
        .flat_map(|rendered| &rendered.documents)
        .filter_map(|document| kind_and_name(&document.value))
        .collect();
    let is_rendered = |object: &Json| {
        kind_and_name(object).is_some_and(|(kind, name)| {
            renders.iter().any(|(rendered, as_named)| *rendered == kind && as_named.contains(name))
        })
    };
    inputs.documents.retain(|input| {
        let file = absolute(Path::new(&input.document.source.name));
        !covered.contains(&file) || rendering.unrendered.contains(&file) && !is_rendered(&input.document.value)
    });
    for rendered in rendering.rendered {
        let (origins, root) = (Arc::new(rendered.origins), Arc::new(rendered.root));
        inputs.documents.extend(rendered.documents.into_iter().map(|document| Input {
            document,
            origin: Some(Origin::Kustomize(Arc::clone(&origins), Arc::clone(&root))),
            changed: Vec::new(),
        }));
    }
    if run.verbose() {
        for (file, reason) in &rendering.failed {
            inputs.notes.push(format!("{} was not rendered: {reason}", file.display()));
        }
    }
    inputs.notes.extend(kustomize::note(&rendering.failed));
    let changes = inputs.kustomizations.changes();
    for input in inputs.documents.iter_mut().filter(|input| input.origin.is_none()) {
        let file = PathBuf::from(&input.document.source.name);
        if concerned.contains(&absolute(&file)) {
            input.changed = changes.of(&file, &input.document.value);
            kustomize::blank(&mut input.document.value, &input.changed);
            if let Some(namespace) = changes.namespace(&file)
                && is_namespaced(&input.document.value, run)
                && let Some(metadata) = input.document.value.get_mut("metadata").and_then(Json::as_object_mut)
            {
                metadata.insert("namespace".to_owned(), namespace.into());
            }
        }
    }
}

fn kind_and_name(object: &Json) -> Option<(&str, &str)> {
    Some((object["kind"].as_str()?, object["metadata"]["name"].as_str()?))
}

/// Whether objects of this kind have a namespace, as far as the rules know the kind.
fn is_namespaced(object: &Json, run: &Run) -> bool {
    let reference = reference(object);
    run.catalogue.kinds_of(&reference.api_version, &reference.kind).any(|kind| kind.namespaced)
}
