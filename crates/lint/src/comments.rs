//! `# walguard: ignore[wal/init_zero_filesystem] until=2027-03-31 reason=why`: comments in manifests that accept findings.
//!
//! One covers the findings that point at its line; alone on its line, those of the next line; before the first line of a document, those
//! of the whole document. Only the linter reads them: what is sent to an API server has no comments. Which of them have no effect is
//! a finding of its own.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use memchr::memmem;
use serde_json::{Value as Json, json};
use walguard_engine::{
    Action, Catalogue, Engine, Finding, Inventory, ResourceRef, Severity, Value, Waived, configuration,
};
use walguard_manifest::{Location, Source, Target};
use walguard_report::{Located, Place};

use crate::config::{Allowed, Policies};
use crate::judgement::Surroundings;
use crate::options::{Run, matches};

/// What such a comment begins with, behind its `#`.
const MARK: &str = "walguard:";
const WORD: &str = "ignore";
/// Checks of the configuration, which only its owners may silence.
const OF_THE_CONFIGURATION: &str = "policy/";
/// The check of the comments themselves.
const OF_COMMENTS: &str = "manifest/ignore_comment";

/// A comment that ignores findings.
#[derive(Debug, PartialEq, Eq)]
struct Comment {
    line: u32,
    /// In characters, from 1.
    column: u32,
    /// `ignore[wal/init_zero_filesystem]`.
    text: String,
    /// Ids of checks, and areas with a slash.
    checks: Vec<String>,
    until: Option<String>,
    reason: Option<String>,
    /// It does not have the form of one.
    unread: bool,
    /// The lines whose findings it covers.
    lines: RangeInclusive<u32>,
}

/// A file that comments may stand in.
pub struct File<'a> {
    pub source: &'a Arc<Source>,
    /// What stands in it.
    pub objects: Vec<Object>,
    /// Everything in it was linted, so that a comment that covers nothing is idle.
    pub whole: bool,
}

/// An object of a file, for what is to be said of the comments at it.
pub struct Object {
    /// Where it begins.
    pub line: u32,
    /// Its number among the documents of the run.
    pub document: usize,
    pub resource: ResourceRef,
}

impl<'a> File<'a> {
    /// Files once each, with the objects of all that are the same.
    pub fn merged(files: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut merged: BTreeMap<&str, Self> = BTreeMap::new();
        for file in files {
            match merged.get_mut(file.source.name.as_str()) {
                Some(same) => {
                    same.whole &= file.whole;
                    same.objects.extend(file.objects);
                }
                None => drop(merged.insert(file.source.name.as_str(), file)),
            }
        }
        merged.into_values().filter(|file| !file.objects.is_empty()).collect()
    }

    /// The object that a line belongs to: the last that begins above it, else the first.
    fn object(&self, line: u32) -> Option<&Object> {
        let above = self.objects.iter().filter(|object| object.line <= line).max_by_key(|object| object.line);
        above.or_else(|| self.objects.iter().min_by_key(|object| object.line))
    }
}

