//! What a cluster looks like: the curve of each volume with its point and what is asked of it, and the budgets of WAL and of memory. All
//! numbers and words come from the rules (`walguard.pictures`); here they are drawn.

use std::fmt::Write as _;

use maud::{Markup, html};
use serde::Deserialize;

use crate::grouped;

/// The pictures of a cluster.
#[derive(Clone, Debug, Deserialize)]
pub struct Picture {
    pub title: String,
    pub volumes: Vec<Volume>,
    pub wal: Vec<Budget>,
    pub memory: Vec<Budget>,
}

/// A volume, and what it would give at other sizes.
#[derive(Clone, Debug, Deserialize)]
pub struct Volume {
    pub id: String,
    pub label: String,
    pub gives: String,
    pub size_bytes: u64,
    pub size_text: String,
    pub bytes_per_second: f64,
    pub text: String,
    pub demand: Option<Demand>,
    /// It gives less than that.
    pub short: bool,
    pub advice: Option<String>,
    /// Where the size stands in the object.
    #[serde(default)]
    pub size_path: Option<Vec<walguard_engine::PathSegment>>,
    /// Sizes to ask for.
    pub sizes_bytes: Vec<u64>,
    /// What was answered: sizes, and bytes a second.
    #[serde(skip)]
    pub curve: Vec<(u64, f64)>,
}

/// What is asked of a volume.
#[derive(Clone, Debug, Deserialize)]
pub struct Demand {
    pub bytes_per_second: f64,
    pub text: String,
}

/// Parts of something that is limited.
#[derive(Clone, Debug, Deserialize)]
pub struct Budget {
    pub label: String,
    pub limit_bytes: f64,
    pub limit_text: String,
    pub advised_bytes: Option<f64>,
    pub advised_text: Option<String>,
    pub bytes: f64,
    pub text: String,
    pub parts: Vec<Part>,
    pub note: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Part {
    pub name: String,
    pub bytes: f64,
    pub text: String,
}

const GIB: f64 = 1_073_741_824.0;

impl Picture {
    pub fn draw(&self) -> Markup {
        html! {
            div.pictures {
                h3 { (self.title) }
                div.figures {
                    @for volume in &self.volumes { (volume.draw()) }
                    @for budget in &self.wal { (budget.draw(&within(&budget.label), "the volume")) }
                    @for budget in &self.memory { (budget.draw(&budget.label, "the limit")) }
                }
            }
        }
    }
}

/// Where the plot of a curve lies in its picture.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 216.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 28.0;

impl Volume {
    fn draw(&self) -> Markup {
        let asked = self.demand.as_ref();
        let state = if self.short { "short" } else { "enough" };
        html! {
            figure.(state) {
                figcaption {
                    b { (self.label) ": " } (self.gives)
                    @if let Some(demand) = asked {
                        @if self.short { "; it needs " (demand.text) ". " } @else { ", enough for " (demand.text) ". " }
                    } @else { ". " }
                    @if let (true, Some(advice)) = (self.short, &self.advice) { (advice) "." }
                }
                (self.plot())
            }
        }
    }

