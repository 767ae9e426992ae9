//! Shorter names for the rules that a linked module names most: an object that etcd has to hold is small.

use std::collections::{BTreeMap, HashSet};

use crate::link::letters;
use crate::tokens::{tokens, word};

/// Builtins with a long name that stands often, and how many arguments each has: a rule that calls one has a name of two letters. A call of it
/// costs about a microsecond more, so what a review's innermost loops call (`object.get`) keeps its own.
const LONG: &[(&str, usize)] = &[
    ("regex.find_all_string_submatch_n", 3),
    ("array.concat", 2),
    ("array.slice", 3),
    ("concat", 2),
    ("contains", 2),
    ("endswith", 2),
    ("is_number", 1),
    ("is_object", 1),
    ("is_string", 1),
    ("json.is_valid", 1),
    ("json.marshal", 1),
    ("json.unmarshal", 1),
    ("object.filter", 2),
    ("object.keys", 1),
    ("object.remove", 2),
    ("object.union", 2),
    ("object.union_n", 1),
    ("regex.find_n", 3),
    ("regex.match", 2),
    ("regex.replace", 3),
    ("replace", 3),
    ("split", 2),
    ("sprintf", 2),
    ("startswith", 2),
    ("strings.replace_n", 2),
    ("substring", 3),
    ("time.parse_rfc3339_ns", 1),
    ("to_number", 1),
    ("trim_left", 2),
    ("trim_prefix", 2),
    ("trim_right", 2),
    ("trim_space", 1),
    ("trim_suffix", 2),
];

/// How often a name has to stand for a shorter one to be worth one of the few there are.
const OFTEN: usize = 5;

/// A module that means the same, in which the names that stand most often have two letters. A name keeps to its first choices, so that
/// a rule more changes few lines of what is generated.
#[must_use]
pub fn brief(module: &str) -> String {
    let module =
        &LONG.iter().fold(module.to_owned(), |module, (builtin, arguments)| called(&module, builtin, *arguments));
    let defined: HashSet<&str> = module.lines().filter_map(defined).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for (token, of_reference) in with_fields(module) {
        if token.len() == 2 {
            taken.insert(token.to_owned());
        }
        if !of_reference && defined.contains(token) {
            *uses.entry(token).or_default() += 1;
        }
    }
    let mut often: Vec<(&str, usize)> = uses.into_iter().filter(|(_, uses)| *uses >= OFTEN).collect();
    often.sort_by(|(name, uses), (other, theirs)| theirs.cmp(uses).then(name.cmp(other)));
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for (name, _) in often {
        let letters = letters("brief", name);
        let mut choices = letters.chars().skip(1).map(|second| format!("{}{second}", &letters[..1]));
        if let Some(short) = choices.find(|short| !taken.contains(short)) {
            taken.insert(short.clone());
            names.insert(name, short);
        }
    }
    let mut made = String::with_capacity(module.len());
    for (token, of_reference) in with_fields(module) {
        made.push_str(names.get(token).filter(|_| !of_reference).map_or(token, String::as_str));
    }
    made
}

/// The module with a rule that calls a builtin, where it stood itself.
fn called(module: &str, builtin: &str, arguments: usize) -> String {
    let call = format!("{builtin}(");
    let name = &letters("builtin", builtin);
    let mut made = String::with_capacity(module.len());
    let mut uses = 0;
    let mut from = 0;
    for (start, _) in tokens(module) {
        let alone = !module[..start].ends_with(|c: char| word(c) || c == '.');
        if start >= from && alone && module[start..].starts_with(&call) {
            made.push_str(&module[from..start]);
            made.push_str(name);
            from = start + builtin.len();
            uses += 1;
        }
    }
    if uses < OFTEN {
        return module.to_owned();
    }
    made.push_str(&module[from..]);
    let given = ["a", "b", "c"][..arguments].join(",");
    made.push_str(&format!("{name}({given}):={builtin}({given})\n"));
    made
}

/// The name that a line of a module gives a rule, if it is one of those that linking makes.
fn defined(line: &str) -> Option<&str> {
    let line = line.strip_prefix("default ").unwrap_or(line);
    let name = &line[..line.find(|c| !word(c)).unwrap_or(line.len())];
    (name.len() > 2 && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// The tokens of a module, and whether each is a field behind a dot.
fn with_fields(module: &str) -> impl Iterator<Item = (&str, bool)> {
    tokens(module).map(|(start, token)| (token, module[..start].ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::{OFTEN, brief};

    #[test]
    fn what_stands_often_has_two_letters() {
        let uses = "Often(a)&".repeat(OFTEN - 1) + "Seldom";
        let made = brief(&format!("Often(a):=a\nSeldom:=1\nb:={uses}\n"));
        let (short, _) = made.split_once('(').unwrap_or_default();
        assert_eq!(short.len(), 2);
        assert_eq!(made, format!("Often(a):=a\nSeldom:=1\nb:={uses}\n").replace("Often", short));
    }

    #[test]
    fn a_builtin_with_a_long_name_is_called_by_a_rule() {
        let call = "object.filter(x,[`object.filter(`])";
        let module = format!("a:=[{}]\n", [call; OFTEN].join(","));
        let made = brief(&module);
        assert_eq!(made.matches("`object.filter(`").count(), OFTEN);
        let (rule, _) = made.lines().last().unwrap_or_default().split_once('(').unwrap_or_default();
        assert_eq!(rule.len(), 2);
        assert_eq!(
            made,
            format!("{module}{rule}(a,b):=object.filter(a,b)\n").replace("object.filter(x", &format!("{rule}(x"))
        );
        assert_eq!(brief("a:=object.filter(x,y)\n"), "a:=object.filter(x,y)\n");
    }

    #[test]
    fn texts_fields_and_what_is_no_rule_keep_their_letters() {
        let kept =
            "`Often``Often``Often``Often``Often`a.Often a.Often a.Often a.Often a.Often Other Other Other Other Other";
        let module = format!("Often:=1\nb:={kept}\n");
        assert_eq!(brief(&module), module);
    }

    #[test]
    fn a_name_that_a_module_has_is_not_given_again() {
        let module = "Often:=Often+Often+Often+Often+Often\n";
        let short: String = brief(module).chars().take_while(|letter| *letter != ':').collect();
        let made = brief(&format!("{module}{short}:=1\n"));
        assert_eq!(made.matches(&short).count(), 1, "{made}");
        assert_ne!(made.split(':').next(), Some("Often"), "{made}");
    }
}
