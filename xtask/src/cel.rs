//! `policies/cel/`: ValidatingAdmissionPolicies of the checks that one object decides without arithmetic. Such a check has twins in its
//! METADATA (`custom.cel`), and an operator's METADATA say where its resource keeps parameters.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use walguard_engine::{Catalogue, Kind, Role, Severity};

use crate::annotations;

const NOTICE: &str = "# Generated from the METADATA of rules/ by \"make generate\". Do not edit.";

/// What a twin may use besides its operator's own variables: how PostgreSQL reads a boolean, in lower case.
const BOOLEANS: [(&str, &str); 2] = [
    ("false_texts", "['off', 'of', 'false', 'fals', 'fal', 'fa', 'f', 'no', 'n', '0']"),
    ("true_texts", "['on', 'true', 'tru', 'tr', 't', 'yes', 'ye', 'y', '1']"),
];

/// What the variables of the object as it was begin with. No parameter does.
const BEFORE: &str = "was_";

/// An object that is being deleted is checked when its spec changes; a change of finalizers, owners and status never.
const CONDITIONS: [(&str, &str); 2] = [
    (
        "something-to-check",
        "request.operation != 'UPDATE' || object.?spec != oldObject.?spec || object.metadata.?labels != oldObject.metadata.?labels \
         || object.metadata.?annotations != oldObject.metadata.?annotations",
    ),
    (
        "not-being-deleted",
        "request.operation != 'UPDATE' || !has(object.metadata.deletionTimestamp) || object.?spec != oldObject.?spec",
    ),
];

/// A place where a check finds something, as CEL. A check with several has a twin for each, since the ratchet goes by places.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Twin {
    operators: BTreeSet<String>,
    /// True where the check finds something. `variables.NAME` is the value of the parameter NAME as text in lower case, "" where it is not
    /// written, or a variable of the operator.
    found: String,
    /// Where it is not that of the check.
    severity: Option<Severity>,
}

/// Where an operator's resource says what twins ask for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operator {
    /// Of the kinds with clusters, those of these groups; all when empty.
    #[serde(default)]
    groups: BTreeSet<String>,
    /// Paths of maps of parameters; the later one wins.
    parameters: Vec<String>,
    /// CEL: the words of the command line of initdb, which may set parameters too; the maps win.
    words: Option<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
}

/// A twin of a check.
struct Entry<'a> {
    id: &'a str,
    severity: Severity,
    twin: &'a Twin,
    says: String,
}

/// Adds the policies, one file for each operator.
pub fn files(root: &Path, catalogue: &Catalogue, files: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let parameters: BTreeMap<String, Json> =
        serde_json::from_str(&fs::read_to_string(root.join("rules/postgres/parameters.json"))?)?;
    let twins = twins(root, catalogue)?;
    let operators = operators(root)?;
    for (name, operator) in &operators {
        let entries = entries(catalogue, &twins, name);
        let kinds: Vec<&Kind> = catalogue
            .kinds
            .iter()
            .filter(|kind| kind.operator == *name && kind.served && matches!(kind.role, Role::Cluster))
            .filter(|kind| operator.groups.is_empty() || operator.groups.contains(&kind.group))
            .collect();
        ensure!(!kinds.is_empty() && !entries.is_empty(), "{name}: cel has no kinds or no checks");
        let text = policies(name, operator, &kinds, &entries, &parameters).with_context(|| format!("{name}: cel"))?;
        files.insert(format!("policies/cel/{name}.yaml").into(), text);
    }
    for (id, all) in &twins {
        if let Some(unknown) = all.iter().flat_map(|twin| &twin.operators).find(|name| !operators.contains_key(*name)) {
            bail!("{id}: METADATA cel names {unknown}, whose own METADATA have no cel");
        }
    }
    Ok(())
}

fn twins(root: &Path, catalogue: &Catalogue) -> Result<BTreeMap<String, Vec<Twin>>> {
    let mut twins = BTreeMap::new();
    for id in catalogue.checks.keys() {
        let name = id.rsplit('/').next().unwrap_or_default();
        if let Some(found) = cel(&root.join(format!("rules/checks/{id}/{name}.rego")))? {
            twins.insert(id.clone(), yaml_serde::from_value(found).with_context(|| format!("{id}: METADATA cel"))?);
        }
    }
    Ok(twins)
}

fn operators(root: &Path) -> Result<BTreeMap<String, Operator>> {
    let mut operators = BTreeMap::new();
    for path in annotations::rego_files(&root.join("rules/operators"))? {
        let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        if let Some(found) = cel(&path)? {
            operators
                .insert(name.clone(), yaml_serde::from_value(found).with_context(|| format!("{name}: METADATA cel"))?);
        }
    }
    Ok(operators)
}