/// Marks the findings that comments cover, and gives those about comments that have no effect.
///
/// # Errors
/// When a configuration cannot be read, or the rules cannot be evaluated.
pub fn apply(
    findings: &mut [Located],
    files: &[File<'_>],
    run: &Run,
    policies: &mut Policies<'_>,
    engine: &mut Engine,
) -> anyhow::Result<Vec<Located>> {
    let mut about = Vec::new();
    for file in files {
        let source = file.source;
        let comments = read(source);
        if comments.is_empty() {
            continue;
        }
        let number = policies.variant(Path::new(&source.name))?;
        let variant = &policies.variants()[number];
        let read = policies.all()[variant.policy].configuration.as_ref();
        let allowed = read.map_or(Allowed::All, |read| read.comments);
        let configuration = variant.value.clone().map(walguard_engine::value);
        for comment in comments {
            let verdict = comment.cover(findings, source, allowed, run)?;
            let Some(object) = file.object(*comment.lines.start()) else { continue };
            let request = comment.request(file, object, allowed, &verdict, &run.catalogue);
            let surroundings = Surroundings {
                inventory: Inventory::new(false).value(),
                configuration: configuration.clone(),
                now: run.now.clone(),
            };
            let found = engine.judge(&surroundings.of(request))?;
            about.extend(found.into_iter().filter(|finding| finding.check == OF_COMMENTS).map(|finding| {
                let finding = Finding { resource: object.resource.clone(), line: None, ..finding };
                let source = Arc::clone(source);
                let location = comment.location(&source);
                Located::new(finding, Place::Document { index: object.document, source, location })
            }));
        }
    }
    Ok(about)
}

/// What a comment did.
#[derive(Debug, Default)]
struct Verdict {
    /// Ids of errors that it may not cover.
    refused: Vec<String>,
    /// Those of its ids that cover nothing.
    idle: Vec<String>,
}

impl Comment {
    /// Whether it counts at a moment.
    fn counts(&self, now: Timestamp) -> bool {
        let until = self.until.as_deref().and_then(configuration::timestamp);
        let until = until.and_then(|until| until.parse::<Timestamp>().ok());
        !self.unread && self.reason.is_some() && until.is_some_and(|until| now < until)
    }

    fn cover(&self, findings: &mut [Located], source: &Source, allowed: Allowed, run: &Run) -> anyhow::Result<Verdict> {
        let now = run.now.as_ref().map_or_else(|| Ok(Timestamp::now()), |now| now.parse::<Timestamp>())?;
        let mut verdict = Verdict::default();
        if !self.counts(now) || allowed == Allowed::None {
            return Ok(verdict);
        }
        let mut busy: HashSet<&str> = HashSet::new();
        for Located { finding, place, .. } in findings {
            let Place::Document { source: own, location, .. } = place else { continue };
            let id = self.checks.iter().find(|check| matches(check, &finding.check));
            let (true, Some(id)) = (own.name == source.name && self.lines.contains(&location.line), id) else {
                continue;
            };
            if is_refused(&finding.check) {
                continue;
            }
            busy.insert(id);
            if finding.severity == Severity::Error && allowed == Allowed::Warnings {
                verdict.refused.push(finding.check.clone());
            } else if finding.counts() {
                finding.action = Action::None;
                finding.waived = Some(Waived {
                    reason: self.reason.clone().unwrap_or_default(),
                    expires: self.until.clone().unwrap_or_default(),
                    comment: Some(self.line),
                    ..Waived::default()
                });
            }
        }
        verdict.refused.sort();
        verdict.refused.dedup();
        let known = |id: &&String| run.catalogue.checks.keys().any(|check| matches(id, check));
        // Of a check that this run does not ask, nothing can be said.
        let asked =
            |id: &&String| run.catalogue.checks.keys().any(|check| matches(id, check) && run.selection.contains(check));
        let idle = self.checks.iter().filter(|id| !busy.contains(id.as_str())).filter(known).filter(asked);
        verdict.idle = idle.cloned().collect();
        Ok(verdict)
    }

    /// The review of it, as `walguard.checks.manifest.ignore_comment` reads one.
    fn request(
        &self,
        file: &File<'_>,
        object: &Object,
        allowed: Allowed,
        verdict: &Verdict,
        catalogue: &Catalogue,
    ) -> Value {
        let unknown = self.checks.iter().filter(|id| !catalogue.checks.keys().any(|check| matches(id, check)));
        let unknown: Vec<Json> = unknown
            .map(|id| {
                let nearest = configuration::nearest(id, catalogue.checks.keys().map(String::as_str));
                json!({"check": id, "nearest": if nearest.is_empty() { "." } else { nearest.as_str() }})
            })
            .collect();
        let mut notice = json!({
            "by": "comment",
            "line": self.line,
            "text": self.text,
            "unread": self.unread,
            "forbidden": allowed == Allowed::None,
            "unknown": unknown,
            "refused": verdict.refused,
            "idle": if file.whole { verdict.idle.as_slice() } else { &[] },
        });
        for (key, value) in [("until", &self.until), ("reason", &self.reason)] {
            if let Some(value) = value {
                notice[key] = value.as_str().into();
            }
        }
        walguard_engine::value(json!({
            "object": {
                "apiVersion": "walguard.dev/v1",
                "kind": "Manifest",
                "metadata": {"name": file.source.name, "namespace": object.resource.namespace},
            },
            "notices": [notice],
        }))
    }

    fn location(&self, source: &Source) -> Location {
        let line = source.locate_line(self.line, true);
        let text = source.line(self.line);
        let indent = text.len() - text.trim_start().len();
        let offset = text.char_indices().nth(self.column as usize - 1).map_or(indent, |(offset, _)| offset);
        let start = line.bytes.start + offset.saturating_sub(indent);
        Location { line: self.line, column: self.column, bytes: start..line.bytes.end, exact: true, of: Target::Value }
    }
}

/// What a line is to a comment above it.
enum Line {
    /// Blank, or a comment.
    Passing,
    /// Where a document begins; with what stands behind the dashes.
    Separator {
        content: bool,
    },
    Content,
}

fn line(text: &str) -> Line {
    let passing = |text: &str| text.trim().is_empty() || text.trim_start().starts_with('#');
    match text.strip_prefix("---") {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => Line::Separator { content: !passing(rest) },
        _ if passing(text) => Line::Passing,
        _ => Line::Content,
    }
}

/// A comment that ignores a check until a day; none of a check that comments cannot ignore.
#[must_use]
pub fn ignoring(check: &str, until: &str, reason: &str) -> Option<String> {
    (!is_refused(check)).then(|| format!("# {MARK} {WORD}[{check}] until={until} reason={reason}"))
}

/// Whether comments cannot ignore a check: it is about themselves, or about what the owner of the configuration wrote.
fn is_refused(check: &str) -> bool {
    check == OF_COMMENTS || check.starts_with(OF_THE_CONFIGURATION)
}

/// Whether there may be comments in a text.
pub fn may_be_in(source: &Source) -> bool {
    memmem::find(source.text.as_bytes(), MARK.as_bytes()).is_some()
}

/// The comments of a file.
fn read(source: &Source) -> Vec<Comment> {
    if !may_be_in(source) {
        return Vec::new();
    }
    let lines: Vec<(u32, &str)> = source.lines().collect();
    let mut comments = Vec::new();
    // Whether something of the document stands above, and whether there is a document above.
    let (mut begun, mut any) = (false, false);
    for (at, (number, text)) in lines.iter().enumerate() {
        let kind = line(text);
        if let Line::Separator { content } = kind {
            begun = content;
            any |= content;
        }
        if let Some(hash) = mark(text) {
            let alone = text[..hash].trim_start_matches("---").trim().is_empty();
            let lines = if alone { covered(&lines[at + 1..], begun, any) } else { Some(*number..=*number) };
            let mut comment = parse(&text[hash..]);
            comment.line = *number;
            comment.column = u32::try_from(text[..hash].chars().count() + 1).unwrap_or(1);
            // Nothing follows: itself, where no finding points.
            comment.lines = lines.unwrap_or(*number..=*number);
            comments.push(comment);
        }
        if matches!(kind, Line::Content) {
            begun = true;
            any = true;
        }
    }
    comments
}

/// The lines that a comment of its own covers: the next one, or the document that it stands before. `begun`: something of its document
/// stands above; `any`: there is a document above.
fn covered(below: &[(u32, &str)], begun: bool, any: bool) -> Option<RangeInclusive<u32>> {
    let mut below = below.iter();
    let first = loop {
        let (number, text) = below.next()?;
        match line(text) {
            Line::Passing => {}
            Line::Separator { .. } if any => return None,
            Line::Separator { content: false } => {}
            Line::Separator { content: true } | Line::Content => break *number,
        }
    };
    if begun {
        return Some(first..=first);
    }
    let own = below.take_while(|(_, text)| !matches!(line(text), Line::Separator { .. }));
    let last = own.filter(|(_, text)| matches!(line(text), Line::Content)).last();
    Some(first..=last.map_or(first, |(number, _)| *number))
}

/// Where the `#` of such a comment stands.
fn mark(text: &str) -> Option<usize> {
    text.match_indices('#').map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let rest = text[at + 1..].trim_start().strip_prefix(MARK).map(str::trim_start);
        before.is_none_or(char::is_whitespace) && rest.is_some_and(|rest| rest.starts_with(WORD))
    })
}

