//! Gatekeeper: its constraint framework with the ConstraintTemplate of policies/gatekeeper (tests/engines/gatekeeper).

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Map, Value as Json, json};
use walguard_engine::{Catalogue, Rules, configuration};

use super::opa::{self, Lines};
use super::{Host, answer};
use crate::review::{LITERAL, Review};
use crate::verdict::Verdict;

pub struct Gatekeeper {
    lines: Lines,
    catalogue: Arc<Catalogue>,
}

impl Gatekeeper {
    /// # Errors
    /// When it does not start.
    pub fn start(program: &Path, template: &Path) -> Result<Self> {
        let catalogue = Rules::embedded().catalogue()?;
        Ok(Self { lines: Lines::start(Command::new(program).arg(template))?, catalogue })
    }
}

impl Host for Gatekeeper {
    fn name(&self) -> String {
        "gatekeeper".to_owned()
    }

    /// The inventory holds objects that an API server could hold, and never says that it is complete. Numbers are what Go
    /// makes of them.
    fn project(&self, review: &Review) -> Option<Review> {
        // Constraints name no kind that is looked at in files alone, and the template leaves out what is for them.
        let object = &review.input["review"]["object"];
        let mut same = self.catalogue.kinds.iter().filter(|kind| {
            object["kind"] == kind.kind && kind.api_versions().any(|version| object["apiVersion"] == version)
        });
        if same.next().is_some_and(|kind| !kind.served) && same.all(|kind| !kind.served) {
            return None;
        }
        let mut review = answer::project(review, &["inventory", "parameters"])?;
        let mut inventory = json!({"cluster": {}, "namespace": {}});
        for object in objects(review.input.get("inventory")) {
            let Some([api_version, kind, namespace, name]) = reference(&object) else { continue };
            match namespace.as_str() {
                "" => place(&mut inventory, &["cluster", &api_version, &kind, &name], object),
                _ => place(&mut inventory, &["namespace", &namespace, &api_version, &kind, &name], object),
            }
        }
        review.input["inventory"] = inventory;
        review.input = machine_numbers(review.input);
        let parameters = review.input.get("parameters").filter(|given| {
            // No Constraint carries another one: its schema says what there is.
            configuration::normalise(given, &self.catalogue).is_ok_and(|normal| normal == **given)
        });
        review.input["parameters"] = parameters.cloned().unwrap_or_else(|| json!({}));
        Some(review)
    }

    fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let questions = reviews.iter().map(|review| {
            let given = &review.input["review"];
            let mut parameters = review.input["parameters"].clone();
            parameters["severities"] = json!(["error", "warning", "info"]);
            let mut question = json!({
                "object": given["object"],
                "operation": given["operation"],
                "namespace": given.get("namespace").cloned().unwrap_or_else(|| json!("")),
                "apiVersion": given["object"]["apiVersion"],
                "kind": given["object"]["kind"],
                "others": objects(review.input.get("inventory")),
                "parameters": parameters,
            });
            if let Some(old) = given.get("oldObject") {
                question["oldObject"] = old.clone();
            }
            question.to_string()
        });
        Ok(self.lines.ask(questions)?.into_iter().map(opa::read).collect())
    }

    /// What is waived is no violation.
    fn view(&self, _: &Review, verdict: &Verdict) -> Verdict {
        match verdict {
            Verdict::Findings(findings) => {
                Verdict::Findings(findings.iter().filter(|finding| finding["action"] != "none").cloned().collect())
            }
            error @ Verdict::Error(_) => error.clone(),
        }
    }
}

/// The objects of an inventory that have an apiVersion, a kind and a name, each once.
pub fn objects(inventory: Option<&Json>) -> Vec<Json> {
    fn pick(value: &Json, found: &mut Vec<Json>) {
        if reference(value).is_some() {
            let same = |other: &Json| reference(other) == reference(value);
            if !found.iter().any(same) {
                found.push(value.clone());
            }
        } else if let Json::Object(fields) = value {
            fields.values().for_each(|value| pick(value, found));
        }
    }
    let mut found = Vec::new();
    if let Some(inventory) = inventory {
        pick(inventory, &mut found);
    }
    found
}

/// apiVersion, kind, namespace ("" for none) and name, as far as an API server would take them.
pub fn reference(object: &Json) -> Option<[String; 4]> {
    let text = |value: &Json| {
        let text = value.as_str()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/');
        (!text.is_empty() && text.chars().all(plain)).then(|| text.to_owned())
    };
    let metadata = &object["metadata"];
    let namespace = match metadata.get("namespace") {
        None => String::new(),
        Some(namespace) => text(namespace)?,
    };
    let api_version = text(&object["apiVersion"])?;
    if api_version.split('/').count() > 2 || api_version.split('/').any(str::is_empty) {
        return None;
    }
    Some([api_version, text(&object["kind"])?, namespace, text(&metadata["name"])?])
}

/// Puts a value at a path of an object, making objects on the way.
pub fn place(root: &mut Json, path: &[&str], value: Json) {
    let mut at = root;
    for key in path {
        if !at.is_object() {
            *at = Json::Object(Map::new());
        }
        at = &mut at[*key];
    }
    *at = value;
}

/// Numbers as Go's JSON reader makes them: doubles, written as whole numbers where they are such.
pub fn machine_numbers(value: Json) -> Json {
    let number = |float: f64| {
        if float.fract() == 0.0 && float.abs() < 9e15 { json!(float as i64) } else { json!(float) }
    };
    match value {
        Json::Number(n) => number(n.as_f64().unwrap_or_default()),
        Json::String(text) => match text.strip_prefix(LITERAL).map(str::parse::<f64>) {
            Some(Ok(float)) if float.is_finite() => number(float),
            Some(_) => Json::Null,
            None => Json::String(text),
        },
        Json::Array(items) => items.into_iter().map(machine_numbers).collect(),
        Json::Object(fields) => {
            Json::Object(fields.into_iter().map(|(key, value)| (key, machine_numbers(value))).collect())
        }
        other => other,
    }
}
