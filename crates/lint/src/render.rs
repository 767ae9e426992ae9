//! What other programs make of the files of a run: kustomize of overlays, helm of charts.

use std::collections::{BTreeSet, HashMap, HashSet};
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

/// How many dependencies are named that a chart was rendered without.
const NAMED: usize = 3;

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
    charts(inputs, render, policies)
}

fn charts(inputs: &mut Inputs, render: Render, policies: &mut Policies<'_>) -> anyhow::Result<()> {
    let with_templates = std::mem::take(&mut inputs.charts);
    // One without templates of its own is nothing but what it depends on.
    let parents = inputs.parents.iter().filter_map(|file| file.parent()).map(Path::to_path_buf);
    let mut all: BTreeSet<PathBuf> = parents.filter(|chart| !helm::depends_on(chart).is_empty()).collect();
    all.extend(with_templates.iter().cloned());
    let depend: HashMap<PathBuf, Vec<PathBuf>> =
        all.iter().map(|chart| (absolute(chart), helm::depends_on(chart))).collect();
    let mut ordered: Vec<(usize, PathBuf)> =
        all.into_iter().map(|chart| (above(&absolute(&chart), &depend), chart)).collect();
    ordered.sort();
    // Charts that another one renders with its values: their own defaults alone are not what anybody installs.
    let mut rendered_in_others: HashSet<PathBuf> = HashSet::new();
    for (_, chart) in ordered {
        let number = policies.of(&chart.join("Chart.yaml"))?;
        let configured = policies.all()[number].configuration.as_ref().is_some_and(|read| read.render);
        let has_templates = with_templates.contains(&chart);
        let skip = has_templates.then(|| Skipped { reason: Reason::Chart, path: name(&chart) });
        if render == Render::Nothing || !(render == Render::Charts || configured) {
            inputs.skipped.extend(skip);
            continue;
        }
        if rendered_in_others.contains(&absolute(&chart)) {
            continue;
        }
        match helm::render(&chart) {
            Ok(helm::Rendered { templates, parts, without, cut }) => {
                rendered_in_others.extend(parts);
                if without.is_empty() {
                    inputs.parents.retain(|file| file.parent() != Some(&chart));
                } else {
                    inputs.skipped.extend(skip.filter(|_| cut));
                    inputs.notes.push(format!(
                        "the Helm chart {} was rendered in part: {}{} would have to be fetched",
                        name(&chart),
                        without[..without.len().min(NAMED)].join(", "),
                        if without.len() > NAMED { ", …" } else { "" },
                    ));
                }
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
                inputs.skipped.extend(skip);
            }
        }
    }
    Ok(())
}

/// How many charts depend on one, directly or by others: fewer than on those that it depends on.
fn above(chart: &Path, depend: &HashMap<PathBuf, Vec<PathBuf>>) -> usize {
    let mut known: BTreeSet<&Path> = BTreeSet::from([chart]);
    let mut open = vec![chart];
    while let Some(next) = open.pop() {
        let parents = depend.iter().filter(|(_, parts)| parts.iter().any(|part| part == next));
        open.extend(parents.map(|(parent, _)| parent.as_path()).filter(|parent| known.insert(parent)));
    }
    known.len() - 1
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
