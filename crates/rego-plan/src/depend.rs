//! Which rules depend on what.

use std::collections::{HashMap, HashSet};

use crate::{Block, Function, Plan, Statement};

impl Plan {
    /// The rules of which something is so, and those that call one of them, directly or not.
    pub fn dependent(&self, is_so: impl Fn(&str, &Function) -> bool) -> HashSet<&str> {
        let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut open: Vec<&str> = Vec::new();
        for (name, function) in &self.functions {
            for callee in function.calls() {
                callers.entry(callee).or_default().push(name);
            }
            if is_so(name, function) {
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
}

impl Function {
    /// Whether something is so of any of its statements.
    pub fn any(&self, is_so: &mut impl FnMut(&Statement) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |statement| found = found || is_so(statement));
        found
    }

    /// The rules, functions and builtins that it calls, each as often as it is written.
    #[must_use]
    pub fn calls(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for block in &self.blocks {
            called(block, &mut |name| names.push(name));
        }
        names
    }
}

fn called<'p>(block: &'p Block, found: &mut impl FnMut(&'p str)) {
    for statement in &block.0 {
        if let Statement::Call { function, .. } = statement {
            found(function);
        }
        for block in statement.blocks() {
            called(block, found);
        }
    }
}
