//! Helm charts, rendered where a run is asked to. A finding is shown at the line of the template or of the values that it comes from,
//! where that can be seen from the text. A chart is rendered with the charts beside it that it depends on by `file://`, which
//! `helm dependency build` would pack into its `charts/`; what would have to be fetched is left out.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;
use tempfile::TempDir;
use walguard_manifest::{self as manifest, Document, Location, Notice, Source};

use crate::program;
use crate::walk::absolute;

/// What `helm template` writes above each document.
const SOURCE: &str = "# Source: ";
/// How deep charts depend on one another.
const DEPTH: usize = 8;

/// A template, rendered.
#[derive(Debug)]
pub struct Template {
    pub documents: Vec<Document>,
    /// The template and the values of its chart and of those that depend on it, as they are written.
    pub written: Vec<Arc<Source>>,
}

/// A chart, rendered.
#[derive(Debug, Default)]
pub struct Rendered {
    pub templates: Vec<Template>,
    /// The other charts of the repository that templates came from, absolute.
    pub parts: HashSet<PathBuf>,
    /// Dependencies that would have to be fetched. The templates of a chart that has one were left out.
    pub without: Vec<String>,
    /// The templates of the chart itself were.
    pub cut: bool,
}

/// A chart beside another one, which depends on it.
struct Part {
    name: String,
    directory: PathBuf,
}

/// Renders a chart.
///
/// # Errors
/// What helm complains of, or what of its output cannot be read.
pub fn render(chart: &Path) -> Result<Rendered, String> {
    if !program::is_here("helm") {
        return Err("helm is not installed".to_owned());
    }
    let chart = if chart.as_os_str().is_empty() { Path::new(".") } else { chart };
    let assembled = Assembled::of(chart);
    let directory = assembled.as_ref().map_or(chart, |assembled| assembled.directory.path());
    let path = directory.to_string_lossy();
    // A path that begins with a dash is no option.
    let output = program::output("helm", &["template", "release", "--", &path]);
    let output = output.map_err(|error| match assembled {
        Some(_) => error.replace(&*path, &chart.to_string_lossy()),
        None => error,
    })?;
    let text = String::from_utf8_lossy(&output).into_owned();
    let cut = chart.join("templates").is_dir() && !directory.join("templates").exists();
    let mut rendered = Rendered { cut, ..Rendered::default() };
    rendered.without.extend(assembled.into_iter().flat_map(|assembled| assembled.missing));
    for (source, text) in split(&text) {
        // The name begins with the name of the chart.
        let below = source.split_once('/').map_or(source, |(_, rest)| rest);
        let (file, charts) = written_in(chart, below, &mut rendered.parts);
        let shown = crate::walk::tidy(&file).display().to_string();
        let reading = manifest::read(shown, text.into_bytes());
        if let Some(error) = reading.errors.first() {
            return Err(error.to_string());
        }
        let written = std::iter::once(file)
            .chain(charts.into_iter().map(|chart| chart.join("values.yaml")))
            .filter_map(|file| {
                let text = fs::read_to_string(&file).ok()?;
                Some(Arc::new(Source::new(crate::walk::tidy(&file).display().to_string(), text)))
            })
            .collect();
        rendered.templates.push(Template { documents: reading.documents, written });
    }
    Ok(rendered)
}

/// The file of a template, by what helm calls it below the chart, and the charts it belongs to, the outermost first.
fn written_in(chart: &Path, below: &str, parts: &mut HashSet<PathBuf>) -> (PathBuf, Vec<PathBuf>) {
    let mut charts = vec![chart.to_path_buf()];
    let (mut directory, mut below) = (chart.to_path_buf(), below);
    while let Some((called, rest)) = below.strip_prefix("charts/").and_then(|below| below.split_once('/')) {
        let text = |one: &Json, key: &str| one.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        // Helm calls a dependency by its alias.
        let of_name = |one: &Json| text(one, "name") == called && text(one, "alias").is_empty();
        let dependency = dependencies(&directory).into_iter().find(|one| text(one, "alias") == called || of_name(one));
        let part = dependency.as_ref().and_then(|one| part(&directory, one));
        parts.extend(part.iter().map(|part| absolute(&part.directory)));
        let name = dependency.map(|one| text(&one, "name")).filter(|name| is_name(name));
        let packed = directory.join("charts").join(name.as_deref().unwrap_or(called));
        directory = match part {
            Some(part) if !packed.is_dir() => part.directory,
            _ => packed,
        };
        charts.push(directory.clone());
        below = rest;
    }
    (directory.join(below), charts)
}

