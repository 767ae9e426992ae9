//! A plan with its names resolved.

use std::collections::{BTreeMap, HashMap};

use rego_plan::{Constant, DATA, Local, Plan, Statement};

use crate::builtins::{self, Builtin};
use crate::{Context, Value};

/// Why a plan cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("{function} calls the builtin {builtin}, which there is not")]
    Builtin { function: String, builtin: String },
    #[error("{function} calls the builtin {builtin} with {given} arguments, and it takes {taken}")]
    Arguments { function: String, builtin: String, given: usize, taken: usize },
}

#[derive(Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub names: BTreeMap<String, usize>,
    pub entrypoints: BTreeMap<String, usize>,
    pub constants: Vec<Constant>,
}

pub struct Function {
    pub name: String,
    pub parameters: u32,
    pub locals: usize,
    pub blocks: Vec<Block>,
}

pub type Block = Vec<Step>;

#[derive(Clone, Copy)]
pub enum Operand {
    Local(usize),
    Constant(usize),
}

pub enum Target {
    Rule(usize),
    Builtin(Builtin),
    /// A rule that is not the program's.
    Around(String),
}

/// A [`Statement`] with locals, constants and rules as places in lists.
pub enum Step {
    Assign(usize, Operand),
    AssignOnce(usize, Operand),
    Reset(usize),
    Call(usize, Target, Vec<Operand>),
    CallDynamic(usize, Vec<Operand>),
    Dot(usize, Operand, Operand),
    /// The same of a document below `data`, whose whole path is known.
    DotData(usize, Operand, Operand, String),
    Length(usize, Operand),
    Scan(Operand, usize, usize, Block),
    Not(Block),
    Blocks(Vec<Block>),
    Break(u32),
    With(usize, Vec<String>, Operand, Block),
    MakeArray(usize),
    MakeObject(usize),
    MakeSet(usize),
    Append(usize, Operand),
    Insert(usize, Operand, Operand),
    InsertOnce(usize, Operand, Operand),
    Add(usize, Operand),
    Merge(usize, usize, usize),
    Equal(Operand, Operand),
    NotEqual(Operand, Operand),
    IsArray(Operand),
    IsObject(Operand),
    IsSet(Operand),
    IsDefined(usize),
    IsUndefined(usize),
    Return(Operand),
}

impl Program {
    pub fn new(plan: &Plan) -> Result<Self, ProgramError> {
        let names = plan.functions.keys().zip(0..).map(|(name, index)| (name.clone(), index)).collect();
        let first = plan.functions.len();
        let entrypoints = plan.entrypoints.keys().zip(first..).map(|(name, index)| (name.clone(), index)).collect();
        let mut program = Self { names, entrypoints, ..Self::default() };
        for (name, function) in plan.all() {
            let mut resolver = Resolver { program: &mut program, function: name, paths: HashMap::new() };
            let blocks = function.blocks.iter().map(|block| resolver.block(block)).collect::<Result<_, _>>()?;
            program.functions.push(Function {
                name: name.to_owned(),
                parameters: function.parameters,
                locals: function.locals as usize,
                blocks,
            });
        }
        Ok(program)
    }
}

struct Resolver<'p> {
    program: &'p mut Program,
    function: &'p str,
    /// The locals that hold documents below `data`.
    paths: HashMap<Local, String>,
}

