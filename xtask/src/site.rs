//! The pages of the site for mdBook, from README.md and docs/: `make site`. A page for every check; links lead to a page where there is one,
//! else to the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use walguard_engine::Catalogue;

use crate::addresses::Addresses;
use crate::{annotations, docs};

/// Pages outside of docs/, and their names on the site.
const PAGES: [(&str, &str); 4] = [
    ("README.md", "index.md"),
    ("policies/kubewarden/README.md", "kubewarden.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("CHANGELOG.md", "changelog.md"),
];
const CHECKS: &str = "docs/checks.md";

/// What is on the site only with walguard in WebAssembly.
const PLAYGROUND: &str = "playground";

/// Writes `book.toml` and `src/` to a directory; with a playground where walguard is given in WebAssembly.
pub fn write(root: &Path, out: &Path, wasm: Option<&Path>) -> Result<()> {
    let catalogue = annotations::catalogue(root)?;
    let mut files = files(root, &catalogue, wasm.is_some())?;
    if let Some(wasm) = wasm {
        let bytes = fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
        files.insert("src/playground/walguard.wasm".into(), bytes);
    }
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    for (path, text) in files {
        let target = out.join(path);
        fs::create_dir_all(target.parent().context("a file of the site is in a directory")?)?;
        fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))?;
    }
    Ok(())
}

fn files(root: &Path, catalogue: &Catalogue, playground: bool) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let addresses = Addresses::read(root)?;
    let read = |path: &str| fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"));
    let mut pages: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut others = BTreeMap::new();
    for (source, page) in PAGES {
        pages.insert(page.to_owned(), (source.to_owned(), read(source)?));
    }
    for path in below(&root.join("docs"))? {
        let path = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        let name = path.trim_start_matches("docs/").to_owned();
        if name.starts_with(PLAYGROUND) && !playground {
            continue;
        }
        if path == "docs/book.toml" {
            let book = read(&path)?.replace("{repository}", &addresses.repository);
            others.insert(PathBuf::from("book.toml"), book.into_bytes());
        } else if path == CHECKS {
            pages.insert(name, (path, docs::index(catalogue)?));
        } else if path == "docs/playground/build" {
            // It is part of no page.
        } else if path.ends_with(".md") {
            let text = read(&path)?;
            pages.insert(name, (path, text));
        } else {
            others.insert(Path::new("src").join(name), fs::read(root.join(path))?);
        }
    }
    for (id, check) in &catalogue.checks {
        pages.insert(format!("checks/{id}.md"), (CHECKS.to_owned(), docs::page(root, catalogue, id, check)?));
    }
    let (_, summary) = pages.get_mut("SUMMARY.md").context("docs/SUMMARY.md is missing")?;
    *summary = with_checks(summary, catalogue)?;
    if playground {
        others.insert("src/playground/examples.json".into(), examples(root)?);
        // Its pictures are those of the report.
        others.insert("src/playground/pictures.css".into(), fs::read(root.join("crates/report/src/pictures.css"))?);
    } else {
        let kept = summary.lines().filter(|line| !line.contains("](playground.md)"));
        *summary = kept.map(|line| line.to_owned() + "\n").collect();
    }

    let known: BTreeSet<String> = catalogue.checks.keys().cloned().collect();
    let site = Site { root, addresses: &addresses, checks: known, others: others.keys().cloned().collect() };
    let mut files = others;
    for (page, (source, text)) in pages {
        files.insert(Path::new("src").join(&page), site.page(&page, &source, &text).into_bytes());
    }
    Ok(files)
}

