//! `docs/values.md`: the values of the chart as a table, from the comments in `values.yaml`.

use std::fmt::Write as _;

use anyhow::{Result, ensure};

/// A value with its comment.
struct Entry {
    path: String,
    default: String,
    comment: String,
}

/// The table. A value that has no comment of its own (`# -- …`) is described where it stands in.
pub fn table(values: &str) -> Result<String> {
    let mut text = String::from(
        "# Values of the chart\n\nGenerated from [values.yaml](../values.yaml) by `make generate`. `helm install --set NAME=VALUE`, or a file with `--values`.\n\n\
         | value | default | |\n|---|---|---|\n",
    );
    for Entry { path, default, comment } in entries(values)? {
        let default = if default.is_empty() { String::new() } else { format!("`{}`", default.replace('|', "\\|")) };
        writeln!(text, "| `{path}` | {default} | {} |", comment.replace('|', "\\|"))?;
    }
    Ok(text)
}

fn entries(values: &str) -> Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    // Keys that enclose the line at hand, with their indentation.
    let mut parents: Vec<(usize, String)> = Vec::new();
    let mut comment = String::new();
    // Lines of a value that go on below its key are no keys, where the key has a comment and no value.
    let mut within: Option<usize> = None;
    for line in values.lines() {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if content.is_empty() {
            comment.clear();
            continue;
        }
        if let Some(remark) = content.strip_prefix('#') {
            match remark.trim_start().strip_prefix("-- ") {
                Some(first) => first.clone_into(&mut comment),
                // Below its key stands an example, which is not part of it.
                None if !comment.is_empty() => {
                    comment.push(' ');
                    comment.push_str(remark.trim());
                }
                None => {}
            }
            continue;
        }
        if within.is_some_and(|key| indent > key) {
            if let Some(last) = entries.last_mut() {
                if !last.default.is_empty() {
                    last.default.push(' ');
                }
                last.default.push_str(content);
            }
            continue;
        }
        within = None;
        let Some((key, default)) = content.split_once(':') else { continue };
        parents.retain(|(of, _)| *of < indent);
        let path: Vec<&str> = parents.iter().map(|(_, key)| key.as_str()).chain([key]).collect();
        let path = path.join(".");
        let default = default.trim();
        if comment.is_empty() && !default.is_empty() {
            // Its parent says what it is.
            let of = parents.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>().join(".");
            let described = entries.iter().any(|entry| entry.path == of);
            ensure!(described, "values.yaml: {path} has no comment that begins with --");
        }
        let lists = default.is_empty() && next_is_list(values, line);
        entries.push(Entry { path, default: default.to_owned(), comment: std::mem::take(&mut comment) });
        if lists {
            within = Some(indent);
        }
        parents.push((indent, key.to_owned()));
    }
    // What only encloses others, and has nothing to say.
    entries.retain(|entry| !entry.comment.is_empty() || !entry.default.is_empty());
    Ok(entries)
}

/// Whether the line after a line begins a list.
fn next_is_list(values: &str, line: &str) -> bool {
    let mut lines = values.lines().skip_while(|other| !std::ptr::eq(*other, line));
    lines.next();
    lines.next().is_some_and(|next| next.trim_start().starts_with("- "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_every_value() -> Result<()> {
        let values = "# head\n\n# -- One\n# of two | lines.\na: 1\n# -- All.\nb:\n  c: {}\n  # -- D.\n  d:\n    - name: x\n      y: z\n# -- E.\ne: \"\"\n#  e: example\n";
        let rows: Vec<String> =
            entries(values)?.into_iter().map(|e| format!("{}={}: {}", e.path, e.default, e.comment)).collect();
        assert_eq!(rows, ["a=1: One of two | lines.", "b=: All.", "b.c={}: ", "b.d=- name: x y: z: D.", "e=\"\": E."]);
        assert!(table(values)?.contains("| `a` | `1` | One of two \\| lines. |"));
        assert!(entries("a: 1\n").is_err());
        Ok(())
    }
}
