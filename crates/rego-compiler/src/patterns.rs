//! Which texts of a plan are regular expressions, so that a host can compile them before its first evaluation.

use std::collections::{BTreeSet, HashMap, HashSet};

use rego_plan::{Constant, FIRST_PARAMETER, Function, Local, Operand, Plan, Statement};

/// The texts that reach a builtin as its expression: given to it as they are, out of a list or a table, by a rule, or through the parameter
/// of a function. One that is put together during an evaluation is not among them.
pub fn of(plan: &Plan) -> BTreeSet<&str> {
    let mut found = Found::default();
    // A function is looked at again when it turns out that its value or one of its parameters is an expression.
    while found.look(plan) {}
    found.texts
}

#[derive(Default)]
struct Found<'p> {
    texts: BTreeSet<&'p str>,
    /// The parameters that are expressions.
    parameters: HashMap<&'p str, HashSet<usize>>,
    /// The rules and functions that give one.
    givers: HashSet<&'p str>,
}

impl<'p> Found<'p> {
    /// Looks at all functions, and says whether that showed a parameter or a rule.
    fn look(&mut self, plan: &'p Plan) -> bool {
        let givers = self.givers.len();
        let mut more = false;
        for (name, function) in &plan.functions {
            let locals = self.function(name, function);
            for position in 0..function.parameters {
                if locals.contains(&(FIRST_PARAMETER + position)) {
                    more |= self.parameters.entry(name).or_default().insert(position as usize);
                }
            }
        }
        more || self.givers.len() > givers
    }

    /// The locals of a function that are expressions, or what expressions are taken from.
    fn function(&mut self, name: &str, function: &'p Function) -> HashSet<Local> {
        let mut locals = HashSet::new();
        loop {
            let before = locals.len();
            let mut expressions: Vec<&'p Operand> = Vec::new();
            function.visit(&mut |statement| match statement {
                Statement::Call { target, function, arguments } => {
                    if locals.contains(target) {
                        self.givers.insert(function);
                    }
                    expressions.extend(self.expressions_among(function).into_iter().filter_map(|at| arguments.get(at)));
                }
                Statement::Assign { target, source } | Statement::AssignOnce { target, source }
                    if locals.contains(target) =>
                {
                    expressions.push(source);
                }
                Statement::Scan { source, value, .. } if locals.contains(value) => expressions.push(source),
                Statement::Dot { target, source, .. } if locals.contains(target) => expressions.push(source),
                Statement::Append { array: whole, value }
                | Statement::Insert { object: whole, value, .. }
                | Statement::Add { set: whole, value }
                    if locals.contains(whole) =>
                {
                    expressions.push(value);
                }
                Statement::Return { source } if self.givers.contains(name) => expressions.push(source),
                _ => {}
            });
            for operand in expressions {
                match operand {
                    Operand::Local(local) => {
                        locals.insert(*local);
                    }
                    Operand::Constant(constant) => self.take(constant),
                }
            }
            if locals.len() == before {
                return locals;
            }
        }
    }

    /// The places of the expressions among the arguments of a call.
    fn expressions_among(&self, function: &str) -> Vec<usize> {
        match function {
            "regex.replace" => vec![1],
            builtin if builtin.starts_with("regex.") => vec![0],
            rule => self.parameters.get(rule).into_iter().flatten().copied().collect(),
        }
    }

    fn take(&mut self, constant: &'p Constant) {
        match constant {
            Constant::String(text) => {
                self.texts.insert(text);
            }
            Constant::Array(elements) | Constant::Set(elements) => {
                elements.iter().for_each(|element| self.take(element));
            }
            Constant::Object(entries) => entries.iter().for_each(|(_, value)| self.take(value)),
            _ => {}
        }
    }
}