    fn plot(&self) -> Markup {
        let points: Vec<(f64, f64)> = match self.curve.as_slice() {
            [] => vec![(self.size_bytes as f64, self.bytes_per_second)],
            curve => curve.iter().map(|(size, rate)| (*size as f64, *rate)).collect(),
        };
        let own = (self.size_bytes as f64, self.bytes_per_second);
        let demand = self.demand.as_ref().map(|demand| demand.bytes_per_second);
        let sizes = || points.iter().map(|point| point.0).chain([own.0]);
        // A single size has room on both sides.
        let (least, most) = (sizes().fold(f64::MAX, f64::min), sizes().fold(0.0, f64::max));
        let (least, most) = if most > least { (least, most) } else { (least / 2.0, most * 2.0) };
        let rates = points.iter().map(|point| point.1).chain([own.1]).chain(demand);
        let high = rates.fold(0.0, f64::max).max(1.0) * 1.15;
        let x = |size: f64| LEFT + (size / least).ln() / (most / least).ln() * (WIDTH - LEFT - RIGHT);
        let y = |rate: f64| HEIGHT - BOTTOM - rate / high * (HEIGHT - TOP - BOTTOM);
        let line: String = points.iter().fold(String::new(), |mut line, (size, rate)| {
            let _ = write!(line, "{:.1},{:.1} ", x(*size), y(*rate));
            line
        });
        let floor = HEIGHT - BOTTOM;
        let ends = points.first().zip(points.last());
        let area = ends.map(|(first, last)| format!("{:.1},{floor} {line}{:.1},{floor}", x(first.0), x(last.0)));
        let (px, py) = (x(own.0), y(own.1));
        // The words stand away from the line of the demand, and inside of the picture.
        let below = demand.is_some_and(|demand| y(demand) <= py + 2.0 && py - y(demand) < 30.0) || py < TOP + 16.0;
        // Below a point the curve comes from the left.
        let room = if below { 0.7 } else { 0.6 };
        let anchor = if px > WIDTH * room { "end" } else { "start" };
        let words = px + if anchor == "end" { -7.0 } else { 7.0 };
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (self.label) ": throughput by size" } {
                @for rate in ticks(high) {
                    line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(f(y(rate))) y2=(f(y(rate))) {}
                    text x=(LEFT - 6.0) y=(f(y(rate) + 4.0)) text-anchor="end" { (shown(rate / 1e6)) }
                }
                @for (size, name) in marks(least, most) {
                    text x=(f(x(size))) y=(HEIGHT - 9.0) text-anchor=(edge(x(size))) { (name) }
                }
                text x=(LEFT - 6.0) y="11" text-anchor="end" { "MB/s" }
                @if points.len() > 1 {
                    @if let Some(area) = &area { polygon.area points=(area) {} }
                    polyline.curve points=(line.trim_end()) {}
                }
                @if let Some(rate) = demand {
                    line.demand x1=(LEFT) x2=(WIDTH - RIGHT) y1=(f(y(rate))) y2=(f(y(rate))) {}
                    text.demand x=(if anchor == "end" { LEFT + 4.0 } else { WIDTH - RIGHT }) y=(f(y(rate) - 5.0))
                        text-anchor=(if anchor == "end" { "start" } else { "end" }) { "needs " (shown(rate / 1e6)) }
                }
                circle.point cx=(f(px)) cy=(f(py)) r="5" {}
                text.point x=(f(words)) y=(f(if below { py + 19.0 } else { py - 10.0 })) text-anchor=(anchor) { (self.size_text) ": " (self.text) }
            }
        }
    }
}

