//! Looks for changes that make a difference, each of another kind.
//!
//! Every place of every review is changed in every way below, at a few reviews of each kind where there are many; of a number the two values
//! are kept between which the verdict turns. Of what makes a difference as much is kept as there is room for: first the changes that show most
//! that others do not show – a line of such words comes or goes by such a change, a check depends on a field of this name.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use serde_json::{Value as Json, json};
use walguard_engine::Engine;

use crate::corpus::{Review, root};
use crate::edit::{Change, Edit, Form, escaped, one, walk};
use crate::{Line, Page, difference, said, shown};

/// A change, what is said of it otherwise than before, and the hash of that without its numbers.
type Tried = (Change, Vec<(char, Line)>, u64);

/// At how many places of the same kind a value of another place is tried, and of one place how many.
const TRIES: u8 = 3;
const VALUES: usize = 30;
/// A name that stands beside more words in the rules says nothing of them.
const WORDS: usize = 200;
/// Longer values are not copied to other places.
const LONGEST: usize = 400;
/// Longer changes are hard to read.
const LONGEST_CHANGE: usize = 230;
/// How long all pages may become together.
const ROOM: usize = 3_400_000;

/// What becomes of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    /// It is gone, empty, or of a type that it must not have.
    Absent,
    /// It is another one.
    Other,
    /// It is the last before something changes, or the first after that.
    Edge,
    Policy,
    Update,
}

enum Try {
    Once(Sort, Change),
    /// A number within a text, or one that is a value: the values between which something changes.
    Number(Change, Numeral),
}

#[derive(Clone)]
struct Numeral {
    before: String,
    digits: String,
    after: String,
    /// Whether it is a number, and no text.
    bare: bool,
    /// Where the digits stand: a line of a text, or the whole.
    line: Option<usize>,
    /// What the value is wrapped in.
    policy: Option<(String, String)>,
}

struct Found {
    review: usize,
    change: Change,
    lines: Vec<(char, Line)>,
    /// What it shows.
    keys: Vec<u64>,
}

/// What stands at places of the same kind in other manifests.
#[derive(Default)]
struct Known {
    values: HashMap<String, BTreeSet<String>>,
    fields: HashMap<String, BTreeMap<String, BTreeSet<String>>>,
    members: HashMap<String, BTreeSet<String>>,
    lines: HashMap<String, BTreeSet<String>>,
    /// Words that stand in the rules which read a field of this name.
    words: HashMap<String, BTreeSet<String>>,
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Without numbers: `#` for each row of digits.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if plain.ends_with('#') => {}
            '0'..='9' => plain.push('#'),
            c => plain.push(c),
        }
    }
    plain
}

/// A pointer without places in lists, below its kind.
fn generic(kind: &str, pointer: &str) -> String {
    let mut text = kind.to_owned();
    for part in pointer.split('/').skip(1) {
        text.push('/');
        text.push_str(if part.bytes().all(|b| b.is_ascii_digit()) { "#" } else { part });
    }
    text
}

