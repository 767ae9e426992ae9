//! Where rules come from: compiled into this program, or a plan a host read.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use rego_plan::{Constant, Operand, Plan, Statement};
use rego_runtime::{Interpreter, Kept, ProgramError};
use serde::Deserialize as _;
use serde_json::Value as Json;

use crate::Catalogue;
use crate::own::Own;

/// The rule that makes a set of rules a whole one.
const WHOLE: &str = "data.main.findings";

/// The catalogue of the embedded rules, read once: that is a third of what it takes to look at one file.
static EMBEDDED: OnceLock<Arc<Catalogue>> = OnceLock::new();

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

/// Why rules cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    #[error("the rules cannot be evaluated: {0}")]
    Program(#[from] ProgramError),
    #[error(
        "they hold no check: a rule findings of a package walguard.checks.<area>.<name>, planned with --entrypoint walguard/checks"
    )]
    NoChecks,
    #[error(
        "they take the place of the built-in rules, since they define main.findings, and lack {}; build the bundle with {}",
        .0.iter().map(|name| name.replace('/', ".")).collect::<Vec<_>>().join(", "),
        .0.iter().map(|name| format!("--entrypoint {name}")).collect::<Vec<_>>().join(" ")
    )]
    NoEntrypoints(Vec<&'static str>),
    #[error("there is a check {0} already")]
    Known(String),
    #[error("the catalogue of the rules: {0}")]
    Catalogue(#[from] serde_json::Error),
}

/// The rules that an engine evaluates.
#[derive(Clone, Default)]
pub struct Rules {
    /// A plan in place of the compiled rules.
    pub(crate) interpreted: Option<Arc<Interpreted>>,
    /// Checks beside the embedded ones, and the words of their rules.
    pub(crate) own: Option<Arc<(Own, HashSet<String>)>>,
}

pub(crate) struct Interpreted {
    pub interpreter: Interpreter,
    catalogue: Arc<Catalogue>,
    words: HashSet<String>,
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules")
            .field("embedded", &self.interpreted.is_none())
            .field("own", &self.own.is_some())
            .finish()
    }
}

impl Rules {
    /// What hosts ask a whole set of rules for, as `opa build --entrypoint` names it; everything that these read is planned along.
    pub const ENTRYPOINTS: [&str; 15] = [
        "main/findings",
        "main/judgement",
        "walguard/charts/beside",
        "walguard/charts/rendered",
        "walguard/charts/unread",
        "walguard/disks/measured",
        "walguard/disks/names",
        "walguard/disks/sheet",
        "walguard/editor/parameters",
        "walguard/operators/server/packing/directives",
        "walguard/pictures/rates",
        "walguard/pictures/sheet",
        "walguard/tune/manifest",
        "walguard/tune/proposal",
        "walguard/tune/targets",
    ];

    /// The rules this program was built with, compiled.
    #[must_use]
    pub fn embedded() -> Self {
        Self::default()
    }

    /// The rules of a plan, interpreted, in place of the embedded ones.
    ///
    /// # Errors
    /// When they call a builtin that there is not.
    pub fn interpreted(plan: &Plan, catalogue: impl Into<Arc<Catalogue>>) -> Result<Self, RulesError> {
        let interpreter = Interpreter::new(plan, Kept::Undefined)?;
        let interpreted = Interpreted { interpreter, catalogue: catalogue.into(), words: words(plan) };
        Ok(Self { interpreted: Some(Arc::new(interpreted)), own: None })
    }

