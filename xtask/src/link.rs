//! Links the modules of the rules into one, as a linker does with object files: a ConstraintTemplate of Gatekeeper holds one.
//!
//! `data.walguard.lib.get.string`, or `get.string` where it is imported, becomes a name of three letters that depends on it alone – a
//! letter longer where another rule has it –, and a variable one of a letter or two. Only names, quotes and spaces change: a rule keeps its body, and the comparison of Gatekeeper with OPA over every fixture shows
//! that the meaning is the same. etcd holds no more than 1.5 MiB, as JSON: there `"a"` takes six letters and `` `a` `` three, and a fourth of the
//! template were names.

use std::collections::{BTreeMap, HashMap, HashSet};

/// The package of the linked module.
const PACKAGE: &str = "w";

/// The package of what stands in `data`, among names.
const TABLES: &str = "tables";

/// How many letters a name has at least.
const SHORTEST: usize = 3;

/// Words that are no names of variables.
const KEYWORDS: [&str; 16] = [
    "_", "as", "contains", "data", "default", "else", "every", "false", "if", "in", "input", "not", "null", "some",
    "true", "with",
];

/// A module: the path of its package without `data.`, its imports, and its source.
struct Module<'a> {
    package: String,
    aliases: HashMap<&'a str, &'a str>,
    rules: HashSet<&'a str>,
    source: &'a str,
}

/// Links files, each (path below `rules/`, text): the modules among them, which read the tables among them.
#[must_use]
pub fn link_files(files: &[(String, String)]) -> Linked {
    let tables: Vec<String> = files
        .iter()
        .filter_map(|(name, _)| name.strip_suffix(".json"))
        .map(|stem| format!("walguard.{}", stem.replace('/', ".")))
        .collect();
    let modules = files.iter().filter(|(name, _)| name.ends_with(".rego"));
    link(modules.map(|(_, source)| source.as_str()), &tables)
}

/// One module, and what its rules are called.
pub struct Linked {
    pub text: String,
    pub names: Names,
}

/// Links modules. `tables` are the paths of the documents in `data` that they read, with dots, without `data.`.
pub fn link<'a>(sources: impl Iterator<Item = &'a str>, tables: &[String]) -> Linked {
    let modules: Vec<Module<'a>> = sources.map(Module::read).collect();
    let of_tables = tables.iter().map(|table| (TABLES.to_owned(), table.replace('.', "_")));
    let of_rules = modules.iter().flat_map(|m| m.rules.iter().map(|rule| (m.package.clone(), (*rule).to_owned())));
    let names = Names::of(of_tables.chain(of_rules));
    let by_package: HashMap<&str, Vec<&Module<'_>>> = modules.iter().fold(HashMap::new(), |mut map, module| {
        map.entry(module.package.as_str()).or_insert_with(Vec::new).push(module);
        map
    });
    let mut text = format!("package {PACKAGE}\n");
    for table in tables {
        text.push_str(&format!("\n{} := data.{table}\n", names.of_table(table)));
    }
    for module in &modules {
        module.write(&by_package, tables, &names, &mut text);
    }
    Linked { text: rules_first(&text), names }
}

/// The same module with its functions at the end and without empty lines.
fn rules_first(text: &str) -> String {
    let (mut rules, mut functions) = (String::with_capacity(text.len()), String::new());
    let mut of_function = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if rule_name(line).is_some() || line.starts_with("package ") {
            of_function = rule_name(line).is_some_and(|name| line[name.len()..].starts_with('('));
        }
        let place = if of_function { &mut functions } else { &mut rules };
        place.push_str(line);
        place.push('\n');
    }
    rules + &functions
}

/// The rules of a linked module, without its package line, that one of them needs, in their order. A word in a text that is called like a rule keeps it.
#[must_use]
pub fn needed(module: &str, by: &str) -> String {
    let mut rules: Vec<(&str, String)> = Vec::new();
    for line in module.lines() {
        if let Some(name) = rule_name(line) {
            rules.push((name, String::new()));
        }
        if let Some((_, text)) = rules.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, (name, _)) in rules.iter().enumerate() {
        places.entry(name).or_default().push(place);
    }
    let mut kept = vec![false; rules.len()];
    let mut waiting = vec![by];
    while let Some(name) = waiting.pop() {
        for place in places.remove(name).unwrap_or_default() {
            kept[place] = true;
            waiting.extend(rules[place].1.split(|c| !identifier(c)));
        }
    }
    rules.iter().zip(kept).filter(|(_, kept)| *kept).map(|((_, text), _)| text.as_str()).collect()
}