fn last(pointer: &str) -> &str {
    pointer.rsplit('/').find(|part| !part.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default()
}

/// Everything of a review that can be changed: where it stands, its kind, the value.
fn roots(review: &Review) -> Vec<(String, String, &Json)> {
    let kind = |object: &Json| object["kind"].as_str().unwrap_or_default().to_owned();
    let mut roots = vec![("/object".to_owned(), kind(&review.request["object"]), &review.request["object"])];
    if review.request["oldObject"].is_object() {
        roots.push((
            "/oldObject".to_owned(),
            format!("old {}", kind(&review.request["oldObject"])),
            &review.request["oldObject"],
        ));
    }
    if review.request["userInfo"].is_object() {
        roots.push(("/userInfo".to_owned(), "userInfo".to_owned(), &review.request["userInfo"]));
    }
    for (at, other) in review.among.iter().enumerate().filter(|(_, other)| other.is_object()) {
        roots.push((format!("/among/{at}"), format!("other {}", kind(other)), other));
    }
    if review.policy.is_object() {
        roots.push(("/parameters".to_owned(), "policy".to_owned(), &review.policy));
    }
    roots
}

impl Known {
    fn of(reviews: &[(String, Review)]) -> Self {
        let mut known = Self::default();
        for (_, review) in reviews {
            for (_, kind, root) in roots(review) {
                let kind = kind.strip_prefix("old ").or(kind.strip_prefix("other ")).unwrap_or(&kind);
                walk(root, &mut String::new(), &mut |pointer, value| {
                    let place = generic(kind, pointer);
                    match value {
                        Json::Object(fields) => {
                            let there = known.fields.entry(place).or_default();
                            for (key, value) in fields {
                                let text = value.to_string();
                                if text.len() <= LONGEST {
                                    there.entry(key.clone()).or_default().insert(text);
                                }
                            }
                        }
                        Json::Array(members) => {
                            let texts = members.iter().map(Json::to_string).filter(|text| text.len() <= LONGEST);
                            known.members.entry(place).or_default().extend(texts);
                        }
                        Json::String(text) if text.contains('\n') => {
                            let lines = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned);
                            known.lines.entry(place).or_default().extend(lines);
                        }
                        other => drop(known.values.entry(place).or_default().insert(other.to_string())),
                    }
                });
            }
        }
        known.read_rules(&root().join("rules"));
        known
    }

    fn read_rules(&mut self, directory: &Path) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                self.read_rules(&path);
            } else if name.ends_with(".rego")
                && !name.ends_with("_test.rego")
                && !matches!(name.as_str(), "index.rego" | "catalogue.rego")
            {
                let text = fs::read_to_string(&path).unwrap();
                if text.len() > 60_000 {
                    continue;
                }
                let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
                let words: BTreeSet<_> = code
                    .flat_map(|line| line.split('"').skip(1).step_by(2))
                    .filter(|word| !word.is_empty() && word.len() < 60 && !word.contains(['%', ' ']))
                    .map(str::to_owned)
                    .collect();
                for word in &words {
                    self.words.entry(word.clone()).or_default().extend(words.iter().cloned());
                }
            }
        }
    }
}

/// A number in a text and what stands around it.
fn numerals(text: &str) -> Vec<(String, String, String)> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() && found.len() < 4 {
        if bytes[at].is_ascii_digit() {
            let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            if digits < 12 {
                found.push((text[..at].to_owned(), text[at..at + digits].to_owned(), text[at + digits..].to_owned()));
            }
            at += digits;
        } else {
            at += 1;
        }
    }
    found
}

impl Numeral {
    fn at(&self, change: &Change, n: i64) -> Change {
        let text = format!("{}{n}{}", self.before, self.after);
        let mut change = change.clone();
        change.edit = match (&self.policy, self.line) {
            (Some((id, name)), _) => Edit::Set(one("checks", one(id, one("settings", one(name, json!(n)))))),
            (None, Some(line)) => Edit::Line(line, text),
            (None, None) if self.bare => Edit::Set(json!(n)),
            (None, None) => Edit::Set(text.into()),
        };
        change
    }
}

const UNITS: [&[&str]; 5] = [
    &["Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T", "m", ""],
    &["kB", "MB", "GB", "TB", "B", ""],
    &["ms", "s", "min", "h", "d", "us", ""],
    &["ms", "s", "m", "h", "w", ""],
    &["%", ""],
];

/// Texts that turn the meaning of one.
fn opposite(text: &str) -> Vec<&'static str> {
    match text.to_ascii_lowercase().as_str() {
        "on" => vec!["off", "true", "no", "of"],
        "off" => vec!["on", "false", "yes"],
        "true" | "yes" => vec!["false", "on"],
        "false" | "no" => vec!["true", "off"],
        _ => vec![],
    }
}

struct Tries<'k> {
    known: &'k Known,
    tried: HashMap<u64, u8>,
    list: Vec<Try>,
}

