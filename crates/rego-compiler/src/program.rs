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
}

impl<'p> Program<'p> {
    pub fn of(plan: &'p Plan, left: &[&str]) -> Self {
        let dependent = dependent(plan, left);
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
            });
        }
        let numbers = rules.iter().map(|rule| (rule.name, rule.number)).collect();
        Self { rules, numbers, remembered: places.len(), steady }
    }

    pub fn rule(&self, name: &str) -> Option<&Rule<'p>> {
        self.numbers.get(name).map(|number| &self.rules[*number])
    }

    /// The rules without parameters, by name.
    pub fn named(&self) -> BTreeMap<&str, &Rule<'p>> {
        self.rules.iter().filter(|rule| rule.function.parameters == 0).map(|rule| (rule.name, rule)).collect()
    }
}

/// The value of a rule that does nothing but return it.
fn constant(function: &Function) -> Option<&Constant> {
    let statements: Vec<&Statement> = function.blocks.iter().flat_map(|block| &block.0).collect();
    match (function.parameters, statements.as_slice()) {
        (0, [Statement::Assign { target, source: Operand::Constant(constant) }, Statement::Return { source }])
            if target == source =>
        {
            Some(constant)
        }
        _ => None,
    }
}

/// The rules whose value depends on `input`, on what is found at run time alone, or on one of them.
fn dependent<'p>(plan: &'p Plan, left: &[&str]) -> HashSet<&'p str> {
    let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut open: Vec<&str> = Vec::new();
    for (name, function) in &plan.functions {
        let mut own = left.contains(&name.as_str());
        let mut called: Vec<&str> = Vec::new();
        for block in &function.blocks {
            calls(block, &mut own, &mut called);
        }
        for callee in called {
            callers.entry(callee).or_default().push(name);
        }
        if own {
            open.push(name);
        }
    }
    let mut dependent: HashSet<&str> = open.iter().copied().collect();
    while let Some(name) = open.pop() {
        for caller in callers.get(name).into_iter().flatten() {
            if dependent.insert(caller) {
                open.push(caller);
            }
        }
    }
    dependent
}

fn calls<'p>(block: &'p rego_plan::Block, own: &mut bool, called: &mut Vec<&'p str>) {
    for statement in &block.0 {
        *own |= statement.operands().contains(&&Operand::Local(INPUT)) || statement.reads().contains(&INPUT);
        match statement {
            Statement::Call { function, .. } => called.push(function),
            Statement::CallDynamic { .. } | Statement::With { .. } => *own = true,
            _ => {}
        }
        for block in statement.blocks() {
            calls(block, own, called);
        }
    }
}