/// Other charts of the repository that a chart depends on, absolute.
pub fn depends_on(chart: &Path) -> Vec<PathBuf> {
    parts(chart).iter().map(|part| absolute(&part.directory)).collect()
}

fn parts(chart: &Path) -> Vec<Part> {
    dependencies(chart).iter().filter_map(|dependency| part(chart, dependency)).collect()
}

fn dependencies(chart: &Path) -> Vec<Json> {
    let all = metadata(chart).and_then(|metadata| metadata.get("dependencies").and_then(Json::as_array).cloned());
    all.unwrap_or_default()
}

fn metadata(chart: &Path) -> Option<Json> {
    let file = chart.join("Chart.yaml");
    crate::inputs::regular(&file).ok()?;
    manifest::read("", fs::read(file).ok()?).documents.into_iter().next().map(|document| document.value)
}

fn part(chart: &Path, dependency: &Json) -> Option<Part> {
    let text = |key: &str| dependency.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let path = text("repository")?.strip_prefix("file://").filter(|path| !path.starts_with('/'))?;
    let directory = plain(&chart.join(path));
    let own = absolute(chart);
    // What lies outside of the repository is not its author's to have read.
    let top = own.ancestors().find(|directory| directory.join(".git").exists());
    let inside = top.is_none_or(|top| absolute(&directory).starts_with(top));
    let name = text("name").filter(|name| is_name(name))?.to_owned();
    (inside && directory.join("Chart.yaml").is_file() && absolute(&directory) != own)
        .then_some(Part { name, directory })
}

/// Whether a name is that of a file, and no path.
fn is_name(name: &str) -> bool {
    Path::new(name).components().eq([Component::Normal(name.as_ref())])
}

/// A path without a directory that is left again.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match (part, plain.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => drop(plain.pop()),
            (Component::CurDir, _) => {}
            _ => plain.push(part),
        }
    }
    plain
}

/// A chart with the charts beside it that it depends on where helm looks for them. Links: nothing is copied, and nothing is written
/// into the repository.
struct Assembled {
    directory: TempDir,
    /// Dependencies that are neither packed nor in the repository.
    missing: Vec<String>,
}

impl Assembled {
    /// None where helm finds the same in the chart itself.
    fn of(chart: &Path) -> Option<Self> {
        if parts(chart).iter().all(|part| is_packed(chart, &part.name)) {
            return None;
        }
        let directory = tempfile::Builder::new().prefix("walguard-chart-").tempdir().ok()?;
        let mut missing = Vec::new();
        assemble(chart, directory.path(), &mut missing, DEPTH).ok()?;
        Some(Self { directory, missing })
    }
}

/// Whether a chart has a dependency in its own `charts/`.
fn is_packed(chart: &Path, name: &str) -> bool {
    let archive =
        |file: &str| file.strip_prefix(name).is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".tgz"));
    fs::read_dir(chart.join("charts")).into_iter().flatten().flatten().any(|entry| {
        let file = entry.file_name();
        let file = file.to_string_lossy();
        file == name || archive(&file)
    })
}

