//! The tables of facts that age: JSON files below `rules/` with a title, whose rows name a source and a date.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;
use walguard_engine::Table;

/// Every JSON file with a title and dated rows, by name.
pub fn dated(rules: &Path) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    let mut directories = vec![rules.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                let name = path.with_extension("").strip_prefix(rules)?.to_string_lossy().replace('\\', "/");
                let content: Json = serde_json::from_str(&fs::read_to_string(&path)?).with_context(|| name.clone())?;
                tables.extend(table(&name, &content).with_context(|| name.clone())?);
            }
        }
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tables)
}

fn table(name: &str, content: &Json) -> Result<Option<Table>> {
    let Some(title) = content.get("title").and_then(Json::as_str) else { return Ok(disks(name, content)) };
    let mut dates = Vec::new();
    rows(content, &mut dates)?;
    dates.sort_unstable();
    let (Some(oldest), Some(newest)) = (dates.first(), dates.last()) else { return Ok(None) };
    let (oldest, newest) = (oldest.clone(), newest.clone());
    Ok(Some(Table { name: name.to_owned(), title: title.to_owned(), rows: dates.len(), oldest, newest }))
}

/// The profiles of a storage vendor, whose rows have the month of their last comparison.
fn disks(name: &str, content: &Json) -> Option<Table> {
    let vendor = name.strip_prefix("storage/")?.strip_suffix("/profiles")?;
    let rows = content.as_object()?.values();
    let mut months: Vec<String> = rows.filter_map(|row| Some(row.get("as_of")?.as_str()?.to_owned())).collect();
    months.sort_unstable();
    let (oldest, newest) = (months.first()?.clone(), months.last()?.clone());
    Some(Table {
        name: name.to_owned(),
        title: format!("Figures of disks ({vendor})"),
        rows: months.len(),
        oldest,
        newest,
    })
}

/// The dates of all rows, wherever they stand. A row with a date has a source.
fn rows(value: &Json, dates: &mut Vec<String>) -> Result<()> {
    match value {
        Json::Object(map) => {
            if let Some(date) = map.get("date") {
                let date = date.as_str().filter(|date| is_date(date)).context("a date is a text like 2026-11-22")?;
                if map.get("source").and_then(Json::as_str).is_none_or(|source| !source.starts_with("https://")) {
                    bail!("a row of {date} has no source: {value}");
                }
                dates.push(date.to_owned());
            }
            map.values().try_for_each(|value| rows(value, dates))
        }
        Json::Array(list) => list.iter().try_for_each(|value| rows(value, dates)),
        _ => Ok(()),
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_with_dates() {
        let row = |date: &str| json!({"end": 1, "source": "https://example.com", "date": date});
        let found = table("a/b", &json!({"title": "Ends", "rows": {"1": row("2026-11-22"), "2": row("2024-02-01")}}));
        let found = found.unwrap().unwrap();
        assert_eq!((found.rows, &*found.oldest, &*found.newest), (2, "2024-02-01", "2026-11-22"));
        assert!(!found.older_than_a_year("2027-11-22"));
        assert!(found.older_than_a_year("2027-11-23"));
        assert!(found.older_than_a_year("2030-01-01"));
    }

    #[test]
    fn tables_without_dates_or_sources() {
        assert!(table("a", &json!({"title": "x", "rows": [{"a": 1}]})).unwrap().is_none());
        assert!(table("a", &json!({"rows": []})).unwrap().is_none());
        assert!(table("a", &json!({"title": "x", "rows": [{"date": "2026-11-22"}]})).is_err());
        assert!(
            table("a", &json!({"title": "x", "rows": [{"date": "today", "source": "https://example.com"}]})).is_err()
        );
    }
}
