//! Checks that an administrator brings, beside the embedded ones.

use std::collections::BTreeMap;

use rego_plan::Plan;
use rego_runtime::{Answer, Context, Extension, Interpreter, Kept, ProgramError, Surroundings, Value, compiled};
use serde_json::Value as Json;

use crate::{Check, Severity};

/// Where checks stand, theirs as ours.
const CHECKS: &str = "data.walguard.checks.";
const FINDINGS: &str = ".findings";

/// Rules of a bundle that hold checks: `data.walguard.checks.<area>.<name>.findings`.
pub struct Own {
    interpreter: Interpreter,
    /// By id, with the rule that has the findings.
    checks: BTreeMap<String, (String, Check)>,
}

impl Own {
    /// `described`: the METADATA of packages, by their path (`walguard.checks.company.team_label`).
    pub fn new(plan: &Plan, data: Kept, described: &BTreeMap<String, Json>) -> Result<Self, ProgramError> {
        let interpreter = Interpreter::new(plan, data)?;
        let checks = interpreter.rules().filter_map(|rule| {
            let package = rule.strip_suffix(FINDINGS)?;
            let (area, name) = package.strip_prefix(CHECKS)?.split_once('.').filter(|(_, name)| !name.contains('.'))?;
            let id = format!("{area}/{name}");
            let check = check(&id, described.get(package.trim_start_matches("data.")).unwrap_or(&Json::Null));
            Some((id, (rule.to_owned(), check)))
        });
        Ok(Self { checks: checks.collect(), interpreter })
    }

    /// What the checks say of themselves, by id.
    pub fn checks(&self) -> impl Iterator<Item = (&String, &Check)> {
        self.checks.iter().map(|(id, (_, check))| (id, check))
    }

    /// How many places their rules have in the memory of an evaluation.
    pub const fn memory(&self) -> usize {
        self.interpreter.memory()
    }
}

/// A check as its METADATA describes it, in the form of our own.
fn check(id: &str, annotations: &Json) -> Check {
    let text = |value: &Json| value.as_str().unwrap_or_default().trim().to_owned();
    let custom = &annotations["custom"];
    let title = text(&annotations["title"]);
    let links = annotations["related_resources"].as_array().into_iter().flatten();
    Check {
        title: if title.is_empty() { id.to_owned() } else { title },
        description: text(&annotations["description"]),
        severity: serde_json::from_value(custom["severity"].clone()).unwrap_or(Severity::Warning),
        since: text(&custom["since"]),
        remediation: text(&custom["remediation"]),
        sources: Vec::new(),
        related_resources: links.map(|link| text(if link.is_string() { link } else { &link["ref"] })).collect(),
        settings: BTreeMap::new(),
        formulas: Vec::new(),
        tables: Vec::new(),
        shown_by: Vec::new(),
        own: true,
    }
}

impl Extension for Own {
    /// The findings of all checks, by id.
    fn rule<'a>(&'a self, context: &Context<'a>, _: &str) -> Answer<'a> {
        let around = Embedded(context);
        let mut all = Vec::new();
        for (id, (rule, check)) in &self.checks {
            let found = self.interpreter.rule(context, &around, walguard_rules::REMEMBERED, rule)?;
            let mut findings = Vec::new();
            for finding in context.values(found) {
                context.step()?;
                findings.push(completed(context, finding, check));
            }
            all.push((context.text_of(id), context.array(&findings)));
        }
        all.sort_by(|a, b| a.0.order(b.0));
        Ok(context.object(&all))
    }
}

/// A finding with what every finding has; what is none says so.
fn completed<'a>(context: &Context<'a>, finding: Value<'a>, check: &Check) -> Value<'a> {
    let key = |name: &'static str| context.text_of(name);
    let severity = context.text(check.severity.as_str());
    if !context.dot(finding, key("message")).is_text() {
        let message = format!("the check gave {} for a finding, which has no message", finding.to_rego());
        return context.upsert(
            context.upsert(Value::EMPTY_OBJECT, &[key("message")], context.text(&message)),
            &[key("path")],
            Value::Array(&(&[] as &[_])),
        );
    }
    let mut finding = finding;
    for (name, default) in [("severity", severity), ("path", Value::Array(&(&[] as &[_])))] {
        if context.dot(finding, key(name)).is_undefined() {
            finding = context.upsert(finding, &[key(name)], default);
        }
    }
    finding
}

/// Whether the embedded rules have one of a name, without parameters.
pub fn embedded(name: &str) -> bool {
    walguard_rules::RULES.binary_search_by(|(other, _)| (*other).cmp(name)).is_ok()
}

/// The embedded rules, which own ones may read: `data.walguard.model.cluster`.
struct Embedded<'c, 'a>(&'c Context<'a>);

impl<'a> Surroundings<'a> for Embedded<'_, 'a> {
    fn rule(&self, name: &str, arguments: &[Value<'a>]) -> Option<Answer<'a>> {
        (arguments.is_empty() && embedded(name)).then(|| compiled::named(self.0, walguard_rules::RULES, name))
    }

    fn is_package(&self, path: &str) -> bool {
        let below = |(name, _): &(&str, _)| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        walguard_rules::RULES.iter().any(below)
    }
}
