//! The rules together.

use std::collections::{BTreeMap, HashMap, HashSet};

use rego_plan::{Constant, Function, INPUT, Operand, Plan, Statement};

/// Something that rules do and the compiler does not know.
#[derive(Debug, thiserror::Error)]
#[error("{rule}: {what}")]
pub struct Unsupported {
    pub rule: String,
    pub what: String,
}

/// The rules of a plan, numbered.
pub struct Program<'p> {
    pub rules: Vec<Rule<'p>>,
    numbers: HashMap<&'p str, usize>,
    /// How many places rules without parameters have in the memory of an evaluation.
    pub remembered: usize,
    /// How many of them, the first ones, depend on nothing.
    pub steady: usize,
    /// How many functions have a place for their last call.
    pub calls: usize,
}

/// What becomes of some rules, by their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marked<'m> {
    /// Rules that are left to the host (`Context::extended`).
    pub left: &'m [&'m str],
    /// The package whose functions of one parameter give the same for the same object, review after review (`Context::across`).
    pub indexes: Option<&'m str>,
}

/// A rule.
pub struct Rule<'p> {
    pub number: usize,
    pub name: &'p str,
    pub function: &'p Function,
    /// Its value, where that is a constant.
    pub constant: Option<&'p Constant>,
    /// Whether it is left to the host.
    pub left: bool,
    /// Its place in the memory of an evaluation, where it has no parameters.
    pub place: Option<usize>,
    /// The place of its last call, where that is kept.
    pub call: Option<usize>,
    /// Its number among the functions whose values evaluations share.
    pub index: Option<usize>,
}

/// A function that makes so many steps costs more than a look at its last call.
const WORTH_KEEPING: usize = 12;

impl<'p> Program<'p> {
    /// # Errors
    /// When a function of the indexes reads more than its argument.
    pub fn of(plan: &'p Plan, marked: Marked<'_>) -> Result<Self, Unsupported> {
        let left = marked.left;
        let dependent = plan.dependent(|name, function| left.contains(&name) || depends(function));
        let mut places: HashMap<&str, usize> = HashMap::new();
        let constant = |name: &str, function: &'p Function| constant(function).filter(|_| !left.contains(&name));
        let mut steady = 0;
        for wanted in [false, true] {
            for (name, function) in &plan.functions {
                let remembered = function.parameters == 0 && constant(name, function).is_none();
                if remembered && dependent.contains(name.as_str()) == wanted {
                    let place = places.len();
                    places.insert(name, place);
                }
            }
            if !wanted {
                steady = places.len();
            }
        }
        let mut rules = Vec::new();
        for (number, (name, function)) in plan.functions.iter().enumerate() {
            rules.push(Rule {
                number,
                name,
                function,
                constant: constant(name, function),
                left: left.contains(&name.as_str()),
                place: places.get(name.as_str()).copied(),
                call: None,
                index: None,
            });
        }
        let indexed = |rule: &&mut Rule<'_>| {
            let below = |package| rule.name.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
            rule.function.parameters == 1 && marked.indexes.is_some_and(below)
        };
        for (index, rule) in rules.iter_mut().filter(indexed).enumerate() {
            if dependent.contains(rule.name) {
                let what = "reads more than its argument, so that its value cannot be shared".to_owned();
                return Err(Unsupported { rule: rule.name.to_owned(), what });
            }
            rule.index = Some(index);
        }
        let mut calls = 0;
        let worth = worth_keeping(plan);
        let remembers =
            |rule: &&mut Rule<'_>| rule.function.parameters == 1 && rule.index.is_none() && worth.contains(rule.name);
        for rule in rules.iter_mut().filter(remembers) {
            rule.call = Some(calls);
            calls += 1;
        }
        let numbers = rules.iter().map(|rule| (rule.name, rule.number)).collect();
        Ok(Self { rules, numbers, remembered: places.len(), steady, calls })
    }

    pub fn rule(&self, name: &str) -> Option<&Rule<'p>> {
        self.numbers.get(name).map(|number| &self.rules[*number])
    }

    /// The rules without parameters, by name.
    pub fn named(&self) -> BTreeMap<&str, &Rule<'p>> {
        self.rules.iter().filter(|rule| rule.function.parameters == 0).map(|rule| (rule.name, rule)).collect()
    }
}

/// The functions that several places call and that do much.
fn worth_keeping(plan: &Plan) -> HashSet<&str> {
    let mut callers: HashMap<&str, usize> = HashMap::new();
    let mut sizes: HashMap<&str, (usize, Vec<&str>)> = HashMap::new();
    for (name, function) in &plan.functions {
        let mut statements = 0;
        function.visit(&mut |_| statements += 1);
        let called = function.calls();
        for name in &called {
            *callers.entry(name).or_default() += 1;
        }
        sizes.insert(name, (statements, called));
    }
    let does_much = |name: &str| {
        let Some((own, called)) = sizes.get(name) else { return false };
        let of_called =
            called.iter().filter_map(|name| sizes.get(name)).map(|(statements, _)| statements).sum::<usize>();
        own + of_called >= WORTH_KEEPING
    };
    callers.into_iter().filter(|(name, count)| *count > 1 && does_much(name)).map(|(name, _)| name).collect()
}

/// The value of a rule that does nothing but return it.
fn constant(function: &Function) -> Option<&Constant> {
    let statements: Vec<&Statement> = function.blocks.iter().flat_map(|block| &block.0).collect();
    match (function.parameters, statements.as_slice()) {
        (0, [Statement::Return { source: Operand::Constant(constant) }]) => Some(constant),
        _ => None,
    }
}

/// Whether the value of a rule depends on `input`, or on what is found at run time alone, by itself.
fn depends(function: &Function) -> bool {
    function.any(&mut |statement| {
        statement.operands().contains(&&Operand::Local(INPUT))
            || statement.reads().contains(&INPUT)
            || matches!(statement, Statement::CallDynamic { .. } | Statement::With { .. })
    })
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn an_index_reads_its_argument_and_nothing_else() {
        let plan = |document: u32| {
            let text = format!(
                "data.p.index.f 1\n|\n dot 3 {document} \"a\"\n return 3\ndata.p.g 1\n|\n dot 3 0 \"a\"\n return 3\n"
            );
            rego_plan::text::read(&text).expect("a plan")
        };
        let marked = Marked { indexes: Some("data.p.index"), ..Marked::default() };
        let of_argument = plan(2);
        let program = Program::of(&of_argument, marked).expect("a program");
        assert_eq!(program.rule("data.p.index.f").and_then(|rule| rule.index), Some(0));
        assert!(program.rule("data.p.g").is_some_and(|rule| rule.index.is_none()));
        let of_input = plan(INPUT);
        assert_eq!(Program::of(&of_input, marked).err().map(|error| error.rule), Some("data.p.index.f".to_owned()));
    }
}