/// The manifests of examples/ by their names, as JSON.
fn examples(root: &Path) -> Result<Vec<u8>> {
    let mut examples = BTreeMap::new();
    let directory = root.join("examples");
    for path in below(&directory)? {
        if path.extension().is_some_and(|kind| kind == "yaml") {
            let name = path.strip_prefix(&directory)?.with_extension("").to_string_lossy().into_owned();
            examples.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(serde_json::to_vec_pretty(&examples)?)
}

/// Every file below a directory.
fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The table of contents with all checks, below the line of their page.
fn with_checks(summary: &str, catalogue: &Catalogue) -> Result<String> {
    let line = summary.lines().find(|line| line.contains("](checks.md)")).context("SUMMARY.md names no checks.md")?;
    let indent = " ".repeat(line.len() - line.trim_start().len());
    let mut all = line.to_owned();
    let mut area = "";
    for id in catalogue.checks.keys() {
        let (of, name) = id.split_once('/').context("a check has an area")?;
        if of != area {
            area = of;
            write!(all, "\n{indent}  - [{area}]()")?;
        }
        write!(all, "\n{indent}    - [{name}](checks/{id}.md)")?;
    }
    Ok(summary.replacen(line, &all, 1))
}

struct Site<'s> {
    root: &'s Path,
    addresses: &'s Addresses,
    checks: BTreeSet<String>,
    others: BTreeSet<PathBuf>,
}

impl Site<'_> {
    /// A text of the repository as a page: its links lead where they should from there.
    fn page(&self, page: &str, source: &str, text: &str) -> String {
        let mut shown = String::new();
        for (part, link) in links(text) {
            shown.push_str(part);
            if let Some(link) = link {
                shown.push_str(&self.target(page, source, link));
            }
        }
        shown
    }

    fn target(&self, page: &str, source: &str, link: &str) -> String {
        // What was written for the site already.
        if link.is_empty() || link.contains("://") || link.starts_with("mailto:") || link.starts_with("checks/") {
            return link.to_owned();
        }
        let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
        let path = if path.is_empty() { source.to_owned() } else { resolve(source, path) };
        if path == CHECKS
            && let Some(id) = anchor.and_then(|anchor| self.checks.iter().find(|id| docs::anchor(id) == anchor))
        {
            return relative(page, &format!("checks/{id}.md"));
        }
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        match self.known(&path) {
            Some(known) => relative(page, &known) + &anchor,
            None => {
                let kind = if self.root.join(&path).is_dir() { "tree" } else { "blob" };
                format!("{}/{kind}/main/{path}{anchor}", self.addresses.repository)
            }
        }
    }

    /// The page or file that the site has of a file of the repository.
    fn known(&self, path: &str) -> Option<String> {
        if let Some((_, page)) = PAGES.iter().find(|(source, _)| *source == path) {
            return Some((*page).to_owned());
        }
        let name = path.strip_prefix("docs/")?;
        (name.ends_with(".md") || self.others.contains(&Path::new("src").join(name))).then(|| name.to_owned())
    }
}

/// A text in parts, each with the target of the link that follows it; not those in code.
fn links(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut found = Vec::new();
    let (mut done, mut fenced) = (0, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        let mut from = 0;
        while let Some(open) = line.get(from..).and_then(|rest| rest.find("](")).map(|open| from + open + 2) {
            let Some(close) = line.get(open..).and_then(|rest| rest.find(')')).map(|close| open + close) else { break };
            // Within `code` the text before it has an odd number of its marks.
            let code = line.get(..open).unwrap_or_default().matches('`').count() % 2 == 1;
            if let (false, Some(part), Some(link)) =
                (code, text.get(done..begin + open), text.get(begin + open..begin + close))
            {
                found.push((part, Some(link)));
                done = begin + close;
            }
            from = close;
        }
    }
    found.push((text.get(done..).unwrap_or_default(), None));
    found
}

