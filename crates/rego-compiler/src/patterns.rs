//! Which texts of a plan are regular expressions, so that a host can compile them before its first evaluation.

use std::collections::{BTreeSet, HashMap, HashSet};

use rego_plan::{Constant, FIRST_PARAMETER, Function, Local, Operand, Plan, Statement};

/// Steps into a value beyond this many are not followed: rules do not hide expressions so deep, and a recursion would never end.
const DEPTH: usize = 4;

/// The texts that reach a builtin as its expression: given to it as they are, out of a list or a field of a table, by a rule, or through the
/// parameter of a function. One that is put together during an evaluation is not among them.
pub fn of(plan: &Plan) -> BTreeSet<&str> {
    let mut found = Found::default();
    // A function is looked at again when it turns out that its value or one of its parameters is an expression.
    while found.look(plan) {}
    found.texts
}

/// One step into a value: by a key that is known, or to any of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step<'p> {
    Key(&'p Constant),
    Any,
}

/// Where in a value an expression is; nowhere but the value itself where there is no step.
type Way<'p> = Vec<Step<'p>>;

#[derive(Default)]
struct Found<'p> {
    texts: BTreeSet<&'p str>,
    /// The parameters that are expressions, or have them.
    parameters: HashMap<&'p str, HashSet<(usize, Way<'p>)>>,
    /// The rules and functions that give one.
    givers: HashMap<&'p str, HashSet<Way<'p>>>,
}

impl<'p> Found<'p> {
    /// Looks at all functions, and says whether that showed a parameter or a rule.
    fn look(&mut self, plan: &'p Plan) -> bool {
        let mut more = false;
        for (name, function) in &plan.functions {
            let wanted = self.function(name, function, &mut more);
            for (local, way) in wanted {
                if let Some(position) = local.checked_sub(FIRST_PARAMETER)
                    && position < function.parameters
                {
                    more |= self.parameters.entry(name).or_default().insert((position as usize, way));
                }
            }
        }
        more
    }

    /// The locals of a function in which expressions are, and where.
    fn function(&mut self, name: &str, function: &'p Function, more: &mut bool) -> HashSet<(Local, Way<'p>)> {
        let mut wanted: HashSet<(Local, Way<'p>)> = HashSet::new();
        loop {
            let before = wanted.len();
            let mut found: Vec<(&'p Operand, Way<'p>)> = Vec::new();
            function.visit(&mut |statement| match statement {
                Statement::Call { target, function, arguments } => {
                    for way in ways(&wanted, *target) {
                        *more |= self.givers.entry(function).or_default().insert(way.clone());
                    }
                    for (position, way) in self.expressions_among(function) {
                        found.extend(arguments.get(position).map(|argument| (argument, way)));
                    }
                }
                Statement::Assign { target, source } | Statement::AssignOnce { target, source } => {
                    found.extend(ways(&wanted, *target).map(|way| (source, way.clone())));
                }
                Statement::Scan { source, value, .. } => {
                    found.extend(ways(&wanted, *value).map(|way| (source, behind(Step::Any, way))));
                }
                Statement::Dot { target, source, key } => {
                    found.extend(ways(&wanted, *target).map(|way| (source, behind(step(key), way))));
                }
                Statement::Append { array: whole, value } | Statement::Add { set: whole, value } => {
                    found.extend(ways(&wanted, *whole).filter_map(|way| Some((value, way.get(1..)?.to_vec()))));
                }
                Statement::Insert { object, key, value } | Statement::InsertOnce { object, key, value } => {
                    let own = step(key);
                    let meets = |first: Step<'p>| first == own || first == Step::Any || own == Step::Any;
                    found.extend(ways(&wanted, *object).filter_map(|way| match way.split_first() {
                        Some((first, rest)) if meets(*first) => Some((value, rest.to_vec())),
                        _ => None,
                    }));
                }
                Statement::Return { source } => {
                    found.extend(self.givers.get(name).into_iter().flatten().map(|way| (source, way.clone())));
                }
                _ => {}
            });
            for (operand, way) in found {
                match operand {
                    Operand::Local(local) if way.len() <= DEPTH => {
                        wanted.insert((*local, way));
                    }
                    Operand::Local(_) => {}
                    Operand::Constant(constant) => self.take(constant, &way),
                }
            }
            if wanted.len() == before {
                return wanted;
            }
        }
    }

    /// The places of the expressions among the arguments of a call.
    fn expressions_among(&self, function: &str) -> Vec<(usize, Way<'p>)> {
        match function {
            "regex.replace" => vec![(1, Way::new())],
            builtin if builtin.starts_with("regex.") => vec![(0, Way::new())],
            rule => self.parameters.get(rule).into_iter().flatten().cloned().collect(),
        }
    }

    fn take(&mut self, constant: &'p Constant, way: &[Step<'p>]) {
        match (constant, way.split_first()) {
            (Constant::String(text), None) => {
                self.texts.insert(text);
            }
            (Constant::Array(elements) | Constant::Set(elements), Some((_, rest))) => {
                elements.iter().for_each(|element| self.take(element, rest));
            }
            (Constant::Object(entries), Some((step, rest))) => {
                let there = entries.iter().filter(|(key, _)| *step == Step::Any || *step == Step::Key(key));
                there.for_each(|(_, value)| self.take(value, rest));
            }
            _ => {}
        }
    }
}

fn ways<'w, 'p>(wanted: &'w HashSet<(Local, Way<'p>)>, local: Local) -> impl Iterator<Item = &'w Way<'p>> {
    wanted.iter().filter(move |(other, _)| *other == local).map(|(_, way)| way)
}

fn behind<'p>(step: Step<'p>, way: &[Step<'p>]) -> Way<'p> {
    std::iter::once(step).chain(way.iter().copied()).collect()
}

const fn step(key: &Operand) -> Step<'_> {
    match key {
        Operand::Constant(constant) => Step::Key(constant),
        Operand::Local(_) => Step::Any,
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    /// A table has expressions in one of its fields, and words for people in another.
    const TABLE: &str = r#"data.table 0
|
 return {"use":{"found":"^use\\s","instead":"Write \\connect"}}
data.hit 1
|
 call 3 data.table
 scan 3 4 5
  |
   dot 6 5 "found"
   call 7 regex.match 6 2
   return 7
|
 call 8 data.matches "[0-9]+" 2
 return 8
data.matches 2
|
 call 4 regex.match 2 3
 return 4
"#;

    #[test]
    fn only_the_field_that_is_read_has_expressions() {
        let plan = rego_plan::text::read(TABLE).expect("a plan");
        assert_eq!(of(&plan), BTreeSet::from(["[0-9]+", "^use\\s"]));
    }
}