/// The names of rules and tables in the linked module, by package and rule.
pub struct Names(BTreeMap<(String, String), String>);

impl Names {
    /// Of two that begin alike the one whose path comes later has more letters.
    fn of(rules: impl Iterator<Item = (String, String)>) -> Self {
        let mut taken = HashSet::new();
        let mut names: BTreeMap<_, _> = rules.map(|rule| (rule, String::new())).collect();
        for ((package, rule), name) in &mut names {
            let letters = letters(package, rule);
            let free = (SHORTEST..=letters.len()).map(|length| &letters[..length]).find(|name| !taken.contains(*name));
            free.unwrap_or(&letters).clone_into(name);
            taken.insert(name.clone());
        }
        Self(names)
    }

    /// The name of a rule; nothing for one that is not there.
    #[must_use]
    pub fn rule(&self, package: &str, rule: &str) -> &str {
        self.0.get(&(package.to_owned(), rule.to_owned())).map_or("", String::as_str)
    }

    fn of_table(&self, path: &str) -> &str {
        self.rule(TABLES, &path.replace('.', "_"))
    }
}

/// The letters of a rule's hash (FNV-1a), so that they change with no other rule. They begin with a capital, which no variable of the rules does.
#[must_use]
pub fn letters(package: &str, rule: &str) -> String {
    const CAPITALS: u64 = 26;
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let path = format!("{package}.{rule}");
    let mut hash = path
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut letter = |of: u64| {
        let letter = char::from(LETTERS[usize::try_from(hash % of).unwrap_or_default()]);
        hash /= of;
        letter
    };
    let first = letter(CAPITALS);
    std::iter::once(first).chain((0..9).map(|_| letter(62))).collect()
}

/// The name of the variable that a module uses as its `number`th: a letter, and digits behind it from the 27th on, which is no keyword.
fn variable(number: usize) -> String {
    let letter = char::from(b"abcdefghijklmnopqrstuvwxyz"[number % 26]);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

/// A string without escapes in the quotes that JSON leaves as they are.
fn requoted(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains(['\\', '`'])).then(|| format!("`{inside}`"))
}

impl<'a> Module<'a> {
    fn read(source: &'a str) -> Self {
        let package =
            source.lines().find_map(|line| line.strip_prefix("package ")).unwrap_or_default().trim().to_owned();
        let aliases = source.lines().filter_map(alias).collect();
        let rules = source.lines().filter_map(rule_name).collect();
        Self { package, aliases, rules, source }
    }

    fn write(&self, packages: &HashMap<&str, Vec<&Module<'_>>>, tables: &[String], names: &Names, text: &mut String) {
        let linked = |path: &str| resolve(path, packages, tables, names);
        let mut variables = HashMap::new();
        let mut tokens = Tokens::new(self.source).peekable();
        while let Some(token) = tokens.next() {
            // A rule begins at the left margin, and its variables are its own.
            if text.ends_with('\n') && matches!(token, Token::Path(word, _) if word != "else") {
                variables.clear();
            }
            match token {
                // Nobody misses the space around these, and there are tens of thousands.
                Token::Other(" ") if text.ends_with([',', ':', '=', '|', '<', '>', '+', '&']) => {}
                Token::Other(" ")
                    if matches!(tokens.peek(), Some(Token::Other(":" | "=" | "!" | "|" | "<" | ">" | "+" | "&"))) => {}
                // A comment, an import or the package: nothing is left of it.
                Token::Dropped => text.push('\n'),
                Token::Path("data", rest) => {
                    let path = format!("data{rest}");
                    text.push_str(&linked(&path).unwrap_or(path));
                }
                Token::Path(word, rest) => match self.aliases.get(word) {
                    Some(import) if !rest.is_empty() => {
                        let path = format!("{import}{rest}");
                        text.push_str(&linked(&path).unwrap_or(path));
                    }
                    Some(import) => text.push_str(&linked(import).unwrap_or_else(|| word.to_owned())),
                    None if self.defines(word, packages) => {
                        text.push_str(names.rule(&self.package, word));
                        text.push_str(rest);
                    }
                    // What is called and no rule is a builtin.
                    None if KEYWORDS.contains(&word) || matches!(tokens.peek(), Some(Token::Other("("))) => {
                        text.push_str(word);
                        text.push_str(rest);
                    }
                    None => {
                        let next = variables.len();
                        text.push_str(variables.entry(word).or_insert_with(|| variable(next)));
                        text.push_str(rest);
                    }
                },
                Token::Other(other) => text.push_str(requoted(other).as_deref().unwrap_or(other)),
            }
        }
    }

