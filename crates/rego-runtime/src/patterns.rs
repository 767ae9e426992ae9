//! Regular expressions with Go's meaning.
//!
//! Two crates read them. One compiles an expression in a twentieth of the time, the other is many times as quick on long texts: an expression
//! is one of the first until it has looked at so much text that the second pays. Those that are put together with the name of an object are
//! asked once or twice.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
#[cfg(feature = "fast-patterns")]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::words::Rank;
use crate::{Context, Value, Words};

/// Expressions that are not part of the program are forgotten beyond this many.
const OTHERS_MAX: usize = 100;
/// So many bytes of text take the small crate about as long as the fast one takes to compile an expression.
#[cfg(feature = "fast-patterns")]
const SMALL_BYTES: usize = 8 << 10;

/// Regular expressions, compiled once and shared by evaluations: those of the program by their rank, others by their text.
#[derive(Debug, Default)]
pub struct Patterns {
    /// The ranks of the expressions of the program, sorted.
    ranks: &'static [u16],
    words: Vec<Pattern>,
    others: Mutex<HashMap<String, Arc<Pattern>>>,
}

/// An expression, compiled when it is first asked for.
#[derive(Debug, Default)]
struct Pattern {
    #[cfg(feature = "fast-patterns")]
    small: OnceLock<Option<regex_lite::Regex>>,
    /// Bytes of the texts that the small one was asked about.
    #[cfg(feature = "fast-patterns")]
    asked: AtomicUsize,
    best: OnceLock<Option<Best>>,
}

/// An expression as the best crate that this program has compiles it.
#[cfg(feature = "fast-patterns")]
type Best = regex::Regex;
/// An expression as the best crate that this program has compiles it.
#[cfg(not(feature = "fast-patterns"))]
type Best = regex_lite::Regex;

/// An expression, of whichever crate.
#[derive(Clone, Copy)]
pub enum Regex<'p> {
    Small(&'p regex_lite::Regex),
    #[cfg(feature = "fast-patterns")]
    Fast(&'p regex::Regex),
}

/// The same of either crate.
macro_rules! either {
    ($expression:expr, $regex:ident => $use_it:expr) => {
        match $expression {
            Regex::Small($regex) => $use_it,
            #[cfg(feature = "fast-patterns")]
            Regex::Fast($regex) => $use_it,
        }
    };
}

impl<'p> Regex<'p> {
    #[cfg(feature = "fast-patterns")]
    const fn best(compiled: &'p Best) -> Self {
        Self::Fast(compiled)
    }

    #[cfg(not(feature = "fast-patterns"))]
    const fn best(compiled: &'p Best) -> Self {
        Self::Small(compiled)
    }

    pub fn as_str(self) -> &'p str {
        either!(self, regex => regex.as_str())
    }

    pub fn is_match(self, text: &str) -> bool {
        either!(self, regex => regex.is_match(text))
    }

    /// Calls with the place of each match.
    pub fn each(self, text: &str, most: usize, mut found: impl FnMut(Range<usize>)) {
        either!(self, regex => regex.find_iter(text).take(most).for_each(|part| found(part.range())));
    }

    /// Calls with the groups of each match: the number of them, and their texts, the whole one first.
    pub fn each_group<'t>(
        self,
        text: &'t str,
        most: usize,
        mut found: impl FnMut(usize, &mut dyn Iterator<Item = &'t str>),
    ) {
        either!(self, regex => regex.captures_iter(text).take(most).for_each(|groups| {
            found(groups.len(), &mut groups.iter().map(|part| part.map_or("", |part| part.as_str())));
        }));
    }

    pub fn replace_all<'t>(self, text: &'t str, new: &str) -> Cow<'t, str> {
        either!(self, regex => regex.replace_all(text, new))
    }
}

impl Pattern {
    fn best(&self, expression: &str) -> Option<&Best> {
        self.best.get_or_init(|| compile(expression)).as_ref()
    }

    /// The expression to ask about a text. The small crate knows no letters beyond ASCII.
    #[cfg(feature = "fast-patterns")]
    fn regex(&self, expression: &str, text: &str) -> Option<Regex<'_>> {
        if self.best.get().is_none()
            && text.is_ascii()
            && self.asked.fetch_add(text.len(), Ordering::Relaxed) < SMALL_BYTES
            && let Some(small) = self.small.get_or_init(|| small(expression))
        {
            return Some(Regex::Small(small));
        }
        self.best(expression).map(Regex::best)
    }

    #[cfg(not(feature = "fast-patterns"))]
    fn regex(&self, expression: &str, _text: &str) -> Option<Regex<'_>> {
        self.best(expression).map(Regex::best)
    }
}

impl Patterns {
    /// Room for the expressions of a program, which are its words of these ranks, sorted.
    #[must_use]
    pub fn of_words(ranks: &'static [u16]) -> Self {
        let words = ranks.iter().map(|_| Pattern::default()).collect();
        Self { ranks, words, others: Mutex::default() }
    }