fn cel(path: &Path) -> Result<Option<yaml_serde::Value>> {
    Ok(annotations::read(path)?.and_then(|annotations| annotations.custom.get("cel").cloned()))
}

fn entries<'a>(catalogue: &Catalogue, twins: &'a BTreeMap<String, Vec<Twin>>, operator: &str) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for (id, all) in twins {
        let check = &catalogue.checks[id];
        entries.extend(all.iter().filter(|twin| twin.operators.contains(operator)).map(|twin| Entry {
            id,
            severity: twin.severity.unwrap_or(check.severity),
            twin,
            says: format!("{id}: {}. {}", check.title, check.remediation),
        }));
    }
    entries
}

/// A policy that denies errors and one that shows warnings, each with its binding.
fn policies(
    name: &str,
    operator: &Operator,
    kinds: &[&Kind],
    entries: &[Entry],
    parameters: &BTreeMap<String, Json>,
) -> Result<String> {
    let mut errors = Validations::default();
    let mut warnings = Validations::default();
    for Entry { id, severity, twin, says } in entries {
        let (now, then) = (twin.found.trim().to_owned(), of_the_old_object(&twin.found));
        let before = format!("request.operation == 'UPDATE' && ({then})");
        match severity {
            Severity::Error => {
                errors.add(format!("!({now}) || ({before})"), says.clone());
                warnings
                    .add(format!("!(({now}) && {before})"), format!("{id}: was there before, so not denied: {says}"));
            }
            Severity::Warning => warnings.add(format!("!({now})"), says.clone()),
            Severity::Info => {
                bail!("{id}: a finding of severity info is not shown at admission, so that it has no twin")
            }
        }
    }
    let mut text = format!("{NOTICE}\n");
    for (part, action, validations) in [("errors", "Deny", errors), ("warnings", "Warn", warnings)] {
        if validations.0.is_empty() {
            continue;
        }
        let name = format!("walguard-{name}-{part}");
        let expressions: String =
            validations.0.iter().filter_map(|validation| validation["expression"].as_str()).collect();
        let variables = variables(operator, &expressions, parameters)?;
        let policy = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": rules(kinds)},
                "matchConditions": CONDITIONS.map(|(name, expression)| json!({"name": name, "expression": expression})),
                "variables": variables,
                "validations": validations.0,
            },
        });
        let binding = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": [action]},
        });
        for object in [policy, binding] {
            write!(text, "---\n{}", yaml_serde::to_string(&object)?)?;
        }
    }
    Ok(text)
}

#[derive(Default)]
struct Validations(Vec<Json>);

impl Validations {
    fn add(&mut self, expression: String, message: String) {
        self.0.push(json!({"expression": expression, "message": message, "reason": "Invalid"}));
    }
}

fn rules(kinds: &[&Kind]) -> Vec<Json> {
    let rule = |kind: &&Kind| {
        json!({
            "apiGroups": [kind.group],
            "apiVersions": kind.versions,
            "operations": ["CREATE", "UPDATE"],
            "resources": [kind.plural],
        })
    };
    kinds.iter().map(rule).collect()
}

/// The variables that expressions name, in an order in which each follows those that it names itself.
fn variables(operator: &Operator, expressions: &str, parameters: &BTreeMap<String, Json>) -> Result<Vec<Json>> {
    let named = named(expressions);
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, values) in BOOLEANS.iter().filter(|(name, _)| named.contains(*name)) {
        all.push(((*name).to_owned(), (*values).to_owned()));
    }
    for old in [false, true] {
        let own = |name: &str| if old { format!("{BEFORE}{name}") } else { name.to_owned() };
        let mut of_this: Vec<(String, String)> = Vec::new();
        let of_this_one = |name: &String| match (name.strip_prefix(BEFORE), old) {
            (Some(name), true) => Some(name.to_owned()),
            (None, false) if BOOLEANS.iter().all(|(boolean, _)| boolean != name) => Some(name.clone()),
            _ => None,
        };
        let asked: Vec<String> = named.iter().filter_map(of_this_one).collect();
        let (of_operator, of_postgres): (Vec<&str>, Vec<&str>) =
            asked.iter().map(String::as_str).partition(|name| operator.variables.contains_key(*name));
        of_this.extend(of_operator.iter().map(|name| ((*name).to_owned(), operator.variables[*name].clone())));
        if let Some(unknown) = of_postgres.iter().find(|name| !parameters.contains_key(**name)) {
            bail!("variables.{unknown} is neither a parameter nor a variable of the operator");
        }
        if !of_postgres.is_empty() {
            of_this.extend(sources(operator));
        }
        of_this.extend(of_postgres.iter().flat_map(|name| parameter(operator, name)));
        for (name, expression) in of_this {
            let expression = if old { of_the_old_object(&expression) } else { expression };
            all.push((own(&name), expression));
        }
    }
    Ok(all.into_iter().map(|(name, expression)| json!({"name": name, "expression": expression})).collect())
}

