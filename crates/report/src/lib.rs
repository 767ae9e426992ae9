//! The findings of a run, and how they are printed. A format is one module, one variant and one match arm.

mod concise;
mod excerpt;
mod explanation;
mod fold;
mod github;
mod gitlab;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod pictures;
mod report;
mod sarif;
mod skipped;
mod statistics;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::process::ExitCode;

use anstream::{AutoStream, StripStream};
use clap::ValueEnum;
use walguard_engine::{Catalogue, Finding, Severity};

pub use explanation::{explanation, proposal};
pub use pictures::Picture;
pub use report::{Beside, Failure, Located, Place, Report, Summary, TextEdit, name};
pub use skipped::{Reason, Skipped};

/// What the exit code of every subcommand says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing was found at or above `--fail-on`.
    Clean = 0,
    /// There are findings at or above `--fail-on`.
    Findings = 1,
    /// Wrong usage or configuration, or input that cannot be read; what can be read was judged and reported.
    Failure = 2,
    /// There was no manifest to judge.
    Nothing = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: the place, the reason, the cure
    #[default]
    Human,
    /// One line each: file:line:column: severity[check] message
    Concise,
    /// For programs: a document whose form does not change
    Json,
    /// For code scanning: SARIF 2.1.0
    Sarif,
    /// For CI servers: JUnit XML, a test case per document and finding
    Junit,
    /// For GitHub Actions: annotations in the pull request
    Github,
    /// For GitLab: a code quality report
    Gitlab,
    /// For comments and step summaries: a table
    Markdown,
    /// For people elsewhere: a page in one file
    Html,
}

/// How what is known (checks, disks) is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    #[default]
    Human,
    Json,
}

/// Flushes what was written. That whoever read has seen enough (`| head`) is no error.
///
/// # Errors
/// When it cannot be written.
pub fn finish(written: io::Result<()>, out: &mut dyn Write) -> io::Result<()> {
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        finished => finished,
    }
}

/// When the output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    fn choice(self) -> anstream::ColorChoice {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
    }

    /// Standard output, buffered, that keeps or drops colours.
    #[must_use]
    pub fn stdout(self) -> Box<dyn Write> {
        Box::new(BufWriter::new(AutoStream::new(io::stdout(), self.choice())))
    }

    /// Standard error that keeps or drops colours.
    #[must_use]
    pub fn stderr(self) -> Box<dyn Write> {
        Box::new(AutoStream::new(io::stderr(), self.choice()))
    }
}

/// What of a report people want to see.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: Color,
    pub explain: bool,
    pub quiet: bool,
    /// Everything that was skipped, by name.
    pub verbose: bool,
    /// Findings that are information alone, too.
    pub info: bool,
    /// How many findings each check has, in place of the findings.
    pub statistics: bool,
}

impl Style {
    /// Whether people see a finding.
    fn shows(self, finding: &Finding) -> bool {
        finding.counts() && (self.info || finding.severity > Severity::Info)
    }

    /// The findings that people see, in the order in which their causes were read.
    fn shown(self, report: &Report) -> Vec<&Located> {
        let mut shown: Vec<&Located> = report.findings.iter().filter(|found| self.shows(&found.finding)).collect();
        shown.sort_by_key(|found| found.place.order());
        shown
    }
}

/// Prints a report on standard output. Of the formats for a terminal, what could not be read goes to standard error.
///
/// # Errors
/// When standard output cannot be written.
pub fn write(report: &Report, catalogue: &Catalogue, format: Format, style: Style) -> io::Result<()> {
    let mut out = match format {
        Format::Human | Format::Concise => {
            failures(report, &mut style.color.stderr())?;
            style.color.stdout()
        }
        _ => Box::new(BufWriter::new(io::stdout())),
    };
    write_to(report, catalogue, format, style, &mut out)
}

/// Prints a report into a file; for people without colours.
///
/// # Errors
/// When the file cannot be written.
pub fn save(report: &Report, catalogue: &Catalogue, format: Format, style: Style, file: &Path) -> io::Result<()> {
    let style = Style { color: Color::Never, ..style };
    let mut out = BufWriter::new(StripStream::new(File::create(file)?));
    if matches!(format, Format::Human | Format::Concise) {
        failures(report, &mut out)?;
    }
    write_to(report, catalogue, format, style, &mut out)
}

