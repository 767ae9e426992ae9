//! What the rules say of changed manifests: each change alone – a field left out, a number at the edge where the verdict turns, a value that
//! other manifests have – of a document of the repository, and what is said then that was not said before, or no more.
//!
//! `tests/mutants/changes/` holds them, `tests/mutants/answers.txt` what else hosts ask. `WALGUARD_CHANGES=renew cargo test -p
//! walguard-engine --test changes` takes what is said now as right and forgets the changes that have lost their place; read the difference
//! before it is committed. `WALGUARD_CHANGES=search cargo test --release -p walguard-engine --test changes` looks for changes anew (see
//! `search.rs`). The changed reviews are written to `target/tmp/changes.jsonl` too, where `make rego-mutants` finds them.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../corpus/mod.rs"]
mod corpus;
mod edit;
mod questions;
mod search;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use corpus::{Review, reviews, root};
use edit::Change;
use serde_json::json;
use walguard_engine::{Engine, Rules};

/// A finding as it is compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    /// Severity – and what a host does, where that is not what it does by default –, check and place.
    what: String,
    /// The message, and the fixes.
    message: String,
}

/// What is said of a review.
fn said(engine: &mut Engine, review: &Review) -> Vec<Line> {
    let findings = match engine.evaluate(&review.value()) {
        Ok(findings) => findings,
        Err(error) => return vec![Line { what: "no verdict".into(), message: error.to_string() }],
    };
    let lines = findings.into_iter().map(|finding| {
        let default = match finding.severity.as_str() {
            "error" => "Deny",
            "warning" => "Warn",
            _ => "Audit",
        };
        let action = format!("{:?}", finding.action);
        let action = if action == default { String::new() } else { format!(" ({})", action.to_lowercase()) };
        let what = format!("{}{action} {} {}", finding.severity, finding.check, finding.field());
        let mut message = finding.message;
        for fix in finding.fix {
            write!(message, " | fix {fix}").unwrap();
        }
        Line { what: what.replace('\n', "\\n"), message: message.replace('\n', "\\n") }
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

/// What is said more (+), no more (-), or in other words (~).
fn difference(before: &[Line], after: &[Line]) -> Vec<(char, Line)> {
    let rest = |of: &[Line], without: &[Line]| {
        let mut of = of.to_vec();
        for line in without {
            if let Some(at) = of.iter().position(|other| other == line) {
                of.remove(at);
            }
        }
        of
    };
    let (mut gone, new) = (rest(before, after), rest(after, before));
    let mut lines: Vec<_> = new
        .into_iter()
        .map(|line| match gone.iter().position(|other| other.what == line.what) {
            Some(at) => {
                gone.remove(at);
                ('~', line)
            }
            None => ('+', line),
        })
        .collect();
    lines.extend(gone.into_iter().map(|line| ('-', line)));
    lines.sort_by(|a, b| a.1.cmp(&b.1));
    lines
}

fn shown(lines: &[(char, Line)]) -> String {
    let mut text = String::new();
    for (sign, line) in lines {
        match sign {
            '-' => writeln!(text, "    - {}", line.what).unwrap(),
            sign => writeln!(text, "    {sign} {}: {}", line.what, begun(&line.message)).unwrap(),
        }
    }
    text
}

/// How a message begins, and a number that is another one where a word of the rest is.
fn begun(message: &str) -> String {
    const LONGEST: usize = 80;
    if message.chars().count() <= LONGEST {
        return message.to_owned();
    }
    let begin: String = message.chars().take(LONGEST).collect();
    // FNV-1a, which is the same everywhere and for ever.
    let digest = message.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{begin}… {digest:08x}")
}

/// Reviews by the name that the files of changes call them.
fn named(reviews: Vec<Review>) -> Vec<(String, Review)> {
    let mut seen = BTreeMap::<String, usize>::new();
    let name = |review: Review| {
        let name = format!("{} {}", review.file, review.title());
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        (if *count > 1 { format!("{name} ({count})") } else { name }, review)
    };
    reviews.into_iter().map(name).collect()
}

fn directory() -> PathBuf {
    root().join("tests/mutants/changes")
}

/// The changes of a page, by review: name, and for each change its text and what is written below it.
type Page = Vec<(String, Vec<(String, String)>)>;

fn read(text: &str) -> Page {
    let mut page = Page::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("    ") {
            let (_, said) = page.last_mut().unwrap().1.last_mut().unwrap();
            writeln!(said, "    {rest}").unwrap();
        } else if let Some(change) = line.strip_prefix("  ") {
            page.last_mut().unwrap().1.push((change.to_owned(), String::new()));
        } else if !line.is_empty() {
            page.push((line.to_owned(), Vec::new()));
        }
    }
    page
}

fn write(page: &Page) -> String {
    let mut text = String::new();
    for (name, changes) in page {
        writeln!(text, "{name}").unwrap();
        for (change, said) in changes {
            write!(text, "  {change}\n{said}").unwrap();
        }
    }
    text
}

fn pages() -> BTreeMap<String, Page> {
    let files = fs::read_dir(directory()).into_iter().flatten().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.map(|path| (name(&path), read(&fs::read_to_string(&path).unwrap()))).collect()
}

#[test]
fn of_changed_manifests() {
    let asked = std::env::var("WALGUARD_CHANGES").unwrap_or_default();
    let mut engine = Engine::new(&Rules::embedded()).unwrap();
    let reviews = named(reviews(&root()));
    let renew = asked == "renew" || asked == "search";
    if asked == "search" {
        let found = search::search(&engine, &reviews);
        fs::create_dir_all(directory()).unwrap();
        for old in fs::read_dir(directory()).unwrap() {
            fs::remove_file(old.unwrap().path()).unwrap();
        }
        for (page, changes) in found {
            fs::write(directory().join(format!("{page}.txt")), write(&changes)).unwrap();
        }
    }
    let by_name: BTreeMap<&str, &Review> = reviews.iter().map(|(name, review)| (name.as_str(), review)).collect();
    let temporary = fs::File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("changes.jsonl")).unwrap();
    let mut inputs = std::io::BufWriter::new(temporary);
    // Rules that contradict themselves are never right.
    let (mut wrong, mut undecided) = (String::new(), String::new());
    for (page, changes) in pages() {
        let mut now = Page::new();
        for (name, changes) in changes {
            let review = by_name.get(name.as_str());
            let before = review.map(|review| said(&mut engine, review)).unwrap_or_default();
            let mut kept = Vec::new();
            for (text, expected) in changes {
                let changed = review.and_then(|review| Change::read(&text)?.applied(review));
                let Some(changed) = changed else {
                    writeln!(wrong, "{name}\n  {text}\n    has no place any more").unwrap();
                    continue;
                };
                let got = shown(&difference(&before, &said(&mut engine, &changed)));
                if got.contains("+ no verdict") {
                    writeln!(undecided, "{name}\n  {text}\n{got}").unwrap();
                }
                if got != expected {
                    writeln!(wrong, "{name}\n  {text}\n{got}  where stood\n{expected}").unwrap();
                }
                writeln!(inputs, "{}", json!({"file": format!("{name}: {text}"), "input": changed.input()})).unwrap();
                kept.push((text, got));
            }
            if !kept.is_empty() {
                now.push((name, kept));
            }
        }
        if renew {
            fs::write(directory().join(format!("{page}.txt")), write(&now)).unwrap();
        }
    }
    let mut answers = String::new();
    for (name, rule, input) in questions::questions(&mut engine, &reviews) {
        let answer = questions::answer(&mut engine, rule, &input);
        if !answer.is_null() {
            writeln!(answers, "{rule} {name}\n  {}", begun(&answer.to_string())).unwrap();
            writeln!(inputs, "{}", json!({"file": name, "query": rule, "input": input})).unwrap();
        }
    }
    let file = root().join("tests/mutants/answers.txt");
    if renew {
        fs::write(&file, &answers).unwrap();
    } else {
        let before = fs::read_to_string(&file).unwrap_or_default();
        let (before, now): (Vec<_>, Vec<_>) = (before.lines().collect(), answers.lines().collect());
        for line in now.iter().filter(|line| !before.contains(line)) {
            writeln!(wrong, "{}: new is {line}", file.display()).unwrap();
        }
        assert!(!wrong.is_empty() || before == now, "{}: lines are gone", file.display());
    }
    assert!(undecided.is_empty(), "{undecided}");
    assert!(
        renew || wrong.is_empty(),
        "{wrong}\nWALGUARD_CHANGES=renew cargo test -p walguard-engine --test changes takes this as right"
    );
}
