//! What a run found and did not judge, and why. A linter that passes over a file without a word looks as if it had liked it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::counted;

/// A file or directory that was not read as what it seems to be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    pub reason: Reason,
    /// The path of the file, directory or chart.
    pub path: String,
}

/// Why something was skipped, in the order in which a summary names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A Helm chart, whose templates are manifests only when they are rendered.
    Chart,
    /// A file that some other program has to fill in first, and that is no YAML before.
    Template,
    /// A program that writes manifests with PostgreSQL: jsonnet, CUE, a template of another name.
    Program,
    /// A part of a kustomization that changes other objects and is none itself.
    Patch,
    /// A file beside a kustomization, which neither that one nor another one names.
    Unlisted,
    /// What a test of kuttl or Chainsaw expects: parts of objects.
    Expectation,
    /// `exclude` of the configuration, or `--exclude`.
    Excluded,
    /// A name in .gitignore or .ignore.
    Ignored,
    /// A name that begins with a dot.
    Hidden,
    /// A symbolic link to a directory, or out of the tree.
    Link,
    /// Neither readable nor, by its text, a Kubernetes manifest.
    NoManifest,
}

impl Reason {
    /// `3 Helm charts not rendered`.
    fn counted(self, count: usize) -> String {
        match self {
            Self::Chart => counted(count, "Helm chart", "Helm charts") + " not rendered",
            Self::Template => counted(count, "template", "templates"),
            Self::Program => {
                counted(count, "file that writes PostgreSQL manifests", "files that write PostgreSQL manifests")
            }
            Self::Patch => counted(count, "kustomize patch", "kustomize patches"),
            Self::Unlisted => counted(count, "file", "files") + " that no kustomization lists",
            Self::Expectation => counted(count, "expectation of a test", "expectations of tests"),
            Self::Excluded => counted(count, "excluded path", "excluded paths"),
            Self::Ignored => counted(count, "path in .gitignore", "paths in .gitignore"),
            Self::Hidden => counted(count, "hidden path", "hidden paths"),
            Self::Link => counted(count, "symbolic link", "symbolic links"),
            Self::NoManifest => {
                counted(count, "unreadable file that is not a manifest", "unreadable files that are not manifests")
            }
        }
    }

    /// What it is called in a list, with what can be done about it.
    #[must_use]
    pub const fn described(self) -> &'static str {
        match self {
            Self::Chart => "Helm chart, not rendered (--render renders it with helm)",
            Self::Template => "template that another program fills in first",
            Self::Program => "writes manifests with PostgreSQL; lint its output",
            Self::Patch => "kustomize patch, not an object by itself",
            Self::Unlisted => {
                "not listed in the kustomization beside it, so not applied with it; name the file to lint it"
            }
            Self::Expectation => "what a test of kuttl or Chainsaw expects, not applied",
            Self::Excluded => "excluded",
            Self::Ignored => "named in .gitignore or .ignore (--no-respect-gitignore reads it)",
            Self::Hidden => "hidden: its name begins with a dot",
            Self::Link => "symbolic link to a directory or out of the tree",
            Self::NoManifest => "unreadable, and not a Kubernetes manifest",
        }
    }
}

/// How many charts a summary names; the rest is counted.
const NAMED: usize = 3;

/// One line for all that was skipped; `None` when nothing was.
#[must_use]
pub fn summary(skipped: &[Skipped]) -> Option<String> {
    let mut by_reason: BTreeMap<Reason, Vec<&str>> = BTreeMap::new();
    for one in skipped {
        by_reason.entry(one.reason).or_default().push(&one.path);
    }
    let parts: Vec<String> = by_reason
        .iter()
        .map(|(reason, paths)| {
            let text = reason.counted(paths.len());
            if *reason != Reason::Chart {
                return text;
            }
            let more = if paths.len() > NAMED { ", …" } else { "" };
            format!("{text} ({}{more}; --render renders them with helm)", paths[..paths.len().min(NAMED)].join(", "))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Skipped: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(reason: Reason, path: &str) -> Skipped {
        Skipped { reason, path: path.to_owned() }
    }

    #[test]
    fn a_summary_is_one_line() {
        assert_eq!(summary(&[]), None);
        let few = [
            skipped(Reason::Hidden, ".github"),
            skipped(Reason::Chart, "charts/a"),
            skipped(Reason::Template, "x.yaml"),
            skipped(Reason::Template, "y.yaml"),
        ];
        assert_eq!(
            summary(&few).as_deref(),
            Some(
                "Skipped: 1 Helm chart not rendered (charts/a; --render renders them with helm), 2 templates, 1 hidden path"
            )
        );
        let charts = ["a", "b", "c", "d"].map(|path| skipped(Reason::Chart, path));
        assert_eq!(
            summary(&charts).as_deref(),
            Some("Skipped: 4 Helm charts not rendered (a, b, c, …; --render renders them with helm)")
        );
    }
}