    /// Whether a word is a rule of this package, in this file or another.
    fn defines(&self, word: &str, packages: &HashMap<&str, Vec<&Module<'_>>>) -> bool {
        packages.get(self.package.as_str()).is_some_and(|modules| modules.iter().any(|m| m.rules.contains(word)))
    }
}

/// The linked name of a path from `data`, with what follows the rule; `None` when no rule and no table stands there.
fn resolve(path: &str, packages: &HashMap<&str, Vec<&Module<'_>>>, tables: &[String], names: &Names) -> Option<String> {
    let path = path.strip_prefix("data.")?;
    for table in tables {
        if let Some(rest) = path.strip_prefix(table.as_str())
            && (rest.is_empty() || rest.starts_with('.'))
        {
            return Some(names.of_table(table).to_owned() + rest);
        }
    }
    let mut dots: Vec<usize> = path.match_indices('.').map(|(index, _)| index).collect();
    while let Some(dot) = dots.pop() {
        let (package, rest) = (&path[..dot], &path[dot + 1..]);
        let rule = rest.split('.').next().unwrap_or_default();
        if packages.get(package).is_some_and(|modules| modules.iter().any(|m| m.rules.contains(rule))) {
            return Some(names.rule(package, rule).to_owned() + &rest[rule.len()..]);
        }
    }
    None
}

/// `import data.a.b` is (b, data.a.b); `import data.a.b as c` is (c, data.a.b).
fn alias(line: &str) -> Option<(&str, &str)> {
    let path = line.strip_prefix("import ")?.trim();
    let (path, name) = match path.split_once(" as ") {
        Some((path, name)) => (path.trim(), name.trim()),
        None => (path, path.rsplit_once('.')?.1),
    };
    path.starts_with("data.").then_some((name, path))
}

/// The name of the rule that a line begins: rules stand at the left margin, and nothing else does.
fn rule_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("default ").unwrap_or(line);
    let end = line.find(|c| !identifier(c)).unwrap_or(line.len());
    let word = &line[..end];
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && !matches!(word, "package" | "import" | "else")).then_some(word)
}

const fn identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

enum Token<'a> {
    /// An identifier that follows no dot, and the `.b.c` after it.
    Path(&'a str, &'a str),
    /// A comment, an import or the package line.
    Dropped,
    /// Anything else: strings, numbers, punctuation, space.
    Other(&'a str),
}

struct Tokens<'a> {
    rest: &'a str,
    line_start: bool,
}

impl<'a> Tokens<'a> {
    const fn new(source: &'a str) -> Self {
        Self { rest: source, line_start: true }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.line_start = token.ends_with('\n');
        token
    }

