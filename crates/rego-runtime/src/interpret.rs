//! Evaluates a plan as it is, without compiling it to Rust: for rules that come at run time, and to compare.

mod program;

use rego_plan::{DATA, INPUT};

use crate::builder::Builder;
use crate::builtins::overlaid;
use crate::{Answer, Context, Ended, Kept, Stop, Value};
use program::{Block, Function, Operand, Step, Target};

pub use program::ProgramError;

/// A program: rules from a plan, ready to evaluate. Threads share it.
pub struct Interpreter {
    program: program::Program,
    data: Kept,
}

/// Rules that a program refers to without holding them.
pub trait Surroundings<'a> {
    /// What the rule of a name gives (`data.walguard.model.cluster`); `None` where there is none.
    fn rule(&self, name: &str, arguments: &[Value<'a>]) -> Option<Answer<'a>>;

    /// Whether there are rules below a path (`data.walguard.model`).
    fn is_package(&self, path: &str) -> bool;
}

/// No rules but the program's.
struct Alone;

impl<'a> Surroundings<'a> for Alone {
    fn rule(&self, _: &str, _: &[Value<'a>]) -> Option<Answer<'a>> {
        None
    }

    fn is_package(&self, _: &str) -> bool {
        false
    }
}

impl Interpreter {
    /// Reads a plan. `data` is what the bundle holds besides rules.
    ///
    /// # Errors
    /// When it calls a builtin that there is not.
    pub fn new(plan: &rego_plan::Plan, data: Kept) -> Result<Self, ProgramError> {
        Ok(Self { program: program::Program::new(plan)?, data })
    }

    /// The names of the rules without parameters.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.program
            .names
            .iter()
            .filter(|(_, index)| self.program.functions[**index].parameters == 0)
            .map(|(name, _)| name.as_str())
    }

    /// How many places it needs in the memory of a context.
    #[must_use]
    pub const fn memory(&self) -> usize {
        self.program.functions.len()
    }

    /// The queries that the plan was made for.
    pub fn entrypoints(&self) -> impl Iterator<Item = &str> {
        self.program.entrypoints.keys().map(String::as_str)
    }

    /// What a query gives (`main/findings`); undefined where there is no such query.
    ///
    /// # Errors
    /// When a limit is reached, or a rule has two values.
    pub fn query<'a>(&'a self, context: &Context<'a>, name: &str) -> Answer<'a> {
        let Some(index) = self.program.entrypoints.get(name) else { return Ok(Value::Undefined) };
        let result = self.run(context, &Alone, 0, *index)?;
        Ok(context.dot(result, context.text_of("result")))
    }

    /// What a rule without parameters gives (`data.walguard.model.cluster`); undefined where there is none. `memory` is the
    /// first place in the memory of the context that is the program's.
    ///
    /// # Errors
    /// When a limit is reached, or a rule has two values.
    pub fn rule<'a>(
        &'a self,
        context: &Context<'a>,
        around: &dyn Surroundings<'a>,
        memory: usize,
        name: &str,
    ) -> Answer<'a> {
        match self.program.names.get(name) {
            Some(index) => self.run(context, around, memory, *index),
            None => Ok(Value::Undefined),
        }
    }

    /// The same without other rules around.
    ///
    /// # Errors
    /// As [`Interpreter::rule`].
    pub fn rule_alone<'a>(&'a self, context: &Context<'a>, name: &str) -> Answer<'a> {
        self.rule(context, &Alone, 0, name)
    }

    fn run<'a>(
        &'a self,
        context: &Context<'a>,
        around: &dyn Surroundings<'a>,
        memory: usize,
        index: usize,
    ) -> Answer<'a> {
        let mut run = Run {
            program: &self.program,
            context,
            around,
            memory,
            base: 0,
            stack: Vec::new(),
            constants: vec![None; self.program.constants.len()],
        };
        if matches!(self.data, Kept::Undefined) {
            return run.call(index, &[]);
        }
        let data = context.data();
        context.set_data(context.of_kept(&self.data));
        let answer = run.call(index, &[]);
        context.set_data(data);
        answer
    }
}

struct Run<'r, 'a> {
    program: &'a program::Program,
    context: &'r Context<'a>,
    around: &'r dyn Surroundings<'a>,
    memory: usize,
    /// The locals of the functions that are being evaluated, and where those of the innermost begin.
    stack: Vec<Builder<'a>>,
    base: usize,
    constants: Vec<Option<Value<'a>>>,
}

/// How a block ends.
enum Flow<'a> {
    End,
    /// Leaves this many blocks besides the one it stands in.
    Leave(u32),
    Return(Value<'a>),
}

