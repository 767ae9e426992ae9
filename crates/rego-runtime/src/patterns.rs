//! Regular expressions with Go's meaning.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[cfg(feature = "fast-patterns")]
use regex::{Regex, escape as literally};
#[cfg(not(feature = "fast-patterns"))]
use regex_lite::{Regex, escape as literally};

use crate::words::Rank;
use crate::{Context, Value, Words};

/// Edges of words of ASCII, and what is none: the one crate knows others unless it is told, the other knows no others.
#[cfg(feature = "fast-patterns")]
const EDGES: [&str; 2] = ["(?-u:\\b)", "(?-u:\\B)"];
#[cfg(not(feature = "fast-patterns"))]
const EDGES: [&str; 2] = ["\\b", "\\B"];

/// Letters beyond ASCII that an expression without regard to case takes for one of ASCII: the sign for Kelvin and the long s.
/// The one crate folds them by itself, the other folds ASCII alone.
#[cfg(feature = "fast-patterns")]
const FOLDED: [(char, &str); 0] = [];
#[cfg(not(feature = "fast-patterns"))]
const FOLDED: [(char, &str); 2] = [('k', "\\u{212A}"), ('s', "\\u{17F}")];

/// Expressions that are not part of the program are forgotten beyond this many.
const OTHERS_MAX: usize = 100;

/// Regular expressions, compiled once and shared by evaluations: those of the program by their rank, others by their text.
#[derive(Debug, Default)]
pub struct Patterns {
    words: Vec<OnceLock<Option<Regex>>>,
    others: Mutex<HashMap<String, Option<Arc<Regex>>>>,
}

impl Patterns {
    /// Room for the expressions of a program with this many words.
    #[must_use]
    pub fn of_words(words: usize) -> Self {
        Self { words: std::iter::repeat_with(OnceLock::new).take(words).collect(), others: Mutex::default() }
    }

    /// Compiles the expressions of these ranks now, instead of each when it is first asked for.
    ///
    /// # Errors
    /// With the first text that is no expression.
    pub fn prepare(&self, words: &Words, ranks: &[u16]) -> Result<(), &'static str> {
        for rank in ranks.iter().copied().map(Rank::from) {
            let text = *words.text(rank);
            self.word(rank, text).flatten().ok_or(text)?;
        }
        Ok(())
    }

    fn word(&self, rank: Rank, text: &str) -> Option<Option<&Regex>> {
        let slot = self.words.get((rank as usize).checked_sub(1)?)?;
        Some(slot.get_or_init(|| compile(text)).as_ref())
    }

    fn other(&self, text: &str) -> Option<Arc<Regex>> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others.get(text) {
            return known.clone();
        }
        if others.len() >= OTHERS_MAX {
            others.clear();
        }
        let compiled = compile(text).map(Arc::new);
        others.insert(text.to_owned(), compiled.clone());
        compiled
    }
}

/// Calls with the expression that a value is; `None` when it is none.
pub fn with<T>(context: &Context<'_>, pattern: Value<'_>, use_it: impl FnOnce(&Regex) -> T) -> Option<T> {
    let text = pattern.as_text()?;
    let rank = match pattern {
        Value::Word(word) => context.words().rank_of(word),
        _ => 0,
    };
    match context.patterns() {
        Some(patterns) => match patterns.word(rank, text) {
            Some(known) => known.map(use_it),
            None => patterns.other(text).as_deref().map(use_it),
        },
        None => compile(text).as_ref().map(use_it),
    }
}

/// Go's expression as one of the regex crate: `\d`, `\s`, `\w` and `\b` know ASCII alone there.
fn compile(go: &str) -> Option<Regex> {
    Regex::new(&translate(go)?).ok()
}

fn translate(go: &str) -> Option<String> {
    let mut rust = String::with_capacity(go.len());
    let mut chars = go.chars();
    let mut in_class = false;
    let mut class_start = false;
    let folded = if go.starts_with("(?i)") { &FOLDED[..] } else { &[] };
    let mut class_at = 0;
    while let Some(c) = chars.next() {
        let starts = std::mem::take(&mut class_start);
        match c {
            '\\' => match chars.next()? {
                'Q' => {
                    let rest = chars.as_str();
                    let (literal, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
                    rust.push_str(&literally(literal));
                    chars = rest.chars();
                }
                escaped => rust.push_str(&escape(escaped, in_class)),
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
    let matches = Regex::new(&format!("(?i){class}]")).ok()?.is_match(letter.encode_utf8(&mut [0; 4]));
    Some(matches != class.starts_with("[^"))
}

/// Whether a text goes on as `{2}`, `{2,}` and `{2,3}` do after their brace.
fn counts(rest: &str) -> bool {
    let Some((count, _)) = rest.split_once('}') else { return false };
    let (least, most) = count.split_once(',').unwrap_or((count, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

fn escape(escaped: char, in_class: bool) -> String {
    // The letters of a class, and all others.
    let [class, others] = match escaped {
        'd' | 'D' => ["0-9", r"\x00-/:-\u{10FFFF}"],
        's' | 'S' => [r"\t\n\x0C\r ", r"\x00-\x08\x0B\x0E-\x1F!-\u{10FFFF}"],
        'w' | 'W' => ["0-9A-Za-z_", r"\x00-/:-@\[-\^`\{-\u{10FFFF}"],
        'b' if !in_class => return EDGES[0].to_owned(),
        'B' if !in_class => return EDGES[1].to_owned(),
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
            (r"(?i)^[^a-r]+$", "\u{212A}", false),
            (r"(?i)^(?P<skin>sk)(?:s)$", "sKS", true),
        ] {
            assert_eq!(compile(pattern).is_some_and(|regex| regex.is_match(text)), matches, "{pattern} {text}");
        }
    }
}