impl Tries<'_> {
    /// Whether a value has not been tried at enough places of this kind.
    fn rare(&mut self, place: &str, what: &str, limit: u8) -> bool {
        let count = self.tried.entry(hash(&(place, what))).or_default();
        *count = count.saturating_add(1);
        *count <= limit
    }

    fn once(&mut self, sort: Sort, form: Form, path: &str, edit: Edit) {
        self.list.push(Try::Once(sort, Change { form, path: path.to_owned(), edit }));
    }

    fn set(&mut self, sort: Sort, path: &str, value: Json) {
        self.once(sort, Form::Plain, path, Edit::Set(value));
    }

    fn review(&mut self, review: &Review, engine: &Engine) {
        let updated = review.request["oldObject"].is_null();
        for (at, kind, root) in roots(review) {
            let bare = kind.strip_prefix("old ").or(kind.strip_prefix("other ")).unwrap_or(&kind).to_owned();
            if at.starts_with("/among/") {
                self.once(Sort::Absent, Form::Plain, &at, Edit::Drop);
            }
            walk(root, &mut String::new(), &mut |pointer, value| {
                let (path, place, own) = (format!("{at}{pointer}"), generic(&bare, pointer), generic(&kind, pointer));
                if pointer.is_empty() {
                    self.fields(&path, &place, &own, value);
                } else {
                    self.place(&path, &place, &own, value);
                    if at == "/object" && updated && self.rare(&own, "update", 12) {
                        self.once(Sort::Update, Form::Update, &path, Edit::Drop);
                        self.once(Sort::Update, Form::Back, &path, Edit::Drop);
                    }
                }
            });
        }
        if updated {
            self.once(Sort::Update, Form::Update, "", Edit::None);
        }
        for year in ["2025", "2027", "2029", "2036"] {
            self.set(Sort::Other, "/now", review.now.replace("2026", year).into());
        }
        self.set(Sort::Other, "/complete", (!review.complete).into());
        if review.policy.is_null() {
            let area = review.file.strip_prefix("rules/checks/").and_then(|rest| rest.rsplit_once('/'));
            if let Some((id, check)) = area.and_then(|(id, _)| Some((id, engine.catalogue().checks.get(id)?))) {
                for severity in ["error", "warning", "info", "off"] {
                    self.set(Sort::Policy, "/parameters", one("checks", one(id, one("severity", severity.into()))));
                }
                for mode in ["warn", "audit"] {
                    self.set(Sort::Policy, "/parameters", one("mode", mode.into()));
                }
                for (name, setting) in &check.settings {
                    if let Some(default) = setting.default.as_f64() {
                        let change = Change { form: Form::Plain, path: "/parameters".to_owned(), edit: Edit::None };
                        let numeral = Numeral {
                            before: String::new(),
                            digits: format!("{default:.0}"),
                            after: String::new(),
                            bare: true,
                            line: None,
                            policy: Some((id.to_owned(), name.clone())),
                        };
                        self.list.push(Try::Number(change, numeral));
                    }
                }
            }
        }
    }

    /// Fields that objects of this kind have elsewhere.
    fn fields(&mut self, path: &str, place: &str, own: &str, value: &Json) {
        let (Some(fields), known) = (value.as_object(), self.known) else { return };
        for (key, values) in known.fields.get(place).into_iter().flatten() {
            if !fields.contains_key(key) {
                for value in values.iter().take(VALUES) {
                    if self.rare(own, &format!("+{key}{value}"), 2 * TRIES) {
                        let value = serde_json::from_str(value).unwrap();
                        self.set(Sort::Other, &format!("{path}/{}", escaped(key)), value);
                    }
                }
            }
        }
    }

    fn place(&mut self, path: &str, place: &str, own: &str, value: &Json) {
        let known = self.known;
        self.once(Sort::Absent, Form::Plain, path, Edit::Drop);
        for other in [Json::Null, true.into(), 7.into(), "x".into(), json!([]), json!({})] {
            if std::mem::discriminant(&other) != std::mem::discriminant(value) && self.rare(own, &other.to_string(), 12)
            {
                self.set(Sort::Absent, path, other);
            }
        }
        match value {
            Json::Object(_) => {
                self.set(Sort::Absent, path, json!({}));
                self.fields(path, place, own, value);
            }
            Json::Array(members) => {
                self.set(Sort::Absent, path, json!([]));
                if !members.is_empty() {
                    self.once(Sort::Other, Form::Plain, path, Edit::Repeat);
                }
                if members.len() > 1 {
                    self.once(Sort::Other, Form::Plain, path, Edit::Reverse);
                }
                for other in known.members.get(place).into_iter().flatten().take(VALUES) {
                    let member: Json = serde_json::from_str(other).unwrap();
                    if !members.contains(&member) && self.rare(own, other, TRIES) {
                        self.once(Sort::Other, Form::Plain, path, Edit::Add(member));
                    }
                }
            }
            Json::Bool(word) => self.set(Sort::Other, path, (!word).into()),
            Json::Number(number) => {
                if let Some(n) = number.as_i64() {
                    let (before, after) = (String::new(), String::new());
                    self.number(
                        path,
                        Numeral { before, digits: n.to_string(), after, bare: true, line: None, policy: None },
                    );
                    self.set(Sort::Absent, path, n.to_string().into());
                    self.set(Sort::Other, path, json!(-1));
                    self.set(Sort::Other, path, json!(0.5));
                }
            }
            Json::String(text) if text.contains('\n') => self.text(path, place, own, text),
            Json::String(text) => {
                self.set(Sort::Absent, path, "".into());
                self.set(Sort::Other, path, format!("{text}x").into());
                self.set(Sort::Other, path, format!("x{text}").into());
                for other in opposite(text) {
                    self.set(Sort::Other, path, other.into());
                }
                for (before, digits, after) in numerals(text) {
                    if before.is_empty() {
                        for unit in UNITS.iter().filter(|units| units.contains(&after.as_str())).copied().flatten() {
                            if *unit != after {
                                self.set(Sort::Other, path, format!("{digits}{unit}").into());
                            }
                        }
                    }
                    self.number(path, Numeral { before, digits, after, bare: false, line: None, policy: None });
                }
                if let Ok(n) = text.parse::<i64>() {
                    self.set(Sort::Absent, path, n.into());
                }
                let words = known.words.get(last(path)).filter(|words| words.len() <= WORDS);
                let words = words.into_iter().flatten().map(|word| json!(word).to_string());
                let values = known.values.get(place).into_iter().flatten().take(4 * VALUES).cloned().chain(words);
                for other in values {
                    if self.rare(own, &other, TRIES) {
                        self.set(Sort::Other, path, serde_json::from_str(&other).unwrap());
                    }
                }
            }
            Json::Null => {}
        }
    }

    fn text(&mut self, path: &str, place: &str, own: &str, text: &str) {
        let known = self.known;
        self.set(Sort::Absent, path, "".into());
        for (at, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || !self.rare(own, line, 8) {
                continue;
            }
            self.once(Sort::Other, Form::Plain, path, Edit::Cut(at));
            self.once(Sort::Other, Form::Plain, path, Edit::Line(at, format!("#{line}")));
            for (before, digits, after) in numerals(line) {
                self.number(path, Numeral { before, digits, after, bare: false, line: Some(at), policy: None });
            }
            for (word, others) in line.split([' ', '=', '\'', '"']).map(|word| (word, opposite(word))) {
                for other in others {
                    self.once(Sort::Other, Form::Plain, path, Edit::Line(at, line.replace(word, other)));
                }
            }
        }
        for line in known.lines.get(place).into_iter().flatten().take(5 * VALUES) {
            if !text.contains(line.as_str()) && self.rare(own, line, TRIES) {
                let indent = |line: &str| line.len() - line.trim_start().len();
                let at = (1..).zip(text.lines()).find(|(_, other)| indent(other) == indent(line));
                if let Some((at, _)) = at {
                    self.once(Sort::Other, Form::Plain, path, Edit::Insert(at, line.clone()));
                }
            }
        }
    }

    fn number(&mut self, path: &str, numeral: Numeral) {
        if !self.rare(&generic("", path), &format!("{}#{}", numeral.before, numeral.digits), 6) {
            return;
        }
        let change = Change { form: Form::Plain, path: path.to_owned(), edit: Edit::None };
        self.list.push(Try::Number(change, numeral));
    }
}

