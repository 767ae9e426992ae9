//! A plan: Rego rules as OPA's planner turns them into functions of some thirty kinds of statement (`opa build -t plan`).
//!
//! [`opa::read`] takes OPA's JSON, [`simplify`] removes what is there for the planner's sake alone, [`text`] writes and reads
//! the form that is committed: one statement a line, strings where they are used, locals numbered per function, no places, so
//! that a changed rule changes its own lines.
//!
//! The meaning is OPA's (<https://www.openpolicyagent.org/docs/ir>): a statement may be undefined, which ends the innermost
//! block; execution goes on behind that block.

#[cfg(feature = "opa")]
pub mod bundle;
mod constant;
mod depend;
mod early;
#[cfg(feature = "opa")]
pub mod opa;
mod simplify;
mod split;
mod survey;
pub mod text;
pub mod words;

pub use constant::{Constant, compare_numbers};
pub use simplify::simplify;
pub use survey::{Survey, Uses};

use std::collections::BTreeMap;

/// A variable of a function. [`INPUT`] and [`DATA`] are the two documents, parameters follow.
pub type Local = u32;
/// The local that holds `input` in every function.
pub const INPUT: Local = 0;
/// The local that holds `data` in every function.
pub const DATA: Local = 1;
/// The first parameter of a function.
pub const FIRST_PARAMETER: Local = 2;

/// Rules, and the queries they were planned for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// By name: `data.walguard.model.cluster`. A name stands for a rule, all of its definitions together.
    pub functions: BTreeMap<String, Function>,
    /// Queries by name (`main/findings`): functions without parameters whose value is `{"result": …}`.
    pub entrypoints: BTreeMap<String, Function>,
}

/// A rule, or a function of Rego.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// How many parameters it has besides `input` and `data`.
    pub parameters: u32,
    /// How many locals it has, `input`, `data` and parameters included.
    pub locals: u32,
    pub blocks: Vec<Block>,
}

/// Statements that end together where one is undefined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block(pub Vec<Statement>);

/// What a statement reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Local(Local),
    Constant(Constant),
}

/// A step of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `target = source`.
    Assign {
        target: Local,
        source: Operand,
    },
    /// The same; a conflict where the target has another value already.
    AssignOnce {
        target: Local,
        source: Operand,
    },
    /// Makes the target undefined.
    Reset {
        target: Local,
    },
    /// Calls a rule or a builtin; undefined where that is.
    Call {
        target: Local,
        function: String,
        arguments: Vec<Operand>,
    },
    /// Calls the rule at a path that is known only now; undefined where there is none.
    CallDynamic {
        target: Local,
        path: Vec<Operand>,
    },
    /// `target = source[key]`; undefined where there is nothing.
    Dot {
        target: Local,
        source: Operand,
        key: Operand,
    },
    /// The number of elements.
    Length {
        target: Local,
        source: Operand,
    },
    /// Runs the block for every key and value of a collection.
    Scan {
        source: Operand,
        key: Local,
        value: Local,
        block: Block,
    },
    /// Undefined where the block comes to its end.
    Not {
        block: Block,
    },
    /// Runs the blocks one after the other.
    Blocks(Vec<Block>),
    /// Leaves this many blocks besides the innermost.
    Break(u32),
    /// Runs the block with another value of a local, or of a place in it.
    With {
        local: Local,
        path: Vec<String>,
        value: Operand,
        block: Block,
    },
    MakeArray {
        target: Local,
    },
    MakeObject {
        target: Local,
    },
    MakeSet {
        target: Local,
    },
    Append {
        array: Local,
        value: Operand,
    },
    Insert {
        object: Local,
        key: Operand,
        value: Operand,
    },
    /// The same; a conflict where the key has another value already.
    InsertOnce {
        object: Local,
        key: Operand,
        value: Operand,
    },
    Add {
        set: Local,
        value: Operand,
    },
    /// Two objects as one; the first wins where neither is an object.
    Merge {
        target: Local,
        first: Local,
        second: Local,
    },
    Equal {
        left: Operand,
        right: Operand,
    },
    NotEqual {
        left: Operand,
        right: Operand,
    },
    IsArray {
        source: Operand,
    },
    IsObject {
        source: Operand,
    },
    IsSet {
        source: Operand,
    },
    IsDefined {
        source: Local,
    },
    IsUndefined {
        source: Local,
    },
    /// Ends the function with a value, or undefined.
    Return {
        source: Operand,
    },
}

impl Plan {
    /// Rules without parameters and functions together.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Function)> {
        self.functions.iter().chain(&self.entrypoints).map(|(name, function)| (name.as_str(), function))
    }
}

impl Function {
    /// Every statement, nested ones behind the one they stand in.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Statement)) {
        self.blocks.iter().for_each(|block| block.visit(visit));
    }
}

impl Block {
    /// Every statement of the block, nested ones behind the one they stand in.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Statement)) {
        for statement in &self.0 {
            visit(statement);
            statement.blocks().iter().for_each(|block| block.visit(visit));
        }
    }
}