/// A path that a file of the repository names, from the root.
fn resolve(source: &str, link: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let directory = Path::new(source).parent().unwrap_or(Path::new(""));
    for component in directory.join(link).components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

/// One page's path from another.
fn relative(page: &str, to: &str) -> String {
    "../".repeat(page.matches('/').count()) + to
}

/// What GitHub and mdBook name a heading.
#[cfg(test)]
fn slug(heading: &str) -> String {
    let shown = heading.trim().to_lowercase();
    let kept = shown.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What can be linked to in a page.
    fn anchors(text: &str) -> BTreeSet<String> {
        let mut anchors = BTreeSet::new();
        let mut fenced = false;
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if let (false, Some(heading)) = (fenced, line.strip_prefix('#')) {
                let name = slug(heading.trim_start_matches('#'));
                let mut unique = name.clone();
                for number in 1.. {
                    if anchors.insert(unique) {
                        break;
                    }
                    unique = format!("{name}-{number}");
                }
            }
        }
        anchors
    }

    #[test]
    fn every_link_of_every_page_leads_somewhere() {
        let root = crate::root().unwrap();
        let Ok(output) = Command::new("git").args(["ls-files", "*.md"]).current_dir(&root).output() else { return };
        let mut dead = Vec::new();
        let mut followed = 0;
        let sources = String::from_utf8(output.stdout).unwrap();
        // Blocks are followed in the pages that they are part of.
        for source in sources.lines().filter(|source| !source.starts_with("dist/install/")) {
            let text = fs::read_to_string(root.join(source)).unwrap();
            for link in links(&text).into_iter().filter_map(|(_, link)| link) {
                if link.contains("://") || link.is_empty() {
                    continue;
                }
                let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
                let path = if path.is_empty() { source.to_owned() } else { resolve(source, path) };
                followed += 1;
                let there = root.join(&path).exists()
                    && anchor.is_none_or(|anchor| {
                        fs::read_to_string(root.join(&path)).is_ok_and(|text| anchors(&text).contains(anchor))
                    });
                if !there {
                    dead.push(format!("{source}: {link}"));
                }
            }
        }
        assert!(dead.is_empty(), "{dead:#?}");
        assert!(followed > 100, "only {followed} links");
    }

    #[test]
    fn every_link_of_the_site_leads_to_a_page_of_it_or_away() {
        let root = crate::root().unwrap();
        let catalogue = annotations::catalogue(&root).unwrap();
        let files = files(&root, &catalogue, true).unwrap();
        let repository = Addresses::read(&root).unwrap().repository;
        let mut dead = Vec::new();
        for (path, text) in files.iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "md")) {
            let path = path.to_string_lossy();
            for link in links(std::str::from_utf8(text).unwrap()).into_iter().filter_map(|(_, link)| link) {
                let outside = link.strip_prefix(&format!("{repository}/blob/main/"));
                let outside = outside.or_else(|| link.strip_prefix(&format!("{repository}/tree/main/")));
                let there = match outside {
                    Some(file) => root.join(file.split('#').next().unwrap()).exists(),
                    None if link.contains("://") || link.is_empty() => true,
                    None => {
                        let (target, anchor) =
                            link.split_once('#').map_or((link, None), |(page, anchor)| (page, Some(anchor)));
                        let target = if target.is_empty() { path.to_string() } else { resolve(&path, target) };
                        files.get(Path::new(&target)).is_some_and(|text| {
                            anchor.is_none_or(|anchor| anchors(&String::from_utf8_lossy(text)).contains(anchor))
                        })
                    }
                };
                if !there {
                    dead.push(format!("{path}: {link}"));
                }
            }
        }
        assert!(dead.is_empty(), "{dead:#?}");
        let checks = files.keys().filter(|path| path.starts_with("src/checks/")).count();
        assert_eq!(checks, catalogue.checks.len());
    }

    #[test]
    fn the_table_of_contents_is_complete() {
        let root = crate::root().unwrap();
        let summary = fs::read_to_string(root.join("docs/SUMMARY.md")).unwrap();
        let named: Vec<String> =
            links(&summary).into_iter().filter_map(|(_, link)| Some(resolve("docs/SUMMARY.md", link?))).collect();
        let mut pages: Vec<String> = PAGES.iter().map(|(source, _)| (*source).to_owned()).collect();
        let docs = below(&root.join("docs")).unwrap();
        let docs = docs.iter().map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned());
        pages.extend(docs.filter(|path| path.ends_with(".md") && path != "docs/SUMMARY.md"));
        for page in &pages {
            assert_eq!(named.iter().filter(|name| *name == page).count(), 1, "{page} in docs/SUMMARY.md");
        }
        assert_eq!(named.len(), pages.len());
    }

    #[test]
    fn links_are_found_where_they_are_links() {
        let text = "a [b](c.md#d) `[x](y)` ![p](q.svg)\n```\n[no](no)\n```\n[e](f)";
        let found: Vec<&str> = links(text).into_iter().filter_map(|(_, link)| link).collect();
        assert_eq!(found, ["c.md#d", "q.svg", "f"]);
        let whole: String = links(text).into_iter().flat_map(|(part, link)| [part, link.unwrap_or_default()]).collect();
        assert_eq!(whole, text);
        assert_eq!(slug(" Which `object` is meant?"), "which-object-is-meant");
        assert_eq!(resolve("docs/a.md", "../rules/b.json"), "rules/b.json");
    }
}