/// Reads a comment, from its `#` on.
fn parse(text: &str) -> Comment {
    let text = text.trim_start_matches('#').trim_start().trim_start_matches(MARK).trim();
    let mut comment = Comment {
        line: 0,
        column: 0,
        text: WORD.to_owned(),
        checks: Vec::new(),
        until: None,
        reason: None,
        unread: true,
        lines: 0..=0,
    };
    let Some((ids, mut rest)) = text.strip_prefix(WORD).and_then(|rest| rest.strip_prefix('[')?.split_once(']')) else {
        return comment;
    };
    comment.text = format!("{WORD}[{ids}]");
    comment.checks = ids.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
    comment.unread = comment.checks.is_empty();
    while !rest.trim_start().is_empty() {
        rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix("until=") {
            let end = value.find(char::is_whitespace).unwrap_or(value.len());
            comment.until = Some(value[..end].to_owned()).filter(|until| !until.is_empty());
            rest = &value[end..];
        } else if let Some(value) = rest.strip_prefix("reason=") {
            let (reason, behind) = match value.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
                Some(parts) => parts,
                None => value.split_at(value.find(" until=").unwrap_or(value.len())),
            };
            comment.reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
            rest = behind;
        } else {
            comment.unread = true;
            break;
        }
    }
    comment
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The line of a comment, and those it covers.
    type Covered = (u32, RangeInclusive<u32>);

    fn lines(text: &str) -> Vec<Covered> {
        let source = Source::new("a.yaml".to_owned(), text.to_owned());
        read(&source).into_iter().map(|comment| (comment.line, comment.lines)).collect()
    }

    const IGNORE: &str = "# walguard: ignore[a/b] until=2027-03-31 reason=x";

    #[test]
    fn a_comment_covers_its_line_the_next_one_or_its_document() {
        let cases: [(&str, &[Covered]); 12] = [
            ("a: 1\nb: 2 IGNORE\nc: 3\n", &[(2, 2..=2)]),
            ("a: 1\nIGNORE\n# more\n\nb: 2\nc: 3\n", &[(2, 5..=5)]),
            ("a:\n  IGNORE\n  IGNORE\n  b: 2\n", &[(2, 4..=4), (3, 4..=4)]),
            ("# licence\nIGNORE\na: 1\nb: 2\n", &[(2, 3..=4)]),
            ("IGNORE\n---\na: 1\n---\nb: 2\n", &[(1, 3..=3)]),
            ("a: 1\n---\nIGNORE\nb: 2\nc: 3\n---\nd: 4\n", &[(3, 4..=5)]),
            ("a: 1\n--- IGNORE\nb: 2\nc: 3\n", &[(2, 3..=4)]),
            ("a: 1\nIGNORE\n---\nb: 2\n", &[(2, 2..=2)]),
            ("a: 1\nIGNORE\n", &[(2, 2..=2)]),
            ("a: 1\r\nb: 2 IGNORE\r\n", &[(2, 2..=2)]),
            ("a: 1#walguard: ignore[a/b]\nb: 'x# walguard: ignore[a/b]'\n# walguard: see docs\n", &[]),
            ("---\n---\nIGNORE\na: 1\n", &[(3, 4..=4)]),
        ];
        for (text, expected) in cases {
            assert_eq!(lines(&text.replace("IGNORE", IGNORE)), expected, "{text}");
        }
    }

    #[test]
    fn what_a_comment_says() {
        let read = |text: &str| {
            let Comment { checks, until, reason, unread, .. } = parse(text);
            (checks.join(" "), until.unwrap_or_default(), reason.unwrap_or_default(), unread)
        };
        let said =
            |checks: &str, until: &str, reason: &str| (checks.to_owned(), until.to_owned(), reason.to_owned(), false);
        assert_eq!(read(IGNORE), said("a/b", "2027-03-31", "x"));
        let both = "#walguard:ignore[ a/b,c/ ] reason=two words, OPS-1 until=2027-03-31";
        assert_eq!(read(both), said("a/b c/", "2027-03-31", "two words, OPS-1"));
        let quoted = "# walguard: ignore[a/b] reason=\"it is until=later\" until=2027-03-31 ";
        assert_eq!(read(quoted), said("a/b", "2027-03-31", "it is until=later"));
        assert_eq!(read("# walguard: ignore[a/b]"), said("a/b", "", ""));
        assert_eq!(read("# walguard: ignore[a/b] until= reason="), said("a/b", "", ""));
        for text in ["# walguard: ignore", "# walguard: ignore[", "# walguard: ignore[]", "# walguard: ignore[a/b] why"]
        {
            assert!(read(text).3, "{text}");
        }
    }

    #[test]
    fn a_comment_is_pointed_at_where_it_begins() {
        let source = Source::new("a.yaml".to_owned(), format!("größe:\n  é: 1 {IGNORE}  \n"));
        let comment = read(&source).remove(0);
        let location = comment.location(&source);
        assert_eq!((location.line, location.column), (2, 8));
        assert_eq!(&source.text[location.bytes], IGNORE);
    }

    #[test]
    fn a_comment_that_is_written_is_read() {
        assert_eq!(ignoring("a/b", "2027-03-31", "x").as_deref(), Some(IGNORE));
        assert_eq!(ignoring("policy/waiver_expired", "2027-03-31", "x"), None);
        assert_eq!(ignoring(OF_COMMENTS, "2027-03-31", "x"), None);
    }
}
