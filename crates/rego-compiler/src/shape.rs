//! One rule: where its locals live.

use std::collections::{HashMap, HashSet};

use rego_plan::{Constant, FIRST_PARAMETER, Function, Local, Operand, Statement, Survey, Uses};

/// What a local is in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A parameter of the function, never changed.
    Parameter,
    /// A variable that is made where the local is written, once.
    Fixed,
    /// A variable of the whole function.
    Variable,
    /// A collection that is put together in a loop or in pieces: a variable of the whole function.
    Builder,
    /// A collection whose parts are written one after the other in one block: made with the last of them.
    Literal,
}

/// What a collection is put together of.
#[derive(Default)]
struct Parts {
    /// Whether the local is made as a collection at all.
    made: bool,
    /// Grows that can be parts of a literal: elements of an array, and values of constant keys.
    plain: usize,
    keys: Vec<String>,
}

impl Parts {
    fn distinct(&self) -> bool {
        let keys: HashSet<&String> = self.keys.iter().collect();
        keys.len() == self.keys.len()
    }
}

/// What is known of the locals of a rule.
pub struct Shape {
    kinds: HashMap<Local, Kind>,
    reads: HashMap<Local, usize>,
    /// How many parts a literal has.
    parts: HashMap<Local, usize>,
}

impl Shape {
    pub fn of(function: &Function) -> Self {
        let parts = parts(function);
        let none = Parts::default();
        let mut shape = Self { kinds: HashMap::new(), reads: HashMap::new(), parts: HashMap::new() };
        for (local, uses) in &Survey::of(function).uses {
            let parameter = *local < FIRST_PARAMETER + function.parameters;
            shape.kinds.insert(*local, kind(uses, parts.get(local).unwrap_or(&none), parameter));
            shape.reads.insert(*local, uses.reads);
            shape.parts.insert(*local, uses.grows);
        }
        shape
    }

    pub fn kind(&self, local: Local) -> Kind {
        self.kinds.get(&local).copied().unwrap_or(Kind::Fixed)
    }

    /// How often the local is read.
    pub fn reads(&self, local: Local) -> usize {
        self.reads.get(&local).copied().unwrap_or_default()
    }

    /// How many things are added to the local.
    pub fn parts(&self, local: Local) -> usize {
        self.parts.get(&local).copied().unwrap_or_default()
    }

    /// The locals that live in the whole function, in order.
    pub fn of_kind(&self, kind: Kind) -> Vec<Local> {
        let mut locals: Vec<Local> = self.kinds.iter().filter(|(_, k)| **k == kind).map(|(local, _)| *local).collect();
        locals.sort_unstable();
        locals
    }
}

fn kind(uses: &Uses, parts: &Parts, parameter: bool) -> Kind {
    if uses.grows > 0 || parts.made {
        let plain = uses.grows == uses.grows_beside && uses.grows == parts.plain && parts.distinct();
        let whole = parts.made && uses.contained() && plain && uses.read_when_grown();
        if whole { Kind::Literal } else { Kind::Builder }
    } else if parameter && uses.writes == 0 {
        Kind::Parameter
    } else if uses.contained() && !parameter {
        Kind::Fixed
    } else {
        Kind::Variable
    }
}

/// The parts of the collections of a function.
fn parts(function: &Function) -> HashMap<Local, Parts> {
    let mut parts: HashMap<Local, Parts> = HashMap::new();
    function.visit(&mut |statement| match statement {
        Statement::MakeArray { target } | Statement::MakeObject { target } | Statement::MakeSet { target } => {
            parts.entry(*target).or_default().made = true;
        }
        Statement::Append { array, .. } => parts.entry(*array).or_default().plain += 1,
        Statement::Insert { object, key: Operand::Constant(Constant::String(key)), .. } => {
            let parts = parts.entry(*object).or_default();
            parts.plain += 1;
            parts.keys.push(key.clone());
        }
        _ => {}
    });
    parts
}