impl Budget {
    fn draw(&self, label: &str, limit: &str) -> Markup {
        const LONG: f64 = WIDTH - 2.0;
        let over = self.bytes > self.limit_bytes;
        let tight = self.advised_bytes.is_some_and(|advised| self.bytes > advised);
        let state = if over {
            "over"
        } else if tight {
            "tight"
        } else {
            "within"
        };
        let scale = LONG / self.bytes.max(self.limit_bytes);
        let mut at = 0.0;
        let parts: Vec<(f64, f64)> = self
            .parts
            .iter()
            .map(|part| {
                let from = at;
                at += part.bytes * scale;
                (from + 1.0, part.bytes * scale)
            })
            .collect();
        let limit_at = self.limit_bytes * scale + 1.0;
        let advised_at = self.advised_bytes.map(|advised| advised * scale + 1.0);
        let percent = self.bytes / self.limit_bytes.max(1.0) * 100.0;
        html! {
            figure.budget.(state) {
                figcaption {
                    b { (label) ": " }
                    (self.text) " of " (self.limit_text) ", "
                    span.share { (shown(percent.max(0.1))) " %" }
                    @if let Some(advised) = &self.advised_text { " (" (advised) " is advised)" }
                }
                svg viewBox={ "0 0 " (WIDTH) " 46" } role="img" aria-label={ (self.text) " of " (self.limit_text) } {
                    rect.room x="1" y="6" width=(f(self.limit_bytes * scale)) height="22" rx="3" {}
                    @for (number, (from, long)) in parts.iter().enumerate() {
                        rect.{ "part" (number % 4) } x=(f(*from)) y="6" width=(f(long.max(1.0))) height="22" {}
                    }
                    @if over {
                        rect.beyond x=(f(limit_at)) y="3" width=(f((self.bytes - self.limit_bytes) * scale)) height="28" rx="2" {}
                    }
                    @if let Some(at) = advised_at {
                        line.advised x1=(f(at)) x2=(f(at)) y1="2" y2="32" {}
                        text x=(f(at)) y="43" text-anchor=(edge(at)) { "advised" }
                    }
                    line.limit x1=(f(limit_at)) x2=(f(limit_at)) y1="2" y2="32" {}
                    // Beside the word of the advice, unless the two would meet.
                    @if advised_at.is_none_or(|at| limit_at - at > 90.0) {
                        text x=(f(limit_at)) y="43" text-anchor=(edge(limit_at)) { (limit) }
                    }
                }
                ul {
                    @for (number, part) in self.parts.iter().enumerate() {
                        li { svg.key viewBox="0 0 10 10" { rect.{ "part" (number % 4) } width="10" height="10" rx="2" {} } " " (part.name) " " b { (part.text) } }
                    }
                }
                @if let Some(note) = &self.note { p.note { (note) } }
            }
        }
    }
}

/// A number of a picture, with as many digits as it needs.
fn f(number: f64) -> String {
    format!("{number:.1}")
}

/// A number for people: 270, 31.3, 1,250.
fn shown(number: f64) -> String {
    if number < 10.0 {
        let text = format!("{number:.1}");
        return text.strip_suffix(".0").unwrap_or(&text).to_owned();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes and rates that a page shows")]
    grouped(number.round() as u64)
}

/// "WAL on the data volume", where WAL has no volume of its own.
fn within(label: &str) -> String {
    label.strip_prefix("Data").map_or_else(|| label.to_owned(), |rest| format!("WAL on the data{rest}"))
}

/// At the edges words grow to the inside.
fn edge(x: f64) -> &'static str {
    match x {
        x if x > WIDTH - 40.0 => "end",
        x if x < LEFT + 16.0 => "start",
        _ => "middle",
    }
}

/// Three to five rates, at numbers that people count in, from 0.
fn ticks(high: f64) -> Vec<f64> {
    let power = 10_f64.powf((high / 4.0).log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| high / step <= 5.0);
    let step = step.unwrap_or(high);
    (0..=5).map(|n| f64::from(n) * step).take_while(|rate| *rate <= high).collect()
}

/// Sizes that people write, as many as have room.
fn marks(least: f64, most: f64) -> Vec<(f64, String)> {
    let mut all: Vec<(f64, String)> = Vec::new();
    for (unit, name) in [(1.0, "Gi"), (1024.0, "Ti")] {
        for n in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0] {
            all.push((n * unit * GIB, format!("{n}{name}")));
        }
    }
    all.retain(|(size, _)| *size >= least * 0.999 && *size <= most * 1.001);
    let every = all.len().div_ceil(6).max(1);
    all.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_axis_are_such_as_people_count_in() {
        assert_eq!(ticks(310e6).iter().map(|rate| shown(rate / 1e6)).collect::<Vec<_>>(), ["0", "100", "200", "300"]);
        assert_eq!(ticks(36e6).iter().map(|rate| shown(rate / 1e6)).collect::<Vec<_>>(), ["0", "10", "20", "30"]);
        assert_eq!(shown(1250.0), "1,250");
        assert_eq!(shown(12_500.4), "12,500");
        let names: Vec<String> = marks(37.5 * GIB, 920.0 * GIB).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["50Gi", "100Gi", "200Gi", "500Gi"]);
    }
}