type Outcome<'a> = Result<Flow<'a>, Ended>;

const UNDEFINED: Flow<'_> = Flow::Leave(0);

fn holds<'a>(truth: bool) -> Flow<'a> {
    if truth { Flow::End } else { UNDEFINED }
}

impl<'a> Run<'_, 'a> {
    fn call(&mut self, index: usize, arguments: &[Value<'a>]) -> Answer<'a> {
        let program = self.program;
        let function = &program.functions[index];
        if function.parameters > 0 {
            return self.evaluate(function, arguments);
        }
        if let Some(known) = self.context.remembered(self.memory + index) {
            return Ok(known);
        }
        let value = self.evaluate(function, arguments)?;
        self.context.remember(self.memory + index, value);
        Ok(value)
    }

    fn evaluate(&mut self, function: &'a Function, arguments: &[Value<'a>]) -> Answer<'a> {
        let context = self.context;
        let (base, top) = (self.base, self.stack.len());
        self.base = top;
        self.stack.push(Builder::Value(context.input()));
        self.stack.push(Builder::Value(context.data()));
        self.stack.extend(arguments.iter().map(|argument| Builder::Value(*argument)));
        self.stack.resize_with(top + function.locals, || Builder::UNDEFINED);
        let answer = context.nested(|| match self.blocks(&function.blocks)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::Undefined),
        });
        self.stack.truncate(top);
        self.base = base;
        answer.map_err(|ended| context.within(&function.name, ended))
    }

    fn local(&mut self, local: usize) -> Answer<'a> {
        self.stack[self.base + local].read(self.context)
    }

    fn set(&mut self, local: usize, value: Value<'a>) {
        self.stack[self.base + local] = Builder::Value(value);
    }

    /// Sets a local, unless there is nothing to set it to.
    fn define(&mut self, local: usize, value: Value<'a>) -> Flow<'a> {
        self.set(local, value);
        holds(!value.is_undefined())
    }

    fn read(&mut self, operand: &Operand) -> Answer<'a> {
        match operand {
            Operand::Local(local) => self.local(*local),
            Operand::Constant(index) => Ok(self.constant(*index)),
        }
    }

    fn constant(&mut self, index: usize) -> Value<'a> {
        if let Some(known) = self.constants[index] {
            return known;
        }
        let value = self.context.constant(&self.program.constants[index]);
        self.constants[index] = Some(value);
        value
    }

    fn read_all(&mut self, operands: &[Operand]) -> Result<Vec<Value<'a>>, Ended> {
        operands.iter().map(|operand| self.read(operand)).collect()
    }

    fn blocks(&mut self, blocks: &'a [Block]) -> Outcome<'a> {
        for block in blocks {
            match self.block(block)? {
                Flow::End | Flow::Leave(0) => {}
                Flow::Leave(levels) => return Ok(Flow::Leave(levels - 1)),
                other => return Ok(other),
            }
        }
        Ok(Flow::End)
    }

    fn block(&mut self, block: &'a Block) -> Outcome<'a> {
        for step in block {
            match self.step(step)? {
                Flow::End => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::End)
    }

    fn step(&mut self, step: &'a Step) -> Outcome<'a> {
        let context = self.context;
        Ok(match step {
            Step::Assign(target, source) => {
                let value = self.read(source)?;
                self.set(*target, value);
                Flow::End
            }
            Step::AssignOnce(target, source) => {
                let (value, old) = (self.read(source)?, self.local(*target)?);
                if !old.is_undefined() && !old.equals(value) {
                    return Err(context.end(Stop::Conflict));
                }
                self.set(*target, value);
                Flow::End
            }
            Step::Reset(target) => {
                self.set(*target, Value::Undefined);
                Flow::End
            }
            Step::Call(target, function, arguments) => {
                let arguments = self.read_all(arguments)?;
                let value = match function {
                    Target::Rule(index) => self.call(*index, &arguments)?,
                    Target::Builtin(builtin) => builtin(context, &arguments)?,
                    Target::Around(name) => self.around.rule(name, &arguments).unwrap_or(Ok(Value::Undefined))?,
                };
                self.define(*target, value)
            }
            Step::CallDynamic(target, path) => {
                let path = self.read_all(path)?;
                let value = match self.named(&path) {
                    Some(index) => self.call(index, &[])?,
                    None => Value::Undefined,
                };
                self.define(*target, value)
            }
            Step::Dot(target, source, key) => {
                let (source, key) = (self.read(source)?, self.read(key)?);
                self.define(*target, context.dot(source, key))
            }
            Step::DotData(target, source, key, path) => {
                let (source, key) = (self.read(source)?, self.read(key)?);
                let mut value = self.around.rule(path, &[]).unwrap_or(Ok(Value::Undefined))?;
                if value.is_undefined() {
                    value = context.dot(source, key);
                }
                if value.is_undefined() && self.around.is_package(path) {
                    value = Value::EMPTY_OBJECT;
                }
                self.define(*target, value)
            }
            Step::Length(target, source) => {
                let length = self.read(source)?.length();
                let length = length.and_then(|length| i64::try_from(length).ok());
                self.define(*target, length.map_or(Value::Undefined, Value::Int))
            }
            Step::Scan(source, key, value, block) => return self.scan(source, (*key, *value), block),
            Step::Not(block) => match self.block(block)? {
                Flow::End => UNDEFINED,
                Flow::Leave(0) => Flow::End,
                Flow::Leave(levels) => Flow::Leave(levels - 1),
                other => other,
            },
            Step::Blocks(blocks) => return self.blocks(blocks),
            Step::Break(levels) => Flow::Leave(*levels),
            Step::With(local, path, value, block) => return self.with(*local, path, value, block),
            Step::MakeArray(target) => self.make(*target, Builder::array(context)),
            Step::MakeObject(target) => self.make(*target, Builder::object(context)),
            Step::MakeSet(target) => self.make(*target, Builder::set(context)),
            Step::Append(array, value) => {
                let value = self.read(value)?;
                self.stack[self.base + array].append(context, value);
                Flow::End
            }
            Step::Insert(object, key, value) => {
                let (key, value) = (self.read(key)?, self.read(value)?);
                self.stack[self.base + object].insert(context, key, value);
                Flow::End
            }
            Step::InsertOnce(object, key, value) => {
                let (key, value) = (self.read(key)?, self.read(value)?);
                self.stack[self.base + object].insert_once(context, key, value);
                Flow::End
            }
            Step::Add(set, value) => {
                let value = self.read(value)?;
                self.stack[self.base + set].add(context, value);
                Flow::End
            }
            Step::Merge(target, first, second) => {
                let (first, second) = (self.local(*first)?, self.local(*second)?);
                self.define(*target, overlaid(context, first, second))
            }
            Step::Equal(left, right) => {
                let (left, right) = (self.read(left)?, self.read(right)?);
                holds(!left.is_undefined() && left.equals(right))
            }
            Step::NotEqual(left, right) => {
                let (left, right) = (self.read(left)?, self.read(right)?);
                holds(!left.is_undefined() && !left.equals(right))
            }
            Step::IsArray(source) => holds(self.read(source)?.is_array()),
            Step::IsObject(source) => holds(self.read(source)?.is_object()),
            Step::IsSet(source) => holds(self.read(source)?.is_set()),
            Step::IsDefined(source) => holds(!self.stack[self.base + source].is_undefined()),
            Step::IsUndefined(source) => holds(self.stack[self.base + source].is_undefined()),
            Step::Return(source) => Flow::Return(self.read(source)?),
        })
    }

    fn make(&mut self, target: usize, builder: Builder<'a>) -> Flow<'a> {
        self.stack[self.base + target] = builder;
        Flow::End
    }

    fn scan(&mut self, source: &Operand, (key, value): (usize, usize), block: &'a Block) -> Outcome<'a> {
        let source = self.read(source)?;
        let context = self.context;
        for (k, v) in context.entries(source) {
            context.step()?;
            self.set(key, k);
            self.set(value, v);
            match self.block(block)? {
                Flow::End | Flow::Leave(0) => {}
                Flow::Leave(levels) => return Ok(Flow::Leave(levels - 1)),
                other => return Ok(other),
            }
        }
        Ok(Flow::End)
    }

    fn with(&mut self, local: usize, path: &[String], value: &Operand, block: &'a Block) -> Outcome<'a> {
        let context = self.context;
        let path: Vec<Value<'a>> = path.iter().map(|key| context.text(key)).collect();
        let (old, value) = (self.local(local)?, self.read(value)?);
        let new = context.upsert(old, &path, value);
        let of = |document: u32, now: Value<'a>| if local == document as usize { new } else { now };
        let saved = context.enter(of(INPUT, context.input()), of(DATA, context.data()), 0);
        self.set(local, new);
        let flow = self.block(block);
        self.set(local, old);
        context.leave(saved);
        Ok(match flow? {
            Flow::Leave(levels) if levels > 0 => Flow::Leave(levels - 1),
            other => other,
        })
    }

    /// The rule that a path names.
    fn named(&self, path: &[Value<'a>]) -> Option<usize> {
        let mut name = String::from("data");
        for key in path {
            name.push('.');
            name.push_str(key.as_text()?);
        }
        self.program.names.get(&name).copied()
    }
}
