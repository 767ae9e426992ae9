//! The pictures of the README, from what walguard prints: `make pictures`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value as Json;

/// What the terminal shows; the README's first example.
const SHOWN: &str = "walguard lint --select wal/ examples/cnpg/bad/wal-outgrows-volume.yaml";
/// Disks whose curves are drawn, one of each vendor.
const DISKS: [&str; 4] = ["ali-essd-pl1", "aws-gp3", "azure-premium-lrs", "gcp-pd-balanced"];
const CORES: u32 = 16;
const COLORS: [&str; 4] = ["#e8590c", "#1c7ed6", "#2f9e44", "#9c36b5"];

/// `docs/pictures/*.svg`
pub fn files(root: &Path, walguard: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let arguments: Vec<&str> = SHOWN.split(' ').skip(1).collect();
    let printed = run(root, walguard, &[&arguments[..], &["--color", "always"]].concat())?;
    Ok(BTreeMap::from([
        ("docs/pictures/lint.svg".into(), terminal(SHOWN, &printed)),
        ("docs/pictures/disks.svg".into(), curves(root, walguard)?),
    ]))
}

fn run(root: &Path, walguard: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(walguard).args(arguments).current_dir(root).env_remove("WALGUARD_CONFIG").output();
    let output = output.with_context(|| format!("cannot run {}", walguard.display()))?;
    ensure!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Text in a look: what stands between two escape sequences.
#[derive(Debug, PartialEq)]
struct Span {
    column: usize,
    class: String,
    text: String,
}

/// The lines of a text with sequences of `ESC [ … m`. Others are left out.
fn spans(text: &str) -> Vec<Vec<Span>> {
    let (mut bold, mut dim, mut color) = (false, false, 0_u32);
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut spans, mut column): (Vec<Span>, usize) = (Vec::new(), 0);
        for (index, part) in line.split('\u{1b}').enumerate() {
            let mut shown = part;
            if index > 0 {
                let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(part.len());
                let (codes, rest) = part.split_at(end);
                shown = rest.get(1..).unwrap_or_default();
                if rest.starts_with('m') {
                    for code in codes.trim_start_matches('[').split(';') {
                        match code.parse().unwrap_or(0) {
                            0 => (bold, dim, color) = (false, false, 0),
                            1 => bold = true,
                            2 => dim = true,
                            code @ (30..=37 | 90..=97) => color = code % 10,
                            _ => {}
                        }
                    }
                }
            }
            if !shown.is_empty() {
                let mut class = if color > 0 { format!("c{color}") } else { String::new() };
                for (on, name) in [(bold, "b"), (dim, "d")] {
                    if on {
                        class = format!("{class} {name}").trim_start().to_owned();
                    }
                }
                spans.push(Span { column, class, text: shown.to_owned() });
                column += shown.chars().count();
            }
        }
        lines.push(spans);
    }
    lines
}