fn assemble(chart: &Path, into: &Path, missing: &mut Vec<String>, depth: usize) -> std::io::Result<()> {
    if depth == 0 {
        return Err(std::io::Error::other("charts depend on one another"));
    }
    let mut metadata = metadata(chart).ok_or_else(|| std::io::Error::other("Chart.yaml cannot be read"))?;
    let charts = into.join("charts");
    fs::create_dir_all(&charts)?;
    let mut absent = Vec::new();
    for dependency in dependencies(chart) {
        let name = dependency.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        if is_packed(chart, &name) {
            continue;
        }
        match part(chart, &dependency) {
            // One that is there by two aliases is the same.
            Some(part) if charts.join(&part.name).exists() => {}
            Some(part) => assemble(&part.directory, &charts.join(&part.name), missing, depth - 1)?,
            None => absent.push(name),
        }
    }
    for entry in fs::read_dir(chart.join("charts")).into_iter().flatten() {
        let entry = entry?;
        link(&entry.path(), &charts.join(entry.file_name()))?;
    }
    for entry in fs::read_dir(if chart.as_os_str().is_empty() { Path::new(".") } else { chart })? {
        let entry = entry?;
        let name = entry.file_name();
        // Helm refuses a chart without one of its dependencies. What the others render to does not depend on it; its own templates may.
        let own = name == "charts" || name == "Chart.lock";
        let cut = !absent.is_empty() && (name == "templates" || name == "Chart.yaml");
        if !own && !cut {
            link(&entry.path(), &into.join(name))?;
        }
    }
    if !absent.is_empty() {
        if let Some(all) = metadata.get_mut("dependencies").and_then(Json::as_array_mut) {
            all.retain(|one| !absent.iter().any(|name| one.get("name").and_then(Json::as_str) == Some(name)));
        }
        fs::write(into.join("Chart.yaml"), metadata.to_string())?;
    }
    missing.extend(absent);
    Ok(())
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(absolute(to), at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("there are no symbolic links here"))
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
/// line of the template with the same key, else at the beginning of the template. A key that is written twice is where the template has
/// it for the second time.
pub fn origin(
    rendered: &Source,
    location: &Location,
    written: &[Arc<Source>],
    notices: &[Notice],
) -> Option<(Arc<Source>, Location)> {
    let template = written.iter().find(|source| source.name == rendered.name);
    let twice = || {
        let notice = notices.iter().find(|notice| lines(notice).1 == location.line)?;
        Some((template?, template_lines(rendered, notice, written)?.1))
    };
    let line = rendered.line(location.line).trim();
    // The same key in the values may have another value there.
    let whole = || written.iter().find_map(|source| Some((source, only(source, |other| other == line)?)));
    let start = || Some((template?, with_key(template?, line)?));
    let (source, line) = twice().or_else(whole).or_else(start).or_else(|| Some((written.first()?, 1)))?;
    Some((Arc::clone(source), source.locate_line(line, false)))
}

/// The lines of a template that became those of a key that counts no more and of the one that does, where the text shows them.
pub fn template_lines(rendered: &Source, notice: &Notice, written: &[Arc<Source>]) -> Option<(u32, u32)> {
    let template = written.iter().find(|source| source.name == rendered.name)?;
    let (first, second) = lines(notice);
    let at = |line: u32| {
        let text = rendered.line(line).trim();
        only(template, |other| other == text).or_else(|| with_key(template, text))
    };
    if let (Some(first), Some(second)) = (at(first), at(second))
        && first < second
    {
        return Some((first, second));
    }
    // Both are written with the same key, and nothing else is.
    let wanted = key(rendered.line(first).trim())?;
    if key(rendered.line(second).trim()) != Some(wanted) {
        return None;
    }
    let all = (1..).zip(template.text.lines()).filter(|(_, line)| key(line.trim()) == Some(wanted));
    match all.map(|(line, _)| line).collect::<Vec<_>>()[..] {
        [first, second] => Some((first, second)),
        _ => None,
    }
}

/// The lines of a notice in what was rendered.
pub fn lines(notice: &Notice) -> (u32, u32) {
    match notice {
        Notice::DuplicateKey { first, second, .. } | Notice::MergeReplacesKey { first, second, .. } => {
            (first.line, second.line)
        }
    }
}

/// The only line of a text with the key that another one begins with.
fn with_key(source: &Source, line: &str) -> Option<u32> {
    let wanted = key(line)?;
    only(source, |other| key(other) == Some(wanted))
}

/// The key that a line begins with.
fn key(line: &str) -> Option<&str> {
    line.split_once(':').map(|(key, _)| key)
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
        let rendered = Source::new("t".to_owned(), "spec:\n  size: 1Gi\n  fsync: \"off\"\n  other: 1\n".to_owned());
        let template = source("t", "spec:\n  size: {{ .Values.size }}\n  {{- toYaml .Values.p }}\n");
        let values = source("v", "size: 2Gi\np:\n  fsync: \"off\"\n");
        let at = |line: u32| {
            let location = rendered.locate_line(line, true);
            let (source, location) =
                origin(&rendered, &location, &[Arc::clone(&template), Arc::clone(&values)], &[]).unwrap();
            (source.name.clone(), location.line)
        };
        assert_eq!(at(3), ("v".to_owned(), 3));
        assert_eq!(at(2), ("t".to_owned(), 2));
        assert_eq!(at(4), ("t".to_owned(), 1));
    }

    /// A brace of the template makes another value of that of values.yaml, which is not at fault.
    #[test]
    fn a_line_with_the_same_key_and_another_value_is_not_the_origin() {
        let source = |name: &str, text: &str| Arc::new(Source::new(name.to_owned(), text.to_owned()));
        let rendered = Source::new("t".to_owned(), "a:\n  size: 128MB}\n".to_owned());
        let template = source("t", "a:\n  {{ $name }}: {{ .Values.size }}}\n");
        let values = source("v", "size: 128MB\n");
        let written = [template, values];
        let (source, location) = origin(&rendered, &rendered.locate_line(2, true), &written, &[]).unwrap();
        assert_eq!((source.name.as_str(), location.line), ("t", 1));
    }

    #[test]
    fn a_key_that_is_written_twice_is_found_in_the_template() {
        let rendered = "# Source: c/t\nspec:\n  size: 1\n  other: 2\n  size: 1\n";
        let document = manifest::read("t", rendered.as_bytes().to_vec()).documents.remove(0);
        let values = Arc::new(Source::new("v".to_owned(), "size: 1\n".to_owned()));
        let found = |text: &str| {
            let written = [Arc::new(Source::new("t".to_owned(), text.to_owned())), Arc::clone(&values)];
            let lines = template_lines(&document.source, &document.notices[0], &written);
            let location = document.source.locate_line(5, true);
            let (source, location) = origin(&document.source, &location, &written, &document.notices).unwrap();
            (lines, source.name.clone(), location.line)
        };
        let same = "spec:\n  size: {{ .Values.size }}\n  other: 2\n  size: {{ .Values.size }}\n";
        assert_eq!(found(same), (Some((2, 4)), "t".to_owned(), 4));
        let once = "spec:\n  {{- range $x }}\n  size: {{ .Values.size }}\n  {{- end }}\n";
        assert_eq!(found(once).0, None);
    }

    #[test]
    fn a_template_of_an_alias_is_in_the_directory_of_its_name() {
        let place = tempfile::tempdir().unwrap();
        let chart = place.path().join("app");
        let write = |file: &str, text: &str| {
            let file = place.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write(
            "app/Chart.yaml",
            "name: app\ndependencies:\n- {name: db, alias: main}\n- {name: web, repository: 'file://../web'}\n- {name: far, repository: 'https://x'}\n",
        );
        write("app/charts/db/Chart.yaml", "name: db\n");
        write("web/Chart.yaml", "name: web\n");
        let found = |below: &str| {
            let mut parts = HashSet::new();
            let (file, charts) = written_in(&chart, below, &mut parts);
            let file = file.strip_prefix(place.path()).unwrap().display().to_string();
            (file, charts.len(), parts.len())
        };
        assert_eq!(found("templates/a.yaml"), ("app/templates/a.yaml".to_owned(), 1, 0));
        assert_eq!(found("charts/main/templates/a.yaml"), ("app/charts/db/templates/a.yaml".to_owned(), 2, 0));
        assert_eq!(found("charts/web/templates/a.yaml"), ("web/templates/a.yaml".to_owned(), 2, 1));
        assert_eq!(found("charts/far/templates/a.yaml"), ("app/charts/far/templates/a.yaml".to_owned(), 2, 0));
    }

    #[test]
    fn paths_of_charts_are_plain() {
        assert_eq!(plain(Path::new("charts/a/../b/../../c")), Path::new("c"));
        assert_eq!(plain(Path::new("./../c/.")), Path::new("../c"));
        assert!(is_name("db") && !is_name("../db") && !is_name("..") && !is_name("a/b"));
    }
}