struct Judge<'r> {
    engine: Engine,
    review: &'r Review,
    number: usize,
    before: Vec<Line>,
    evaluations: usize,
    found: Vec<Found>,
}

impl Judge<'_> {
    fn lines(&mut self, change: &Change) -> Option<Vec<(char, Line)>> {
        let changed = change.applied(self.review)?;
        self.evaluations += 1;
        let after = said(&mut self.engine, &changed);
        // Against what is said of the changed object without the change of its form.
        Some(difference(&self.before, &after))
    }

    /// That such a line comes or goes by such a change, and that a check depends on a field of this name.
    fn keys(sort: Sort, change: &Change, lines: &[(char, Line)], side: u8) -> Vec<u64> {
        let keys = lines.iter().flat_map(|(sign, line)| {
            let (severity, rest) = line.what.split_once(' ').unwrap_or_default();
            let check = rest.split(' ').find(|word| !word.starts_with('(')).unwrap_or_default();
            let said = hash(&(sort, change.form, side, sign, severity, check, skeleton(&line.message)));
            [said, hash(&(sort, change.form, side, check, last(&change.path)))]
        });
        keys.collect()
    }

    fn keep(&mut self, sort: Sort, change: Change, lines: Vec<(char, Line)>) {
        let keys = Self::keys(sort, &change, &lines, 0);
        self.found.push(Found { review: self.number, change, lines, keys });
    }

    fn asked(&mut self, one: Try) {
        match one {
            Try::Once(sort, change) => {
                let Some(lines) = self.lines(&change) else { return };
                if change.form != Form::Plain {
                    // What the change makes without an UPDATE is asked elsewhere.
                    let plain = Change { form: Form::Plain, ..change.clone() };
                    let same =
                        if change.form == Form::Update { self.lines(&plain).unwrap_or_default() } else { Vec::new() };
                    if same == lines {
                        return;
                    }
                    let mut differing = difference_of(&lines, &same);
                    differing.extend(difference_of(&same, &lines));
                    let keys = Self::keys(sort, &change, &differing, 0);
                    self.found.push(Found { review: self.number, change, lines, keys });
                    return;
                }
                if !lines.is_empty() {
                    self.keep(sort, change, lines);
                }
            }
            Try::Number(change, numeral) => self.number(&change, &numeral),
        }
    }

    fn number(&mut self, change: &Change, numeral: &Numeral) {
        let Ok(n) = numeral.digits.parse::<i64>() else { return };
        let steps = [0, 1, 2, n / 10, n / 4, n / 2, n - 1, n, n + 1, 2 * n, 4 * n, 10 * n, 100 * n, 1000 * n];
        let steps: BTreeSet<i64> = steps.into_iter().filter(|n| *n >= 0).collect();
        let at = |judge: &mut Self, n: i64| {
            let change = numeral.at(change, n);
            let lines = judge.lines(&change).unwrap_or_default();
            let words: Vec<_> = lines
                .iter()
                .filter(|(sign, _)| *sign != '~')
                .map(|(sign, line)| (*sign, plain(&line.what), plain(&line.message)))
                .collect();
            let changed: Vec<_> = lines
                .iter()
                .filter(|(sign, _)| *sign == '~')
                .map(|(_, line)| (plain(&line.what), plain(&line.message)))
                .collect();
            // Numbers in what is said follow the number: no edge.
            let same: BTreeSet<_> = judge.before.iter().map(|line| (plain(&line.what), plain(&line.message))).collect();
            let changed: Vec<_> = changed.into_iter().filter(|line| !same.contains(line)).collect();
            (change, lines, hash(&(words, changed)))
        };
        let mut below: Option<(i64, Tried)> = None;
        for step in steps {
            let here = at(self, step);
            if step != n && !here.1.is_empty() {
                self.keep(Sort::Other, here.0.clone(), here.1.clone());
            }
            if let Some((mut low, mut lower)) = below.take()
                && lower.2 != here.2
            {
                let (mut high, mut higher) = (step, here.clone());
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    let there = at(self, middle);
                    if there.2 == lower.2 {
                        (low, lower) = (middle, there);
                    } else {
                        (high, higher) = (middle, there);
                    }
                }
                // Both sides, known by what is said of one and not of the other.
                let differs = |a: &[(char, Line)], b: &[(char, Line)]| -> Vec<(char, Line)> {
                    let bare = |line: &(char, Line)| (line.0, plain(&line.1.what), plain(&line.1.message));
                    let others: HashSet<_> = b.iter().map(bare).collect();
                    a.iter().filter(|line| !others.contains(&bare(line))).cloned().collect()
                };
                let lines: Vec<_> =
                    differs(&lower.1, &higher.1).into_iter().chain(differs(&higher.1, &lower.1)).collect();
                for (side, (change, said, _), at) in [(0, lower, low), (1, higher, high)] {
                    if at != n {
                        let keys = Self::keys(Sort::Edge, &change, &lines, side);
                        self.found.push(Found { review: self.number, change, lines: said, keys });
                    }
                }
            }
            below = Some((step, here));
        }
    }
}