    /// The rules of a bundle. Its checks, `walguard.checks.<area>.<name>`, stand beside the embedded ones; a whole set of rules,
    /// one that holds `main.findings`, takes their place. `data` is what else stands in the bundle – of a whole set the
    /// catalogue, as `catalogue` –, `described` the METADATA of packages by their path.
    ///
    /// # Errors
    /// When they call a builtin that there is not, there is no check among them, or one has the id of an embedded one; of a whole
    /// set, when one of [`Rules::ENTRYPOINTS`] was not planned.
    pub fn of_bundle(mut plan: Plan, data: Json, described: &BTreeMap<String, Json>) -> Result<Self, RulesError> {
        rego_plan::simplify(&mut plan);
        if plan.functions.contains_key(WHOLE) {
            let planned = |name: &str| plan.functions.contains_key(&format!("data.{}", name.replace('/', ".")));
            let missing: Vec<_> = Self::ENTRYPOINTS.into_iter().filter(|name| !planned(name)).collect();
            if !missing.is_empty() {
                return Err(RulesError::NoEntrypoints(missing));
            }
            return match data.get("catalogue") {
                Some(catalogue) => Self::interpreted(&plan, Catalogue::deserialize(catalogue)?),
                None => Self::interpreted(&plan, Self::embedded().catalogue()?),
            };
        }
        // What both hold is asked of the embedded rules: it is compiled, and evaluated for them in any case.
        plan.functions.retain(|name, function| function.parameters > 0 || !crate::own::embedded(name));
        let data = if data.is_null() { Kept::Undefined } else { Kept::from(data) };
        let own = Own::new(&plan, data, described)?;
        let embedded = Self::embedded().catalogue()?;
        if own.checks().next().is_none() {
            return Err(RulesError::NoChecks);
        }
        if let Some((id, _)) = own.checks().find(|(id, _)| embedded.checks.contains_key(*id)) {
            return Err(RulesError::Known(id.clone()));
        }
        Ok(Self { interpreted: None, own: Some(Arc::new((own, words(&plan)))) })
    }

    /// The plan that the embedded rules were compiled from.
    ///
    /// # Errors
    /// None, unless the build is broken.
    pub fn plan() -> Result<Plan, rego_plan::text::TextError> {
        rego_plan::text::read(walguard_rules::PLAN)
    }

    /// Every word of the rules and their tables: what a name in a resource must be among for a rule to read it by that name.
    /// Keys of the form `a/b` may be put together from two words.
    #[must_use]
    pub fn words(&self) -> HashSet<String> {
        if let Some(interpreted) = &self.interpreted {
            return interpreted.words.clone();
        }
        let mut words = self.own.as_ref().map(|own| own.1.clone()).unwrap_or_default();
        walguard_rules::WORDS.texts().iter().for_each(|text| add_words(text, &mut words));
        words
    }

    /// Manifests that a check refuses and that it accepts.
    #[must_use]
    pub fn examples(&self, id: &str) -> Option<(&str, &str)> {
        let text = |file: &str| {
            let name = format!("checks/{id}/{file}.yaml");
            embedded::EXAMPLES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
        };
        text("fail").zip(text("pass"))
    }

    /// What the rules say of themselves (`catalogue.json`).
    ///
    /// # Errors
    /// When the file is no catalogue.
    pub fn catalogue(&self) -> Result<Arc<Catalogue>, RulesError> {
        if let Some(interpreted) = &self.interpreted {
            return Ok(interpreted.catalogue.clone());
        }
        let embedded = match EMBEDDED.get() {
            Some(known) => known,
            None => {
                let read = serde_json::from_str(embedded::CATALOGUE)?;
                EMBEDDED.get_or_init(|| Arc::new(read))
            }
        };
        let Some(own) = &self.own else { return Ok(embedded.clone()) };
        let mut both = (**embedded).clone();
        both.checks.extend(own.0.checks().map(|(id, check)| (id.clone(), check.clone())));
        Ok(Arc::new(both))
    }
}

/// The words of a plan.
fn words(plan: &Plan) -> HashSet<String> {
    let mut words = HashSet::new();
    texts(plan, &mut |text| add_words(text, &mut words));
    words
}

/// Every text of a plan.
fn texts(plan: &Plan, found: &mut impl FnMut(&str)) {
    for (_, function) in plan.all() {
        function.visit(&mut |statement: &Statement| {
            for operand in statement.operands() {
                if let Operand::Constant(constant) = operand {
                    texts_in(constant, found);
                }
            }
        });
    }
}

fn texts_in(constant: &Constant, found: &mut impl FnMut(&str)) {
    match constant {
        Constant::String(text) => found(text),
        Constant::Array(elements) | Constant::Set(elements) => {
            elements.iter().for_each(|element| texts_in(element, found));
        }
        Constant::Object(entries) => entries.iter().for_each(|(key, value)| {
            texts_in(key, found);
            texts_in(value, found);
        }),
        _ => {}
    }
}

/// The words of a text, and their parts: `object.status.phase` is three names.
fn add_words(text: &str, words: &mut HashSet<String>) {
    let of_a_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let all = text.split(|c| !of_a_word(c)).filter(|word| !word.is_empty());
    for word in all {
        for part in std::iter::once(word).chain(word.split(['.', '/'])).filter(|part| !part.is_empty()) {
            if !words.contains(part) {
                words.insert(part.to_owned());
            }
        }
    }
}
