//! What may be written at a place: the names of parameters in a map of them, and the words that one takes. Where such a map stands and
//! what it takes is asked of the rules. A line that is being typed is no YAML yet, so another one is read in its place.

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind, Position, Range, TextEdit,
};
use serde_json::Value as Json;
use walguard_engine::{PathSegment, value_at};
use walguard_lint::workspace::{Parameter, Parameters, Workspace, is_itself};

use crate::text::Lines;

/// Stands for what is being written.
const MARKER: &str = "walguard-is-asked-for-this";

/// What stands at a place of a map.
struct Entry {
    /// The object that the map is in, without the entry.
    object: Json,
    /// Of the map.
    path: Vec<PathSegment>,
    part: Part,
}

enum Part {
    /// The bytes of the name, and whether a colon follows.
    Name { start: usize, end: usize, colon: bool },
    /// The name, and the bytes of the value; whether it stands right behind the colon.
    Value { name: String, start: usize, end: usize, glued: bool },
}

/// What may be written at a place of a text.
pub fn complete(workspace: &mut Workspace, text: &str, position: Position) -> Vec<CompletionItem> {
    let lines = Lines::new(text);
    let Some(entry) = entry(text, &lines, position) else { return Vec::new() };
    let Some(parameters) = parameters(workspace, &entry) else { return Vec::new() };
    match &entry.part {
        Part::Name { start, end, colon } => {
            let written = value_at(&entry.object, &entry.path);
            let written = |name: &str| written.is_some_and(|map| map.get(name).is_some());
            let range = lines.range(*start, *end);
            let fresh = parameters.known.iter().filter(|(name, _)| !written(name));
            fresh.map(|(name, parameter)| named(name, parameter, &parameters, range, *colon)).collect()
        }
        Part::Value { name, start, end, glued } => {
            let Some(parameter) = parameters.known.get(name) else { return Vec::new() };
            let quoted = text[*start..*end].starts_with('"');
            let words = words(parameter).into_iter();
            let space = if *glued { " " } else { "" };
            words.map(|word| valued(word, parameter, lines.range(*start, *end), quoted, space)).collect()
        }
    }
}

/// What is known of the parameter whose name or value stands at a place, in Markdown, with the place of its name.
pub fn describe(workspace: &mut Workspace, text: &str, position: Position) -> Option<(String, Range)> {
    let lines = Lines::new(text);
    let (start, line) = lines.line(position.line);
    let (name, from) = key(line)?;
    // The end of the line is in the entry, whatever the pointer is at.
    let entry = entry(text, &lines, lines.position(start + from))?;
    let parameters = parameters(workspace, &entry)?;
    let (known, parameter) = parameters.known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let range = lines.range(start + from, start + from + name.len());
    Some((format!("**{known}**: {}\n\n{}", form(parameter), documentation(parameter, &parameters)), range))
}

fn parameters(workspace: &mut Workspace, entry: &Entry) -> Option<Parameters> {
    workspace.parameters(&entry.object).filter(|parameters| parameters.paths.contains(&entry.path))
}

/// The name of an entry of a block map on a line of its own, and where it begins.
fn key(line: &str) -> Option<(&str, usize)> {
    let from = line.len() - line.trim_start_matches([' ', '"', '\'']).len();
    let rest = &line[from..];
    let end = rest.find(|c: char| !is_of_a_name(c)).unwrap_or(rest.len());
    let behind = rest[end..].trim_start_matches(['"', '\'']).trim_start();
    (end > 0 && behind.starts_with(':')).then_some((&rest[..end], from))
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}

/// The entry of a map in block style that is being written at a place.
fn entry(text: &str, lines: &Lines<'_>, position: Position) -> Option<Entry> {
    let (line_start, line) = lines.line(position.line);
    let at = lines.offset(position) - line_start;
    let before = line.get(..at)?;
    let blank = line.trim().is_empty();
    let indent = if blank { at } else { line.len() - line.trim_start_matches(' ').len() };
    if before.trim_start().starts_with('#') || line.get(..indent)?.contains('\t') || at < indent {
        return None;
    }
    let (part, replacement) = match before.find(':') {
        None => {
            let from = line.len() - line.trim_start_matches([' ', '"', '\'']).len();
            let start = if blank { at } else { from.min(at) };
            let end = line[start..].find(|c: char| !is_of_a_name(c)).map_or(line.len(), |end| start + end);
            if !before[start..].chars().all(is_of_a_name) || end < at {
                return None;
            }
            let colon = line[end..].trim_start_matches(['"', '\'']).trim_start().starts_with(':');
            let part = Part::Name { start: line_start + start, end: line_start + end, colon };
            (part, format!("{}{MARKER}:", " ".repeat(indent)))
        }
        Some(colon) => {
            let (name, _) = key(line)?;
            let from = colon + 1;
            let comment = line[from..].find(" #").map_or(line.len(), |comment| from + comment);
            let value = line[from..comment].trim_end();
            let start = (from + value.len() - value.trim_start().len()).max((from + 1).min(at));
            let end = (from + value.len()).max(start);
            // What is being written is one word.
            if at < start || at > end || line[start..end].contains(' ') {
                return None;
            }
            let glued = start == from;
            let part = Part::Value { name: name.to_owned(), start: line_start + start, end: line_start + end, glued };
            (part, format!("{}{name}: {MARKER}", " ".repeat(indent)))
        }
    };
    let line_end = line_start + line.len();
    let read = format!("{}{replacement}{}", &text[..line_start], &text[line_end..]);
    for document in walguard_manifest::read("", read.into_bytes()).documents {
        let mut object = document.value;
        let mut path = Vec::new();
        if take(&mut object, &mut path) {
            return Some(Entry { object, path, part });
        }
    }
    None
}