fn difference_of(lines: &[(char, Line)], without: &[(char, Line)]) -> Vec<(char, Line)> {
    lines.iter().filter(|line| !without.contains(line)).cloned().collect()
}

/// A message without names, numbers and what a manifest says.
fn skeleton(message: &str) -> String {
    let own = |word: &&str| {
        let word = word.trim_end_matches(['.', ',', ':', ';']);
        !word.contains(|c: char| c.is_ascii_digit() || "=/_.\"()".contains(c))
    };
    let message = message.split_once(" | fix").map_or(message, |(before, _)| before);
    message.split(' ').map(|word| if own(&word) { word } else { "#" }).collect::<Vec<_>>().join(" ")
}

impl Found {
    /// In bytes, about.
    fn size(&self) -> usize {
        let lines = self.lines.iter().map(|(sign, line)| line.what.len() + 9 + if *sign == '-' { 0 } else { 75 });
        self.change.to_string().len() + 3 + lines.sum::<usize>()
    }

    fn order(&self) -> (usize, String) {
        (self.review, self.change.to_string())
    }
}

/// Those that show most that the others do not, for their size, until there is no more room.
fn chosen(mut found: Vec<Found>, room: usize) -> Vec<Found> {
    found.retain(|one| one.change.to_string().len() <= LONGEST_CHANGE && !one.change.path.contains([' ', '\n']));
    found.sort_by_cached_key(Found::order);
    // What a size of 100 bytes shows, in thousandths.
    let worth = |one: &Found, seen: &HashSet<u64>| {
        let new: HashSet<_> = one.keys.iter().filter(|key| !seen.contains(key)).collect();
        100_000 * new.len() / (100 + one.size())
    };
    let (mut seen, mut size, mut kept) = (HashSet::new(), 0, Vec::new());
    let mut queue: BinaryHeap<_> = found.iter().enumerate().map(|(at, one)| (worth(one, &seen), Reverse(at))).collect();
    while let Some((promised, Reverse(at))) = queue.pop() {
        let now = worth(&found[at], &seen);
        if now == 0 {
            continue;
        }
        if now < promised {
            queue.push((now, Reverse(at)));
            continue;
        }
        size += found[at].size();
        if size > room {
            break;
        }
        seen.extend(&found[at].keys);
        kept.push(at);
    }
    let kept: HashSet<_> = kept.into_iter().collect();
    let mut at = 0..;
    found.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
    found
}