    /// Compiles the expressions of the program now, instead of each when it is first asked for.
    ///
    /// # Errors
    /// With the first text that is no expression.
    pub fn prepare(&self, words: &Words) -> Result<(), &'static str> {
        for (rank, pattern) in self.ranks.iter().zip(&self.words) {
            let text = *words.text(Rank::from(*rank));
            pattern.best(text).ok_or(text)?;
        }
        Ok(())
    }

    fn word(&self, rank: Rank) -> Option<&Pattern> {
        let at = self.ranks.binary_search(&u16::try_from(rank).ok()?).ok()?;
        self.words.get(at)
    }

    fn other(&self, expression: &str) -> Arc<Pattern> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others.get(expression) {
            return known.clone();
        }
        if others.len() >= OTHERS_MAX {
            others.clear();
        }
        let new = Arc::<Pattern>::default();
        others.insert(expression.to_owned(), new.clone());
        new
    }
}

/// Calls with the expression that a value is, to ask about a text; `None` when it is none.
pub fn with<T>(
    context: &Context<'_>,
    pattern: Value<'_>,
    text: &str,
    use_it: impl FnOnce(Regex<'_>) -> T,
) -> Option<T> {
    let expression = pattern.as_text()?;
    let rank = match pattern {
        Value::Word(word) => context.words().rank_of(word),
        _ => 0,
    };
    match context.patterns() {
        Some(patterns) => match patterns.word(rank) {
            Some(known) => known.regex(expression, text).map(use_it),
            None => patterns.other(expression).regex(expression, text).map(use_it),
        },
        None => Pattern::default().regex(expression, text).map(use_it),
    }
}

/// What a crate writes otherwise than Go.
struct Dialect {
    /// Edges of words of ASCII, and what is none.
    edges: [&'static str; 2],
    /// Letters beyond ASCII that an expression without regard to case takes for one of ASCII, where the crate does not by itself: the sign
    /// for Kelvin and the long s.
    folded: &'static [(char, &'static str)],
}

const SMALL: Dialect = Dialect { edges: ["\\b", "\\B"], folded: &[('k', "\\u{212A}"), ('s', "\\u{17F}")] };
#[cfg(feature = "fast-patterns")]
const FAST: Dialect = Dialect { edges: ["(?-u:\\b)", "(?-u:\\B)"], folded: &[] };

/// Go's expression as one of the small crate: `\d`, `\s`, `\w` and `\b` know ASCII alone.
fn small(go: &str) -> Option<regex_lite::Regex> {
    regex_lite::Regex::new(&translate(go, &SMALL)?).ok()
}

/// Go's expression as one of the best crate that this program has.
#[cfg(feature = "fast-patterns")]
fn compile(go: &str) -> Option<Best> {
    regex::Regex::new(&translate(go, &FAST)?).ok()
}

/// Go's expression as one of the best crate that this program has.
#[cfg(not(feature = "fast-patterns"))]
fn compile(go: &str) -> Option<Best> {
    small(go)
}

