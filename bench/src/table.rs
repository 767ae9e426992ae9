//! Tables of figures: as text for people who wait, as Markdown for `RESULTS.md`.

use std::fmt::Write as _;

/// Figures under a title. The first column names what the others are about.
pub struct Table {
    pub title: String,
    /// What a reader must know besides.
    pub notes: Vec<String>,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(title: impl Into<String>, header: &[&str]) -> Self {
        Self {
            title: title.into(),
            notes: Vec::new(),
            header: header.iter().copied().map(str::to_owned).collect(),
            rows: Vec::new(),
        }
    }

    /// The first column to the left, figures to the right.
    pub fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.header]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = format!("\n{}\n", self.title);
        for row in [&self.header].into_iter().chain(&self.rows) {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        text
    }

    pub fn markdown(&self) -> String {
        let mut text = format!("\n## {}\n\n", self.title);
        let rule = std::iter::once("---").chain(std::iter::repeat_n("--:", self.header.len().saturating_sub(1)));
        let _ = writeln!(text, "| {} |\n| {} |", self.header.join(" | "), rule.collect::<Vec<_>>().join(" | "));
        for row in &self.rows {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        text
    }
}

/// What was promised, and what came of it.
pub struct Goal {
    pub what: &'static str,
    pub goal: String,
    pub measured: String,
    pub met: bool,
}

/// The goals as a table.
pub fn goals(goals: &[Goal]) -> Table {
    let mut table = Table::new("Goals", &["", "goal", "measured", ""]);
    table.rows = goals
        .iter()
        .map(|goal| {
            let verdict = if goal.met { "met" } else { "**missed**" };
            vec![goal.what.to_owned(), goal.goal.clone(), goal.measured.clone(), verdict.to_owned()]
        })
        .collect();
    table
}
