//! Texts that stand in a linked module several times, named once: an object that etcd has to hold is small.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::link::letters;
use crate::tokens::{tokens, word};

/// Shorter texts stay: what reads an object asks for its fields again and again, and a name is looked up where a text just stands.
const SHORTEST: usize = 7;

/// A constant of so many bytes is a table. What reads it knows it by the names of its fields alone, so that nothing is lost with the type of its keys, and
/// most of its values are named anyway: it is put together from names once for an evaluation.
const TABLE: usize = 4_000;

/// How many letters a name has at least.
const NAME: usize = 3;

/// A squeezed module that means the same, with a rule at its end for each text that is shorter so.
#[must_use]
pub fn shared(module: &str) -> String {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut start = 0;
    for line in module.split_inclusive('\n') {
        for place in replaceable(line) {
            if place.len() >= SHORTEST {
                places.entry(&line[place.clone()]).or_default().push(start + place.start);
            }
        }
        start += line.len();
    }
    let mut taken: HashSet<String> = module.split(|c| !word(c)).map(str::to_owned).collect();
    let mut names: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    let mut rules = String::new();
    for (text, starts) in places {
        // In JSON a quote takes two letters, and so does an end of line.
        let length = text.len() + 2 * usize::from(text.starts_with('"'));
        if (length - NAME) * starts.len() <= length + NAME + 4 {
            continue;
        }
        let all = letters("texts", text);
        let Some(name) = (NAME..=all.len()).map(|length| &all[..length]).find(|name| !taken.contains(*name)) else {
            continue;
        };
        taken.insert(name.to_owned());
        rules.push_str(&format!("{name}:={text}\n"));
        names.extend(starts.into_iter().map(|start| (start, (name.to_owned(), text.len()))));
    }
    let (mut made, mut done) = (String::with_capacity(module.len()), 0);
    for (start, (name, length)) in names {
        made.push_str(&module[done..start]);
        // `else` and the like need a space before a name, and none before a quote.
        if made.ends_with(word) {
            made.push(' ');
        }
        made.push_str(&name);
        done = start + length;
        if module[done..].starts_with(word) {
            made.push(' ');
        }
    }
    made.push_str(&module[done..]);
    made + &rules
}

/// Where texts of a line can give way to a name: not where a name would be a new variable (arguments of a function, patterns before `:=` and
/// between `some` and `in`), where only a constant may stand (defaults), nor in a reference and as the key of an object, whose type would be lost, but
/// for the fields of tables that hold a single value.
fn replaceable(line: &str) -> Vec<Range<usize>> {
    if line.starts_with("default ") {
        return Vec::new();
    }
    let of_table = line.len() >= TABLE && line.trim_start_matches(word).starts_with(":={");
    let mut found: Vec<Range<usize>> = Vec::new();
    // For each open bracket how many texts were found before it, and whether it belongs to a reference.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut in_head = true;
    let mut pattern_at = None;
    for (at, token) in tokens(line) {
        let after = &line[at + token.len()..];
        match token {
            "some" | "every" => pattern_at = Some(open.len()),
            "in" if pattern_at == Some(open.len()) => pattern_at = None,
            "if" | "contains" | ":" | "=" if open.is_empty() => in_head = false,
            "(" | "[" | "{" => {
                let reference = token == "[" && line[..at].ends_with(|c| word(c) || matches!(c, ']' | ')'));
                open.push((found.len(), reference));
            }
            ")" | "]" | "}" => {
                if let Some((before, _)) = open.pop()
                    && after.starts_with(":=")
                {
                    found.truncate(before);
                }
            }
            _ if token.starts_with(['"', '`']) => {
                let of_reference = open.last().is_some_and(|(_, reference)| *reference);
                // Fields that hold others keep what is known of these.
                let is_key = after.strip_prefix(':').is_some_and(|value| !of_table || value.starts_with(['[', '{']));
                if !in_head && pattern_at.is_none() && !of_reference && !is_key {
                    found.push(at..at + token.len());
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{NAME, letters, shared};

    const TEXT: &str = "`long enough to be named`";

    #[test]
    fn a_text_that_stands_often_is_named() {
        let name = &letters("texts", TEXT)[..NAME];
        let module = format!("a contains{TEXT}if f({TEXT})\nb:=[{TEXT},{{{TEXT}}}]\nc:=`once, however long it is`\n");
        let wanted = format!(
            "a contains {name} if f({name})\nb:=[{name},{{{name}}}]\nc:=`once, however long it is`\n{name}:={TEXT}\n"
        );
        assert_eq!(shared(&module), wanted);
    }

    #[test]
    fn a_name_that_would_be_a_variable_is_none() {
        for kept in [
            "f(T,x):=x\nf(T,y):=y\n",
            "a if{[T,b]:=c;[T,d]:=e}\n",
            "a if{some T,x in b;some[T,y]in c;every T,d in e{d}}\n",
            "default a:=T\ndefault b:=T\n",
            "a:=b[T].c[T]\n",
            "a:={T:1}\nb:={T:1}\n",
        ] {
            let module = kept.replace('T', TEXT);
            assert_eq!(shared(&module), module);
        }
    }

    #[test]
    fn keys_of_a_table_are_named() {
        let name = &letters("texts", TEXT)[..NAME];
        let entry = |text: &str| format!("{{{text}:1}},{{{TEXT}:[1]}}");
        let table = |text: &str| format!("a:={{`b`:[{}]}}\n", vec![entry(text); super::TABLE / TEXT.len()].join(","));
        assert_eq!(shared(&table(TEXT)), format!("{}{name}:={TEXT}\n", table(name)));
    }

    #[test]
    fn a_name_is_one_of_its_own() {
        let letters = letters("texts", TEXT);
        let (taken, name) = (&letters[..NAME], &letters[..=NAME]);
        let made = shared(&format!("a:=[{TEXT},{TEXT},{TEXT}]\n{taken}:=1\n"));
        assert_eq!(made, format!("a:=[{name},{name},{name}]\n{taken}:=1\n{name}:={TEXT}\n"));
    }
}
