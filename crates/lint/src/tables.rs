//! How old the tables of facts that age are: ends of life, bad releases, figures of disks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use walguard_engine::{Catalogue, Finding, a_year_old};
use walguard_report::counted;

/// The day of a moment (RFC 3339), or that of the clock, as `2026-11-22`.
#[must_use]
pub fn day(now: Option<&str>) -> String {
    let moment = now.and_then(|text| text.parse().ok()).unwrap_or_else(Timestamp::now);
    moment.to_zoned(TimeZone::UTC).date().to_string()
}

/// One line for each table more than a year old that findings rest on.
pub fn aged<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    catalogue: &Catalogue,
    today: &str,
) -> impl Iterator<Item = String> {
    let mut resting: BTreeMap<(String, String), usize> = BTreeMap::new();
    for finding in findings {
        let named = catalogue.checks.get(&finding.check).map(|check| check.tables.as_slice()).unwrap_or_default();
        let tables = catalogue.tables.iter().filter(|table| named.contains(&table.name));
        let tables = tables.map(|table| (format!("the table “{}”", table.title), table.newest.clone()));
        let figures = finding.facts.get("figures_as_of").and_then(|date| date.as_str());
        let figures = figures.map(|date| ("figures of disks".to_owned(), date.to_owned()));
        for (name, date) in tables.chain(figures).filter(|(_, date)| a_year_old(date, today)) {
            *resting.entry((name, date)).or_default() += 1;
        }
    }
    resting.into_iter().map(|((name, date), count)| {
        let rest = counted(count, "finding rests", "findings rest");
        format!("{rest} on {name} of {date}, more than a year old; look for a newer walguard")
    })
}

/// The version of this program, and the date of each table.
#[must_use]
pub fn version(catalogue: &Catalogue, today: &str) -> String {
    let mut text = format!("walguard {}\n", env!("CARGO_PKG_VERSION"));
    let width = catalogue.tables.iter().map(|table| table.title.chars().count()).max().unwrap_or_default();
    for table in &catalogue.tables {
        let old = if a_year_old(&table.newest, today) { "  more than a year old" } else { "" };
        let _ = writeln!(text, "  {:width$}  {}{old}", table.title, table.newest);
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules;

    fn finding(check: &str, facts: &serde_json::Value) -> Finding {
        serde_json::from_value(json!({
            "check": check, "severity": "warning", "action": "warn", "message": "m", "remediation": "r",
            "resource": {"apiVersion": "v1", "kind": "Cluster", "namespace": "", "name": "db"}, "path": [], "facts": facts,
        }))
        .unwrap()
    }

    #[test]
    fn findings_that_rest_on_old_tables_say_so() {
        let catalogue = rules::load(None).unwrap().catalogue().unwrap();
        let findings = [
            finding("image/end_of_life", &json!({})),
            finding("image/end_of_life", &json!({})),
            finding("storage/size_below_knee", &json!({"figures_as_of": "2026-11"})),
            finding("durability/fsync", &json!({})),
        ];
        let noted = |today| aged(findings.iter(), &catalogue, today).collect::<Vec<_>>();
        assert_eq!(noted("2026-12-01"), [""; 0]);
        let newest = &catalogue.tables.iter().find(|table| table.name == "postgres/releases").unwrap().newest;
        assert_eq!(
            noted("2099-01-01"),
            [
                "1 finding rests on figures of disks of 2026-11, more than a year old; look for a newer walguard"
                    .to_owned(),
                format!(
                    "2 findings rest on the table “Releases of PostgreSQL” of {newest}, more than a year old; look for a newer walguard"
                ),
            ]
        );
    }

    #[test]
    fn the_version_shows_the_date_of_each_table() {
        let catalogue = rules::load(None).unwrap().catalogue().unwrap();
        let text = version(&catalogue, "2026-12-01");
        for table in &catalogue.tables {
            assert!(text.lines().any(|line| line.contains(&table.title) && line.ends_with(&table.newest)), "{text}");
        }
        assert!(catalogue.tables.iter().any(|table| table.name == "storage/aws/profiles"));
        assert!(version(&catalogue, "2099-01-01").contains("more than a year old"));
    }

    #[test]
    fn a_day_is_that_of_the_moment() {
        assert_eq!(day(Some("2026-11-22T23:30:00-02:00")), "2026-11-23");
        assert_eq!(day(None).len(), 10);
    }
}