/// A window with a command and what it printed. Every span has its place, so that columns meet in any font.
fn terminal(command: &str, printed: &str) -> String {
    const ADVANCE: f64 = 8.0;
    const LEADING: usize = 19;
    let mut lines = vec![vec![
        Span { column: 0, class: "d".to_owned(), text: "$".to_owned() },
        Span { column: 2, class: "b".to_owned(), text: command.to_owned() },
    ]];
    lines.extend(spans(printed));
    let columns = lines.iter().flatten().map(|span| span.column + span.text.chars().count()).max().unwrap_or_default();
    let (width, height) = (columns as f64 * ADVANCE + 40.0, lines.len() * LEADING + 64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>{}</title>\n\
         <style>text{{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre}}\
         .b{{font-weight:600}}.d{{opacity:.6}}.c1{{fill:#ff7b72}}.c2{{fill:#7ee787}}.c3{{fill:#f0c674}}.c4{{fill:#79c0ff}}.c5{{fill:#d2a8ff}}.c6{{fill:#76e3ea}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#161b22\"/>\n\
         <circle cx=\"22\" cy=\"20\" r=\"6\" fill=\"#ff5f57\"/><circle cx=\"42\" cy=\"20\" r=\"6\" fill=\"#febc2e\"/><circle cx=\"62\" cy=\"20\" r=\"6\" fill=\"#28c840\"/>\n",
        escape(command)
    );
    for (index, line) in lines.iter().enumerate() {
        if line.is_empty() {
            continue;
        }
        let _ = write!(svg, "<text xml:space=\"preserve\" y=\"{}\">", 56 + index * LEADING);
        for span in line {
            let x = span.column as f64 * ADVANCE + 20.0;
            let length = span.text.chars().count() as f64 * ADVANCE;
            let class = if span.class.is_empty() { String::new() } else { format!(" class=\"{}\"", span.class) };
            let _ = write!(
                svg,
                "<tspan x=\"{x}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"{class}>{}</tspan>",
                escape(&span.text)
            );
        }
        svg.push_str("</text>\n");
    }
    svg + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A disk's name, and what it gives at which sizes.
struct Curve {
    title: String,
    points: Vec<(f64, f64)>,
}

/// Throughput over size, and what cores need.
fn curves(root: &Path, walguard: &Path) -> Result<String> {
    // In steps of a twentieth, from 20Gi to 2Ti.
    let steps = (0..=95).map(|step| (20.0 * 1.05_f64.powi(step)).round() as u64);
    let sizes: Vec<u64> = steps.take_while(|size| *size < 2048).chain([2048]).collect();
    let mut drawn = Vec::new();
    let mut needed = 0.0;
    for disk in DISKS {
        let named: Vec<String> = sizes.iter().map(|size| format!("{disk}:{size}Gi")).collect();
        let mut arguments = vec!["disk", "--format", "json"];
        arguments.extend(named.iter().map(String::as_str));
        let answer: Json = serde_json::from_str(&run(root, walguard, &arguments)?)?;
        let sheets = answer["disks"].as_array().with_context(|| format!("{disk} is not known"))?;
        let mut points = Vec::new();
        for (sheet, size) in sheets.iter().zip(&sizes) {
            let throughput = sheet["throughput_bytes_per_second"].as_f64();
            points
                .push((*size as f64, throughput.with_context(|| format!("{disk}: the throughput of {size}Gi"))? / 1e6));
            needed = sheet["mbps_per_core"].as_f64().unwrap_or(needed);
        }
        let first = sheets.first().with_context(|| format!("{disk} has no sizes"))?;
        let text = |key: &str| first[key].as_str().unwrap_or_default().to_owned();
        drawn.push(Curve { title: format!("{} · {}", text("title"), text("vendor")), points });
    }
    ensure!(needed > 0.0, "what a core needs is not known");
    Ok(plot(&drawn, needed * f64::from(CORES)))
}

fn plot(curves: &[Curve], needed: f64) -> String {
    let (width, height, left, right, top, bottom) = (900.0, 380.0, 70.0, 230.0, 50.0, 50.0);
    let (least, most) = (20.0_f64, 2048.0_f64);
    let high = curves.iter().flat_map(|curve| &curve.points).map(|(_, y)| *y).fold(needed, f64::max) * 1.08;
    let x = |size: f64| left + (size / least).ln() / (most / least).ln() * (width - left - right);
    let y = |throughput: f64| height - bottom - throughput / high * (height - top - bottom);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>Throughput of four disks by size, and what {CORES} cores need</title>\n\
         <style>text{{font:13px system-ui,sans-serif;fill:#57606a}}.t{{font-size:15px;font-weight:600;fill:#24292f}}.g{{stroke:#d0d7de}}.p{{fill:#fff}}\
         @media(prefers-color-scheme:dark){{text{{fill:#9da7b3}}.t{{fill:#e6edf3}}.g{{stroke:#30363d}}.p{{fill:#161b22}}}}</style>\n\
         <rect class=\"p\" width=\"100%\" height=\"100%\" rx=\"10\"/>\n\
         <text class=\"t\" x=\"20\" y=\"28\">What a disk gives depends on its size: MB/s, as provisioned by default</text>\n"
    );
    let step = if high > 1000.0 { 250.0 } else { 100.0 };
    let mut value = 0.0;
    while value < high {
        let at = y(value);
        let _ = writeln!(
            svg,
            "<line class=\"g\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            width - right,
            left - 8.0,
            at + 4.0
        );
        value += step;
    }
    for (size, name) in
        [(20.0, "20Gi"), (50.0, "50Gi"), (100.0, "100Gi"), (300.0, "300Gi"), (1024.0, "1Ti"), (2048.0, "2Ti")]
    {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            x(size),
            height - bottom + 22.0
        );
    }
    let need = y(needed);
    let _ = writeln!(
        svg,
        "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{need:.1}\" y2=\"{need:.1}\" stroke=\"#cf222e\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" style=\"fill:#cf222e\">{CORES} cores that write need {needed:.0} MB/s</text>",
        width - right,
        left + 8.0,
        need - 7.0
    );
    // Names stand beside the ends, one below the other where they would meet.
    let mut ends: Vec<(f64, usize)> =
        curves.iter().enumerate().map(|(index, curve)| (y(curve.points.last().map_or(0.0, |p| p.1)), index)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut below = f64::MIN;
    for (end, index) in ends {
        let (Some(curve), Some(color)) = (curves.get(index), COLORS.get(index)) else { continue };
        let path: Vec<String> = curve.points.iter().map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b))).collect();
        below = end.max(below + 18.0);
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2.5\" stroke-linejoin=\"round\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" style=\"fill:{color}\">{}</text>",
            path.join(" "),
            width - right + 10.0,
            below + 4.0,
            escape(&curve.title)
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_keep_their_columns() {
        let span = |column, class: &str, text: &str| Span { column, class: class.to_owned(), text: text.to_owned() };
        assert_eq!(
            spans("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: ä<b\n\n\u{1b}[2mdim\u{1b}[0m"),
            [vec![span(0, "c1 b", "error"), span(5, "", ": ä<b")], vec![], vec![span(0, "d", "dim")]]
        );
        let svg = terminal("a & b", "\u{1b}[93mx < y\u{1b}[0m");
        assert!(svg.contains("a &amp; b") && svg.contains("class=\"c3\">x &lt; y</tspan>"), "{svg}");
    }
}