/// The changes worth keeping, by page.
pub fn search(engine: &Engine, reviews: &[(String, Review)]) -> BTreeMap<String, Page> {
    let known = Known::of(reviews);
    let only = env::var("WALGUARD_ONLY").unwrap_or_default();
    let threads = env::var("WALGUARD_THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let mut tries = Tries { known: &known, tried: HashMap::new(), list: Vec::new() };
    let mut all: Vec<(usize, Vec<Try>)> = Vec::new();
    // In another order than that of the files: neighbours are alike.
    let mut order: Vec<usize> = (0..reviews.len()).filter(|at| reviews[*at].0.contains(&only)).collect();
    order.sort_by_key(|at| hash(&("changes", &reviews[*at].0)));
    for at in order {
        tries.review(&reviews[at].1, engine);
        all.push((at, std::mem::take(&mut tries.list)));
    }
    let total: usize = all.iter().map(|(_, tries)| tries.len()).sum();
    eprintln!("{} reviews, {total} changes", all.len());
    let (work, evaluations) = (Mutex::new(all.into_iter()), AtomicUsize::new(0));
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((number, tries)) = next else { break };
                    let (mut engine, review) = (engine.clone(), &reviews[number].1);
                    let before = said(&mut engine, review);
                    let mut judge = Judge { engine, review, number, before, evaluations: 0, found: Vec::new() };
                    tries.into_iter().for_each(|one| judge.asked(one));
                    evaluations.fetch_add(judge.evaluations, Ordering::Relaxed);
                    let mine = chosen(judge.found, usize::MAX);
                    found.lock().unwrap_or_else(PoisonError::into_inner).extend(mine);
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    eprintln!("{} evaluations, {} candidates", evaluations.into_inner(), found.len());
    let mut kept = chosen(found, ROOM);
    kept.sort_by_cached_key(|one| (one.review, one.change.path.clone(), one.change.to_string()));
    let mut pages = BTreeMap::<String, Page>::new();
    let mut size = 0;
    for one in &kept {
        let (name, review) = &reviews[one.review];
        let page = pages.entry(review.page()).or_default();
        if page.last().is_none_or(|(last, _)| last != name) {
            page.push((name.clone(), Vec::new()));
        }
        let text = (one.change.to_string(), shown(&one.lines));
        size += text.0.len() + text.1.len();
        page.last_mut().unwrap().1.push(text);
    }
    eprintln!("{} kept, {size} bytes", kept.len());
    pages
}
