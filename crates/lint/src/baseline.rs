//! `--write-waivers`: what is found today becomes waivers of the policy configuration, so that a run fails on what comes on top. Other
//! lines of the file stay as they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::Value as Json;
use walguard_engine::{Action, PathSegment, ResourceRef, configuration};
use walguard_manifest as manifest;
use walguard_report::Report;

use crate::options::Run;
use crate::{config, yaml};

/// Where a configuration is written that is not there yet.
const NEW: &str = "walguard.yaml";
/// How long a waiver counts for which no date is given.
const DAYS: i64 = 90;

#[derive(Debug, clap::Args)]
pub struct Baseline {
    /// Add waivers for the errors and warnings that are found to walguard.yaml, so that only new ones fail
    #[arg(long, requires = "owner", conflicts_with = "diff")]
    write_waivers: bool,

    /// Who answers for these waivers
    #[arg(long, value_name = "NAME", requires = "write_waivers")]
    owner: Option<String>,

    /// Until when they count [default: 90 days from now]
    #[arg(long, value_name = "DATE", requires = "write_waivers", value_parser = parse_date)]
    expires: Option<String>,

    /// Why the findings are accepted
    #[arg(long, value_name = "TEXT", requires = "write_waivers", default_value = "found when walguard was introduced")]
    reason: String,
}

impl Baseline {
    /// Adds waivers for the findings of a report, where that is asked for; true when the configuration has changed.
    ///
    /// # Errors
    /// When the configuration has a form into which nothing can be put, or cannot be written.
    pub fn write(&self, report: &Report, run: &Run) -> anyhow::Result<bool> {
        let (true, Some(owner)) = (self.write_waivers, &self.owner) else { return Ok(false) };
        let expires = match &self.expires {
            Some(date) => date.clone(),
            None => self.default_date(run)?,
        };
        let found: BTreeSet<(&str, &ResourceRef)> = report
            .findings
            .iter()
            .map(|found| &found.finding)
            .filter(|finding| {
                finding.counts() && finding.action >= Action::Warn && !finding.check.starts_with("policy/")
            })
            .map(|finding| (finding.check.as_str(), &finding.resource))
            .collect();
        let path = config::path(run.config.as_ref())?.unwrap_or_else(|| PathBuf::from(NEW));
        // As short as a person would write it.
        let here = std::env::current_dir().unwrap_or_default();
        let path = path.strip_prefix(here).map_or_else(|_| path.clone(), Path::to_path_buf);
        let count = walguard_report::counted(found.len(), "waiver", "waivers");
        if !found.is_empty() {
            let entries: Vec<[String; 5]> = found
                .iter()
                .map(|(check, resource)| {
                    let [owner, reason] = [owner, &self.reason].map(|text| yaml::scalar(text));
                    let check = yaml::scalar(check);
                    [
                        format!("check: {check}"),
                        format!("resource: {{{}}}", scope(resource)),
                        format!("reason: {reason}"),
                        format!("owner: {owner}"),
                        format!("expires: {expires}"),
                    ]
                })
                .collect();
            add(&path, &entries, run)?;
        }
        anstream::eprintln!("wrote {count} to {}, which expire on {expires}", path.display());
        Ok(!found.is_empty())
    }

    fn default_date(&self, run: &Run) -> anyhow::Result<String> {
        let now = run.now.as_ref().map_or_else(|| Ok(Timestamp::now()), |now| now.parse::<Timestamp>())?;
        Ok(now.to_zoned(TimeZone::UTC).checked_add(Span::new().days(DAYS))?.date().to_string())
    }
}

/// Names the resource of a waiver, and no more of it than there is.
fn scope(resource: &ResourceRef) -> String {
    let fields = [("namespace", &resource.namespace), ("kind", &resource.kind), ("name", &resource.name)];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_empty());
    fields.map(|(key, value)| format!("{key}: {}", yaml::scalar(value))).collect::<Vec<_>>().join(", ")
}

/// Puts waivers into a configuration before those that it has, in their indentation.
fn add(path: &Path, entries: &[[String; 5]], run: &Run) -> anyhow::Result<()> {
    let shown = path.display();
    let before = match path.exists() {
        true => fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?,
        false => "version: 1\n".to_owned(),
    };
    let name = shown.to_string();
    let present = |text: &str| -> anyhow::Result<usize> {
        let read = config::parse(&name, text.as_bytes().to_vec(), &run.catalogue);
        let Ok(read) = read else { bail!("{shown}: waivers cannot be added to it; write them by hand") };
        Ok(read.value.get("waivers").and_then(Json::as_array).map_or(0, Vec::len))
    };
    let old = present(&before)?;
    let written = |indent: &str| -> String {
        entries.iter().map(|lines| format!("{indent}- {}\n", lines.join(&format!("\n{indent}  ")))).collect()
    };
    let key = manifest::read(name.as_str(), before.clone().into_bytes());
    let key = key.documents.first().and_then(|document| document.key_bytes(&[PathSegment::Key("waivers".to_owned())]));
    let after = match key {
        None => format!("{}\n\nwaivers:\n{}", before.trim_end(), written("  ")),
        Some(key) => {
            let line_end = before[key.end..].find('\n').map_or(before.len(), |at| key.end + at + 1);
            let (head, rest) = before.split_at(line_end);
            let first = rest.lines().find(|line| line.trim_start().starts_with("- ")).unwrap_or("  - ");
            let indent = &first[..first.len() - first.trim_start().len()];
            format!("{}\n{}{rest}", head.trim_end_matches('\n'), written(indent))
        }
    };
    ensure!(present(&after)? == old + entries.len(), "{shown}: waivers cannot be added to it; write them by hand");
    fs::write(path, after).with_context(|| format!("cannot write {shown}"))
}

fn parse_date(text: &str) -> Result<String, String> {
    configuration::timestamp(text).map(|_| text.to_owned()).ok_or_else(|| "not a date such as 2027-03-31".to_owned())
}