/// The operands of a statement, as it is borrowed.
macro_rules! operands {
    ($statement:expr, $iter:ident) => {
        match $statement {
            Self::Assign { source, .. }
            | Self::AssignOnce { source, .. }
            | Self::Length { source, .. }
            | Self::Scan { source, .. }
            | Self::IsArray { source }
            | Self::IsObject { source }
            | Self::IsSet { source }
            | Self::Return { source } => vec![source],
            Self::Call { arguments: operands, .. } | Self::CallDynamic { path: operands, .. } => {
                operands.$iter().collect()
            }
            Self::Dot { source: a, key: b, .. }
            | Self::Insert { key: a, value: b, .. }
            | Self::InsertOnce { key: a, value: b, .. }
            | Self::Equal { left: a, right: b }
            | Self::NotEqual { left: a, right: b } => vec![a, b],
            Self::With { value, .. } | Self::Append { value, .. } | Self::Add { value, .. } => vec![value],
            _ => Vec::new(),
        }
    };
}

impl Statement {
    /// The blocks in a statement.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Scan { block, .. } | Self::Not { block } | Self::With { block, .. } => std::slice::from_ref(block),
            _ => &[],
        }
    }

    /// The same, to change them.
    pub fn blocks_mut(&mut self) -> &mut [Block] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Scan { block, .. } | Self::Not { block } | Self::With { block, .. } => std::slice::from_mut(block),
            _ => &mut [],
        }
    }

    /// What the statement itself reads, to change it.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        operands!(self, iter_mut)
    }

    /// What the statement itself reads.
    #[must_use]
    pub fn operands(&self) -> Vec<&Operand> {
        operands!(self, iter)
    }

    /// The locals that the statement reads by itself, besides its operands.
    #[must_use]
    pub fn reads(&self) -> Vec<Local> {
        match self {
            Self::IsDefined { source } | Self::IsUndefined { source } => vec![*source],
            Self::Merge { first, second, .. } => vec![*first, *second],
            Self::With { local, .. } => vec![*local],
            _ => Vec::new(),
        }
    }

    /// The locals that the statement gives a value.
    #[must_use]
    pub fn writes(&self) -> Vec<Local> {
        match self {
            Self::Assign { target, .. }
            | Self::AssignOnce { target, .. }
            | Self::Reset { target }
            | Self::Call { target, .. }
            | Self::CallDynamic { target, .. }
            | Self::Dot { target, .. }
            | Self::Length { target, .. }
            | Self::MakeArray { target }
            | Self::MakeObject { target }
            | Self::MakeSet { target }
            | Self::Merge { target, .. } => vec![*target],
            Self::Scan { key, value, .. } => vec![*key, *value],
            _ => Vec::new(),
        }
    }

    /// Every local that the statement itself names, to change it.
    pub fn locals_mut(&mut self, change: &mut impl FnMut(&mut Local)) {
        match self {
            Self::Assign { target, .. }
            | Self::AssignOnce { target, .. }
            | Self::Reset { target }
            | Self::Call { target, .. }
            | Self::CallDynamic { target, .. }
            | Self::Dot { target, .. }
            | Self::Length { target, .. }
            | Self::MakeArray { target }
            | Self::MakeObject { target }
            | Self::MakeSet { target } => change(target),
            Self::Merge { target, first, second } => [first, second, target].into_iter().for_each(&mut *change),
            Self::Scan { key, value, .. } => [key, value].into_iter().for_each(&mut *change),
            Self::IsDefined { source } | Self::IsUndefined { source } => change(source),
            Self::Append { array: local, .. }
            | Self::Insert { object: local, .. }
            | Self::InsertOnce { object: local, .. }
            | Self::Add { set: local, .. }
            | Self::With { local, .. } => change(local),
            _ => {}
        }
        for operand in self.operands_mut() {
            if let Operand::Local(local) = operand {
                change(local);
            }
        }
    }

    /// The collection that the statement adds to.
    #[must_use]
    pub const fn grows(&self) -> Option<Local> {
        match self {
            Self::Append { array: local, .. }
            | Self::Insert { object: local, .. }
            | Self::InsertOnce { object: local, .. }
            | Self::Add { set: local, .. } => Some(*local),
            _ => None,
        }
    }
}

/// One more than the highest local of a function.
fn locals(function: &Function) -> u32 {
    let mut locals = FIRST_PARAMETER + function.parameters;
    function.visit(&mut |statement| {
        let operands = statement.operands();
        let read = operands.into_iter().filter_map(|operand| match operand {
            Operand::Local(local) => Some(*local),
            Operand::Constant(_) => None,
        });
        let others = statement.reads().into_iter().chain(statement.writes()).chain(statement.grows());
        locals = read.chain(others).map(|local| local.saturating_add(1)).fold(locals, u32::max);
    });
    locals
}