/// Takes the entry that is marked out of a value; `path` is that of its map.
fn take(value: &mut Json, path: &mut Vec<PathSegment>) -> bool {
    match value {
        Json::Object(map) => {
            let marked = map.iter().find(|(key, value)| *key == MARKER || value.as_str() == Some(MARKER));
            if let Some(key) = marked.map(|(key, _)| key.clone()) {
                map.remove(&key);
                return true;
            }
            for (key, value) in map {
                path.push(PathSegment::Key(key.clone()));
                if take(value, path) {
                    return true;
                }
                path.pop();
            }
            false
        }
        Json::Array(list) => {
            for (index, value) in list.iter_mut().enumerate() {
                path.push(PathSegment::Index(index));
                if take(value, path) {
                    return true;
                }
                path.pop();
            }
            false
        }
        _ => false,
    }
}

fn named(name: &str, parameter: &Parameter, parameters: &Parameters, range: Range, colon: bool) -> CompletionItem {
    let new_text = if colon { name.to_owned() } else { format!("{name}: ") };
    CompletionItem {
        label: name.to_owned(),
        kind: Some(CompletionItemKind::Property),
        detail: Some(form(parameter)),
        documentation: Some(markdown(documentation(parameter, parameters))),
        text_edit: Some(TextEdit { range, new_text }.into()),
        ..CompletionItem::default()
    }
}

/// The words that a parameter takes.
fn words(parameter: &Parameter) -> Vec<&str> {
    match parameter.kind.as_str() {
        "bool" => vec!["on", "off"],
        "enum" => parameter.values.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

fn valued(word: &str, parameter: &Parameter, range: Range, quoted: bool, space: &str) -> CompletionItem {
    let new_text = if !quoted && is_itself(word) { word.to_owned() } else { Json::from(word).to_string() };
    let is_default = parameter.default.as_deref() == Some(word);
    CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::Value),
        detail: is_default.then(|| "PostgreSQL's default".to_owned()),
        filter_text: Some(if quoted { new_text.clone() } else { word.to_owned() }),
        text_edit: Some(TextEdit { range, new_text: format!("{space}{new_text}") }.into()),
        ..CompletionItem::default()
    }
}

fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}

/// `integer, counted in 8kB, -1 to 262143`.
fn form(parameter: &Parameter) -> String {
    let mut form = match parameter.kind.as_str() {
        "bool" => "on or off".to_owned(),
        "enum" => parameter.values.join(", "),
        "real" => "number".to_owned(),
        kind => kind.to_owned(),
    };
    if let Some(unit) = &parameter.unit {
        form.push_str(&format!(", counted in {unit}"));
    }
    if let (Some(min), Some(max)) = (&parameter.min, &parameter.max) {
        form.push_str(&format!(", {min} to {max}"));
    }
    form
}