/// What could not be read or judged, for people.
///
/// # Errors
/// When the output cannot be written.
pub fn failures(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let red = paint::severity(Severity::Error);
    report
        .failures
        .iter()
        .try_for_each(|failure| writeln!(out, "{red}error{red:#}: {}", printable(&failure.to_string())))
}

fn write_to(
    report: &Report,
    catalogue: &Catalogue,
    format: Format,
    style: Style,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human | Format::Concise if style.statistics => statistics::write(report, catalogue, style, &mut out)?,
        Format::Human => human::write(report, catalogue, style, &mut out)?,
        Format::Concise => concise::write(report, style, &mut out)?,
        Format::Gitlab => gitlab::write(report, &mut out)?,
        Format::Markdown => markdown::write(report, style, &mut out)?,
        Format::Json => json::write(report, &mut out)?,
        Format::Sarif => sarif::write(report, catalogue, &mut out)?,
        Format::Junit => junit::write(report, &mut out)?,
        Format::Github => github::write(report, catalogue, &mut out)?,
        Format::Html => html::write(report, catalogue, &mut out)?,
    }
    out.flush()
}

/// Columns that text may take: the terminal's, or as many as can be read well.
#[must_use]
pub fn width() -> usize {
    const COMFORTABLE: usize = 120;
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    let columns = asked.or_else(|| terminal().map(|(terminal_size::Width(columns), _)| usize::from(columns)));
    columns.map_or(COMFORTABLE, |columns| columns.clamp(40, COMFORTABLE))
}

/// Text without what would steer a terminal: names and values come from whoever wrote the manifest.
fn printable(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', "")
}

/// Text on one line, without what would steer a terminal.
#[must_use]
pub fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Text wrapped to a width, each line indented and ended. Lines are joined to paragraphs as in Markdown.
#[must_use]
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut wrapped = String::new();
    for (index, paragraph) in text.trim().split("\n\n").enumerate() {
        if index > 0 {
            wrapped.push('\n');
        }
        for part in paragraph.split("\n- ") {
            let bullet = if part.len() < paragraph.len() && !paragraph.starts_with(part) { "- " } else { "" };
            let text = format!("{bullet}{}", one_line(part));
            // Between words only: paths, values and addresses stay whole.
            let options = textwrap::Options::new(width)
                .initial_indent(indent)
                .subsequent_indent(indent)
                .word_separator(textwrap::WordSeparator::AsciiSpace)
                .word_splitter(textwrap::WordSplitter::NoHyphenation)
                .break_words(false);
            for line in textwrap::wrap(&text, options) {
                wrapped.push_str(line.trim_end());
                wrapped.push('\n');
            }
        }
    }
    wrapped
}

/// A finding for formats that have one field for all of it.
fn text(finding: &Finding) -> String {
    let parts = [&finding.message, &finding.remediation, &finding.docs].map(String::as_str);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The lines of a text as they are, each indented and ended.
#[must_use]
pub fn indent(text: &str, indent: &str) -> String {
    printable(text).trim().lines().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect()
}

/// `1 file`, `2 files`.
#[must_use]
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `1,250`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How many documents, or objects of a live cluster, were judged.
fn judged(report: &Report) -> String {
    let (one, many) = if report.objects.is_some() { ("object", "objects") } else { ("document", "documents") };
    counted(report.summary.documents, one, many)
}

/// How many findings of each severity there are, in words, where there are some.
fn by_severity(summary: &Summary) -> impl Iterator<Item = (Severity, String)> {
    let all = [
        (summary.error, Severity::Error, "error", "errors"),
        (summary.warning, Severity::Warning, "warning", "warnings"),
        (summary.info, Severity::Info, "info", "info"),
    ];
    let there = all.into_iter().filter(|(count, ..)| *count > 0);
    there.map(|(count, severity, one, many)| (severity, counted(count, one, many)))
}

/// The colours of everything that is printed.
pub mod paint {
    use anstyle::{AnsiColor, Style};
    use walguard_engine::Severity;

    pub const BOLD: Style = Style::new().bold();
    pub const DIM: Style = Style::new().dimmed();

    /// The colour of a severity.
    #[must_use]
    pub fn severity(severity: Severity) -> Style {
        match severity {
            Severity::Error => AnsiColor::Red.on_default().bold(),
            Severity::Warning => AnsiColor::Yellow.on_default().bold(),
            Severity::Info => AnsiColor::Cyan.on_default().bold(),
        }
    }
}