fn translate(go: &str, dialect: &Dialect) -> Option<String> {
    let mut rust = String::with_capacity(go.len());
    let mut chars = go.chars();
    let mut in_class = false;
    let mut class_start = false;
    let folded = if go.starts_with("(?i)") { dialect.folded } else { &[] };
    let mut class_at = 0;
    while let Some(c) = chars.next() {
        let starts = std::mem::take(&mut class_start);
        match c {
            '\\' => match chars.next()? {
                'Q' => {
                    let rest = chars.as_str();
                    let (literal, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
                    rust.push_str(&regex_lite::escape(literal));
                    chars = rest.chars();
                }
                // A class of Unicode or a letter by its number: neither is a count of repetitions.
                class @ ('p' | 'P' | 'x') if chars.as_str().starts_with('{') => {
                    let (name, rest) = chars.as_str().split_once('}')?;
                    rust.push_str(&format!("\\{class}{name}}}"));
                    chars = rest.chars();
                }
                escaped => rust.push_str(&escape(escaped, in_class, dialect)),
            },
            '[' if !in_class => {
                in_class = true;
                class_start = true;
                class_at = rust.len();
                rust.push('[');
            }
            '^' if starts => {
                class_start = true;
                rust.push('^');
            }
            // A bracket that opens a class is one of its letters.
            ']' if in_class && starts => rust.push_str("\\]"),
            ']' if in_class => {
                in_class = false;
                // A hyphen at the end is itself, and would begin a range with what is added behind it.
                if !folded.is_empty() && rust.ends_with('-') && !rust.ends_with("\\-") {
                    rust.insert(rust.len() - 1, '\\');
                }
                for (letter, beyond) in folded {
                    if class_holds(&rust[class_at..], *letter)? {
                        rust.push_str(beyond);
                    }
                }
                rust.push(']');
            }
            // What a group begins with, as (?i) and (?P<name>.
            '(' if !in_class && chars.as_str().starts_with('?') => {
                let end = chars.as_str().find([':', ')', '>'])? + 1;
                rust.push('(');
                rust.push_str(&chars.as_str()[..end]);
                chars = chars.as_str()[end..].chars();
            }
            '[' if chars.as_str().starts_with(':') => {
                let (name, rest) = chars.as_str().split_once(":]")?;
                rust.push_str(&format!("[{name}:]"));
                chars = rest.chars();
            }
            '[' => rust.push_str("\\["),
            // What is an operator within a class to the crate alone.
            '&' | '~' if in_class => {
                rust.push('\\');
                rust.push(c);
            }
            // A brace that begins no count of repetitions is itself.
            '{' if !in_class && !counts(chars.as_str()) => rust.push_str("\\{"),
            '-' if in_class && chars.as_str().starts_with('-') => rust.push_str("\\-"),
            _ => match folded.iter().find(|(letter, _)| !in_class && c.eq_ignore_ascii_case(letter)) {
                Some((_, beyond)) => rust.push_str(&format!("[{c}{beyond}]")),
                None => rust.push(c),
            },
        }
    }
    Some(rust)
}

/// Whether a class without its last bracket holds a letter in either case, or leaves it out by name.
fn class_holds(class: &str, letter: char) -> Option<bool> {
    let matches = regex_lite::Regex::new(&format!("(?i){class}]")).ok()?.is_match(letter.encode_utf8(&mut [0; 4]));
    Some(matches != class.starts_with("[^"))
}

/// Whether a text goes on as `{2}`, `{2,}` and `{2,3}` do after their brace.
fn counts(rest: &str) -> bool {
    let Some((count, _)) = rest.split_once('}') else { return false };
    let (least, most) = count.split_once(',').unwrap_or((count, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

fn escape(escaped: char, in_class: bool, dialect: &Dialect) -> String {
    // The letters of a class, and all others.
    let [class, others] = match escaped {
        'd' | 'D' => ["0-9", r"\x00-/:-\u{10FFFF}"],
        's' | 'S' => [r"\t\n\x0C\r ", r"\x00-\x08\x0B\x0E-\x1F!-\u{10FFFF}"],
        'w' | 'W' => ["0-9A-Za-z_", r"\x00-/:-@\[-\^`\{-\u{10FFFF}"],
        'b' if !in_class => return dialect.edges[0].to_owned(),
        'B' if !in_class => return dialect.edges[1].to_owned(),
        _ => return format!("\\{escaped}"),
    };
    let letters = if escaped.is_ascii_uppercase() { others } else { class };
    if in_class { letters.to_owned() } else { format!("[{letters}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_go() {
        for (pattern, text, matches) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^\s$", "\u{a0}", false),
            (r"^\s$", "\u{b}", false),
            (r"^[\s\d]+$", "1 2", true),
            (r"^[^\W]+$", "ab", true),
            (r"^[^\W]+$", "a-b", false),
            (r"^[\S]+$", "a\u{b}ä", true),
            (r"^[\S]+$", "a\u{c}", false),
            (r"^\W+$", " -[]^`{é", true),
            (r"^\x{2D}\x{FFFD}+\x41{2}$", "-\u{fffd}AA", true),
            (r"^[\x{FFFD}]$", "\u{fffd}", true),
            (r"^\W$", "_", false),
            (r"^[\D]$", "7", false),
            (r"^\D+$", "x:/", true),
            (r"^[]a]+$", "]a", true),
            (r"^[[:alpha:]&&b]+$", "a&b", true),
            (r"\bfoo\b", "a foo b", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"(?i)^desk$", "de\u{17F}\u{212A}", true),
            (r"^desk$", "de\u{17F}\u{212A}", false),
            (r"(?i)^[a-z]+$", "de\u{17F}\u{212A}", true),
            (r"(?i)^[^a-r]+$", "\u{17F}", true),
            (r"(?i)^[a-z.-]+$", "a:b", false),
            (r"(?i)^[a-z.-]+$", "a-\u{17F}", true),
            (r"(?i)^[a-z.\-]+$", "a-b", true),
            (r"(?i)^[^a-r]+$", "\u{212A}", false),
            (r"(?i)^(?P<skin>sk)(?:s)$", "sKS", true),
        ] {
            assert_eq!(compile(pattern).is_some_and(|regex| regex.is_match(text)), matches, "{pattern} {text}");
            assert_eq!(small(pattern).is_some_and(|regex| regex.is_match(text)), matches, "{pattern} {text}, in small");
        }
    }

    #[test]
    #[cfg(feature = "fast-patterns")]
    fn an_expression_is_small_until_it_has_looked_at_much() {
        let pattern = Pattern::default();
        let small = |text: &str| matches!(pattern.regex("^a+$", text), Some(Regex::Small(_)));
        let long = "a".repeat(SMALL_BYTES);
        assert!(small("aa"));
        assert!(pattern.best.get().is_none());
        assert!(small(&long));
        assert!(!small(&long));
        assert!(!small("aa"));
    }

    #[test]
    #[cfg(feature = "fast-patterns")]
    fn what_is_beyond_ascii_is_asked_of_the_crate_that_knows_it() {
        let pattern = Pattern::default();
        assert!(matches!(pattern.regex("(?i)^é$", "É"), Some(Regex::Fast(regex)) if regex.is_match("É")));
        let classes = Pattern::default();
        assert!(matches!(classes.regex(r"^\p{L}$", "a"), Some(Regex::Fast(regex)) if regex.is_match("a")));
    }
}