/// The defaults, and when a change counts.
fn documentation(parameter: &Parameter, parameters: &Parameters) -> String {
    let mut sentences = Vec::new();
    match &parameter.default {
        Some(default) if default.is_empty() => sentences.push("PostgreSQL's default is empty.".to_owned()),
        Some(default) => {
            let unit = parameter.unit.as_ref().map(|unit| format!(" × {unit}")).filter(|_| !default.starts_with('-'));
            sentences.push(format!("PostgreSQL's default is `{default}`{}.", unit.unwrap_or_default()));
        }
        None => {}
    }
    match parameter.operator_default.as_deref() {
        Some("") => sentences.push(format!("{} computes one of its own.", parameters.operator)),
        Some(text) => sentences.push(format!("{} sets `{text}` where nothing is written.", parameters.operator)),
        None => {}
    }
    sentences.push(
        match parameter.context.as_str() {
            "postmaster" => "A change needs a restart.",
            "sighup" => "A change needs a reload.",
            "backend" | "superuser-backend" => "A change counts for new connections.",
            _ => "Sessions may set it for themselves, too.",
        }
        .to_owned(),
    );
    if let Some(major) = parameters.major {
        sentences.push(format!("(PostgreSQL {major})"));
    }
    sentences.join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    const HEAD: &str = "\
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: orders}
spec:
  instances: 3
  imageName: ghcr.io/cloudnative-pg/postgresql:16.4
  postgresql:
    parameters:
";

    fn workspace() -> Workspace {
        Workspace::new(None, None).unwrap()
    }

    /// What is offered where `|` stands, as it would be inserted.
    fn offered(below: &str) -> Vec<String> {
        let text = format!("{HEAD}{below}");
        let at = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let position = Lines::new(&text).position(at);
        let items = complete(&mut workspace(), &text, position);
        items
            .into_iter()
            .map(|item| match item.text_edit {
                Some(gen_lsp_types::CompletionItemTextEdit::TextEdit(edit)) => {
                    let lines = Lines::new(&text);
                    let (start, end) = (lines.offset(edit.range.start), lines.offset(edit.range.end));
                    format!("{}→{}", &text[start..end], edit.new_text)
                }
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn names_are_those_of_the_major_and_not_written_yet() {
        for below in
            ["      |\n", "      max_w|\n", "      |\n  storage: {size: 10Gi}\n", "      # more\n      max_w|al: x\n"]
        {
            let names = offered(below);
            let has = |wanted: &str| names.iter().any(|name| name.contains(wanted));
            assert!(names.len() > 200 && has("max_wal_size") && has("→checkpoint_timeout"), "{below}: {names:?}");
            assert!(!has("io_method") && !has("data_checksums") && !has("archive_mode:"), "{below}: {names:?}");
        }
        let names = offered("      max_wal_size: 4GB\n      max_w|\n");
        assert!(
            names.contains(&"max_w→max_worker_processes: ".to_owned())
                && !names.iter().any(|n| n.contains("max_wal_size"))
        );
        assert!(offered("      m|ax_wal: 4GB\n").contains(&"max_wal→max_wal_size".to_owned()));
    }

    #[test]
    fn words_are_those_of_the_parameter() {
        assert_eq!(offered("      wal_compression: |\n"), ["→pglz", "→\"off\"", "→lz4", "→zstd"]);
        assert_eq!(offered("      autovacuum: o|\n"), ["o→\"on\"", "o→\"off\""]);
        assert_eq!(offered("      autovacuum: \"o|\" # why\n"), ["\"o\"→\"on\"", "\"o\"→\"off\""]);
        let glued = offered("      synchronous_commit:|\n");
        assert!(glued.len() == 5 && glued.contains(&"→ local".to_owned()), "{glued:?}");
        assert!(offered("      max_wal_size: |\n").is_empty());
    }

    #[test]
    fn elsewhere_nothing_is_offered() {
        for below in [
            "|\n",
            "  |\n",
            "    |\n",
            "      # max|\n",
            "      a b|\n",
            "      - |\n",
            "      x: {|}\n",
            "  storage:\n    si|\n",
            "---\nkind: Service\nspec:\n  |\n",
            "\t|\n",
            "      max_wal_size: 4GB # |\n",
        ] {
            assert!(offered(below).is_empty(), "{below}: {:?}", offered(below));
        }
    }

    #[test]
    fn odd_places_do_no_harm() {
        let mut workspace = workspace();
        for text in
            ["", "a", ":", "é: é\r\n\"", "- - -\n", "{\"a\": [", "\u{feff}a: 🐘", "'", "a:\n\t b", "---\n---\n", "? a"]
        {
            for line in 0..4 {
                for character in 0..12 {
                    let position = Position { line, character };
                    complete(&mut workspace, text, position);
                    describe(&mut workspace, text, position);
                }
            }
        }
    }

    #[test]
    fn a_parameter_is_described_at_its_name_and_its_value() {
        let text = format!("{HEAD}      max_parallel_workers: \"4\"\n");
        for character in [6, 12, 30] {
            let (said, range) = describe(&mut workspace(), &text, Position { line: 8, character }).unwrap();
            assert!(said.starts_with("**max_parallel_workers**: integer, 0 to 1024"), "{said}");
            assert!(said.contains("CloudNativePG sets `32`") && said.contains("(PostgreSQL 16)"), "{said}");
            assert_eq!((range.start.character, range.end.character), (6, 26));
        }
        assert_eq!(describe(&mut workspace(), &text, Position { line: 0, character: 3 }), None);
    }
}
