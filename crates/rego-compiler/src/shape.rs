//! One rule: where its locals live.

use std::collections::HashMap;

use rego_plan::{Block, Constant, FIRST_PARAMETER, Function, Local, Operand, Statement};

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

#[derive(Clone, Default)]
struct Uses {
    writes: usize,
    written: usize,
    scope_end: usize,
    /// Where every grow stands, and whether each is beside the write and is a plain one.
    grows: usize,
    plain_grows: usize,
    last_grow: usize,
    reads: usize,
    first_read: usize,
    last_read: usize,
    made: bool,
    keys: Vec<String>,
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
        let mut survey = Survey::default();
        function.blocks.iter().for_each(|block| survey.block(block));
        let mut shape = Self { kinds: HashMap::new(), reads: HashMap::new(), parts: HashMap::new() };
        for (local, uses) in &survey.uses {
            let parameter = *local < FIRST_PARAMETER + function.parameters;
            shape.kinds.insert(*local, kind(uses, parameter));
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

fn kind(uses: &Uses, parameter: bool) -> Kind {
    let once = uses.writes == 1;
    let contained = once && (uses.reads == 0 || uses.first_read > uses.written && uses.last_read < uses.scope_end);
    let distinct = {
        let mut keys = uses.keys.clone();
        keys.sort_unstable();
        keys.dedup();
        keys.len() == uses.keys.len()
    };
    if uses.grows > 0 || uses.made {
        let whole = uses.made && contained && uses.grows == uses.plain_grows && distinct;
        if whole && (uses.reads == 0 || uses.first_read > uses.last_grow) { Kind::Literal } else { Kind::Builder }
    } else if parameter && uses.writes == 0 {
        Kind::Parameter
    } else if contained && !parameter {
        Kind::Fixed
    } else {
        Kind::Variable
    }
}

#[derive(Default)]
struct Survey {
    uses: HashMap<Local, Uses>,
    block_of: HashMap<Local, usize>,
    position: usize,
    blocks: usize,
}

impl Survey {
    fn uses(&mut self, local: Local) -> &mut Uses {
        self.uses.entry(local).or_default()
    }

    fn read(&mut self, local: Local) {
        let at = self.position;
        let uses = self.uses(local);
        uses.first_read = if uses.reads == 0 { at } else { uses.first_read.min(at) };
        uses.last_read = at;
        uses.reads += 1;
    }

    fn block(&mut self, block: &Block) {
        self.blocks += 1;
        let number = self.blocks;
        let mut written = Vec::new();
        for statement in &block.0 {
            self.position += 1;
            let at = self.position;
            for operand in statement.operands() {
                if let Operand::Local(local) = operand {
                    self.read(*local);
                }
            }
            statement.reads().into_iter().for_each(|local| self.read(local));
            self.grow(statement, number);
            for local in statement.writes() {
                let makes = matches!(
                    statement,
                    Statement::MakeArray { .. } | Statement::MakeObject { .. } | Statement::MakeSet { .. }
                );
                let uses = self.uses(local);
                uses.writes += 1;
                uses.written = at;
                uses.made |= makes;
                self.block_of.insert(local, number);
                if !matches!(statement, Statement::Scan { .. }) {
                    written.push(local);
                }
            }
            statement.blocks().iter().for_each(|block| self.block(block));
            if let Statement::Scan { key, value, .. } = statement {
                let end = self.position;
                self.uses(*key).scope_end = end;
                self.uses(*value).scope_end = end;
            }
        }
        self.position += 1;
        let end = self.position;
        for local in written {
            self.uses(local).scope_end = end;
        }
    }

    fn grow(&mut self, statement: &Statement, block: usize) {
        let Some(local) = statement.grows() else { return };
        let beside = self.block_of.get(&local) == Some(&block);
        let at = self.position;
        let key = match statement {
            Statement::Append { .. } => Some(None),
            Statement::Insert { key: Operand::Constant(Constant::String(key)), .. } => Some(Some(key.clone())),
            _ => None,
        };
        let uses = self.uses(local);
        uses.grows += 1;
        uses.plain_grows += usize::from(beside && key.is_some());
        uses.last_grow = at;
        uses.keys.extend(key.flatten());
    }
}