    fn word_length(&self) -> usize {
        self.rest.find(|c| !identifier(c)).unwrap_or(self.rest.len())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let first = self.rest.chars().next()?;
        if first == '#' || (self.line_start && (self.rest.starts_with("import ") || self.rest.starts_with("package ")))
        {
            let length = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
            self.take(length);
            return Some(Token::Dropped);
        }
        if first == '"' || first == '`' {
            let length = string_length(self.rest, first);
            return Some(Token::Other(self.take(length)));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let start = self.rest;
            let word_length = self.word_length();
            self.take(word_length);
            let mut tail = 0;
            while self.rest.starts_with('.')
                && self.rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            {
                self.take(1);
                let length = self.word_length();
                self.take(length);
                tail += 1 + length;
            }
            return Some(Token::Path(&start[..word_length], &start[word_length..word_length + tail]));
        }
        // Digits and a dot are taken whole, so that what follows a closing bracket and a dot is no identifier of its own.
        let length = if first == '.' || first.is_ascii_digit() {
            let end = self.rest[1..].find(|c| !identifier(c)).unwrap_or(self.rest.len() - 1);
            1 + end
        } else {
            first.len_utf8()
        };
        Some(Token::Other(self.take(length)))
    }
}

/// Length of the string literal a text begins with, quotes included.
pub fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_asks_for_is_left_out() {
        let module = "a contains x if {\n\tsome x in b(\"e\")\n}\nb(y) := c if y\nelse :=d[y]\nc := b(1)\nd := {}\ndefault e := 1\ne := f\nf := 2\ng := a\na contains 3\n";
        let kept = "a contains x if {\n\tsome x in b(\"e\")\n}\nb(y) := c if y\nelse :=d[y]\nc := b(1)\nd := {}\ndefault e := 1\ne := f\nf := 2\na contains 3\n";
        assert_eq!(needed(module, "a"), kept);
        assert_eq!(needed(module, "c"), "b(y) := c if y\nelse :=d[y]\nc := b(1)\nd := {}\n");
        assert_eq!(needed(module, "nothing"), "");
    }

    #[test]
    fn names_are_resolved_and_nothing_else_changes() {
        let model = "# METADATA\n# title: model.x\npackage walguard.model\n\nimport data.walguard.lib.get as g\nimport data.walguard.table\n\n\
                     major := g.string(cluster[\"major\"].g.x, `g.string`) if cluster.major.data # g.string\n\ncluster := table.rows[0].major\n";
        let main = "package main\n\nimport data.walguard.model\n\nfindings contains model.major + data.walguard.model.cluster.x if \"model.\\\"major\" != 0.5\n";
        let get = "package walguard.lib.get\n\nstring(one, b) := one.a if count(b) > 0\n\nelse := b\n";
        let Linked { text, names } = link([model, main, get].into_iter(), &["walguard.table".to_owned()]);
        let of_model = |rule| names.rule("walguard.model", rule);
        let (major, cluster, string) =
            (of_model("major"), of_model("cluster"), names.rule("walguard.lib.get", "string"));
        let (table, findings) = (names.of_table("walguard.table"), names.rule("main", "findings"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "package w",
                &format!("{table} := data.walguard.table"),
                &format!("{major}:={string}({cluster}[`major`].g.x,`g.string`) if {cluster}.major.data "),
                &format!("{cluster}:={table}.rows[0].major"),
                &format!("{findings} contains {major}+{cluster}.x if \"model.\\\"major\"!=0.5"),
                &format!("{string}(a,b):=a.a if count(b)>0"),
                "else:=b",
            ]
        );
    }

    #[test]
    fn variables_are_no_keywords() {
        let names: HashSet<String> = (0..2000).map(variable).collect();
        assert_eq!(names.len(), 2000);
        assert!(names.iter().all(|name| !KEYWORDS.contains(&name.as_str()) && name.len() < 4));
    }

    #[test]
    fn names_are_short_and_stay_apart() {
        let rules: Vec<_> = (0..5000).map(|rule| ("walguard.model".to_owned(), rule.to_string())).collect();
        let names = Names::of(rules.iter().cloned());
        let all: HashSet<&str> = rules.iter().map(|(package, rule)| names.rule(package, rule)).collect();
        assert_eq!(all.len(), 5000);
        assert!(all.iter().all(|name| name.len() < 6 && name.starts_with(|c: char| c.is_ascii_uppercase())));
        assert!(all.iter().filter(|name| name.len() > 3).count() < 250);
        assert!(all.iter().any(|name| name.len() > 3));
        assert_eq!(names.rule("walguard.model", "5000"), "");
    }
}