/// The maps of parameters, and what initdb is told as `name=value`.
fn sources(operator: &Operator) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        operator.parameters.iter().enumerate().map(|(i, path)| (format!("parameters{i}"), map_at(path))).collect();
    if let Some(words) = &operator.words {
        all.push(("words".to_owned(), words.clone()));
        // An option and its value are one word or two; of two the value is taken as it is.
        let options = r"('\n' + variables.words.join('\n')).findAll(r'\n(?:--set?[= \n]|-c\n?)[^=\n]+=[^\n]*')";
        let rest = r"o.substring(o.find(r'^\n(?:--set?[= \n]|-c\n?)').size())";
        all.push((
            "initdb".to_owned(),
            format!(r"{options}.map(o, o.matches(r'^\n(?:--set?|-c)\n') ? {rest} : {rest}.trim())"),
        ));
    }
    all
}

/// A map at a path, or an empty one where there is none: parts of resources have no schema, and anything may stand there.
fn map_at(path: &str) -> String {
    let mut place = "object".to_owned();
    let mut conditions = Vec::new();
    for key in path.split('.') {
        place = format!("{place}.{key}");
        conditions.push(format!("has({place}) && type(dyn({place})) == map"));
    }
    format!("{} ? dyn({place}) : {{}}", conditions.join(" && "))
}

/// A parameter as text in lower case. Of several spellings of its name the last one counts, as for walguard.
fn parameter(operator: &Operator, name: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut value = "''".to_owned();
    if operator.words.is_some() {
        let of_initdb = format!("{name}_of_initdb");
        all.push((
            of_initdb.clone(),
            format!(
                "variables.initdb.filter(s, s.substring(0, s.indexOf('=')).trim().replace('-', '_').lowerAscii() == '{name}')\
                 .map(s, s.substring(s.indexOf('=') + 1).lowerAscii())"
            ),
        ));
        let words = format!("variables.{of_initdb}");
        value = format!("{words}.size() > 0 ? {words}[{words}.size() - 1] : ''");
    }
    for i in 0..operator.parameters.len() {
        let keys = format!("{name}_keys{i}");
        all.push((keys.clone(), format!("variables.parameters{i}.filter(k, k.lowerAscii() == '{name}')")));
        let written = format!("variables.parameters{i}[variables.{keys}.max()]");
        let scalar = ["string", "bool", "int", "double"].map(|kind| format!("type({written}) == {kind}")).join(" || ");
        value = format!("variables.{keys}.size() > 0 ? (({scalar}) ? string({written}).lowerAscii() : '') : ({value})");
    }
    all.push((name.to_owned(), value));
    all
}

/// The names after `variables.`.
fn named(expression: &str) -> BTreeSet<String> {
    let rest = expression.split("variables.").skip(1);
    rest.map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()).collect()
}

/// An expression about the object as one about what was there before.
fn of_the_old_object(expression: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in expression.trim().chars().chain([' ']) {
        if !quoted && (c.is_ascii_alphanumeric() || c == '_') {
            word.push(c);
            continue;
        }
        let boolean = BOOLEANS.iter().any(|(name, _)| *name == word);
        match word.as_str() {
            "object" if !text.ends_with(['.', '?']) => text.push_str("oldObject"),
            _ if text.ends_with("variables.") && !boolean => {
                text.push_str(BEFORE);
                text.push_str(&word);
            }
            _ => text.push_str(&word),
        }
        word.clear();
        quoted ^= c == '\'';
        text.push(c);
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_about_the_old_object() {
        assert_eq!(
            of_the_old_object("object.?spec.?object == 'object' && variables.fsync in variables.false_texts"),
            "oldObject.?spec.?object == 'object' && variables.was_fsync in variables.false_texts"
        );
        assert_eq!(
            named("variables.a in variables.false_texts && x.variables.b_c.size() > 0"),
            ["a", "b_c", "false_texts"].map(String::from).into()
        );
    }

    #[test]
    fn an_info_has_no_twin() {
        let twin = Twin { operators: BTreeSet::new(), found: "true".to_owned(), severity: None };
        let operator =
            Operator { groups: BTreeSet::new(), parameters: Vec::new(), words: None, variables: BTreeMap::new() };
        let entry = |severity| [Entry { id: "a/b", severity, twin: &twin, says: String::new() }];
        assert!(policies("x", &operator, &[], &entry(Severity::Info), &BTreeMap::new()).is_err());
        let text = policies("x", &operator, &[], &entry(Severity::Warning), &BTreeMap::new()).unwrap();
        assert!(text.contains("walguard-x-warnings") && !text.contains("walguard-x-errors"), "{text}");
    }
}