impl Resolver<'_> {
    fn block(&mut self, block: &rego_plan::Block) -> Result<Block, ProgramError> {
        block.0.iter().map(|statement| self.step(statement)).collect()
    }

    fn operand(&mut self, operand: &rego_plan::Operand) -> Operand {
        match operand {
            rego_plan::Operand::Local(local) => Operand::Local(*local as usize),
            rego_plan::Operand::Constant(constant) => {
                self.program.constants.push(constant.clone());
                Operand::Constant(self.program.constants.len() - 1)
            }
        }
    }

    fn operands(&mut self, operands: &[rego_plan::Operand]) -> Vec<Operand> {
        operands.iter().map(|operand| self.operand(operand)).collect()
    }

    fn dot(&mut self, target: Local, source: &rego_plan::Operand, key: &rego_plan::Operand) -> Step {
        let path = match (source, key) {
            (rego_plan::Operand::Local(local), rego_plan::Operand::Constant(Constant::String(key))) => {
                let path = if *local == DATA { Some("data") } else { self.paths.get(local).map(String::as_str) };
                path.map(|path| format!("{path}.{key}"))
            }
            _ => None,
        };
        let (source, key) = (self.operand(source), self.operand(key));
        match path {
            Some(path) => {
                self.paths.insert(target, path.clone());
                Step::DotData(target as usize, source, key, path)
            }
            None => Step::Dot(target as usize, source, key),
        }
    }

    fn call(&self, name: &str, given: usize) -> Result<Target, ProgramError> {
        if let Some(index) = self.program.names.get(name) {
            return Ok(Target::Rule(*index));
        }
        if name.starts_with("data.") {
            return Ok(Target::Around(name.to_owned()));
        }
        let (function, builtin) = (self.function.to_owned(), name.to_owned());
        match builtins::builtin(name) {
            None => Err(ProgramError::Builtin { function, builtin }),
            Some((_, taken)) if taken != given => Err(ProgramError::Arguments { function, builtin, given, taken }),
            Some((found, _)) => Ok(Target::Builtin(found)),
        }
    }

    fn step(&mut self, statement: &Statement) -> Result<Step, ProgramError> {
        let at = |local: &Local| *local as usize;
        Ok(match statement {
            Statement::Assign { target, source } => Step::Assign(at(target), self.operand(source)),
            Statement::AssignOnce { target, source } => Step::AssignOnce(at(target), self.operand(source)),
            Statement::Reset { target } => Step::Reset(at(target)),
            Statement::Call { target, function, arguments } => {
                Step::Call(at(target), self.call(function, arguments.len())?, self.operands(arguments))
            }
            Statement::CallDynamic { target, path } => Step::CallDynamic(at(target), self.operands(path)),
            Statement::Dot { target, source, key } => self.dot(*target, source, key),
            Statement::Length { target, source } => Step::Length(at(target), self.operand(source)),
            Statement::Scan { source, key, value, block } => {
                Step::Scan(self.operand(source), at(key), at(value), self.block(block)?)
            }
            Statement::Not { block } => Step::Not(self.block(block)?),
            Statement::Blocks(blocks) => {
                Step::Blocks(blocks.iter().map(|block| self.block(block)).collect::<Result<_, _>>()?)
            }
            Statement::Break(levels) => Step::Break(*levels),
            Statement::With { local, path, value, block } => {
                Step::With(at(local), path.clone(), self.operand(value), self.block(block)?)
            }
            Statement::MakeArray { target } => Step::MakeArray(at(target)),
            Statement::MakeObject { target } => Step::MakeObject(at(target)),
            Statement::MakeSet { target } => Step::MakeSet(at(target)),
            Statement::Append { array, value } => Step::Append(at(array), self.operand(value)),
            Statement::Insert { object, key, value } => {
                Step::Insert(at(object), self.operand(key), self.operand(value))
            }
            Statement::InsertOnce { object, key, value } => {
                Step::InsertOnce(at(object), self.operand(key), self.operand(value))
            }
            Statement::Add { set, value } => Step::Add(at(set), self.operand(value)),
            Statement::Merge { target, first, second } => Step::Merge(at(target), at(first), at(second)),
            Statement::Equal { left, right } => Step::Equal(self.operand(left), self.operand(right)),
            Statement::NotEqual { left, right } => Step::NotEqual(self.operand(left), self.operand(right)),
            Statement::IsArray { source } => Step::IsArray(self.operand(source)),
            Statement::IsObject { source } => Step::IsObject(self.operand(source)),
            Statement::IsSet { source } => Step::IsSet(self.operand(source)),
            Statement::IsDefined { source } => Step::IsDefined(at(source)),
            Statement::IsUndefined { source } => Step::IsUndefined(at(source)),
            Statement::Return { source } => Step::Return(self.operand(source)),
        })
    }
}

impl<'a> Context<'a> {
    /// A constant of a plan in this evaluation.
    #[must_use]
    pub fn constant(&self, constant: &'a Constant) -> Value<'a> {
        match constant {
            Constant::Null => Value::Null,
            Constant::Bool(truth) => Value::from(*truth),
            Constant::Number(number) => self.number(number),
            Constant::String(text) => self.text_of(text),
            Constant::Array(elements) => self.array_of(self.constants(elements)),
            Constant::Set(elements) => self.set_of(self.constants(elements)),
            Constant::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| (self.constant(key), self.constant(value)));
                self.object_of(self.arena().alloc_slice_fill_iter(entries))
            }
        }
    }

    fn constants(&self, constants: &'a [Constant]) -> &'a [Value<'a>] {
        self.arena().alloc_slice_fill_iter(constants.iter().map(|constant| self.constant(constant)))
    }
}
