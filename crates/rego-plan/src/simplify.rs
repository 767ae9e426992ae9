//! Removes what a plan has for the planner's sake: copies of locals, constants put together at run time, results that are only
//! handed on. Every function becomes what it was with fewer statements; nothing depends on other functions, so that a change of
//! one rule changes that rule alone.

use std::collections::HashMap;

use crate::early::leave_early;
use crate::split::split;
use crate::survey::Survey;
use crate::{Block, Constant, DATA, FIRST_PARAMETER, Function, INPUT, Local, Operand, Plan, Statement};

/// Simplifies every function of a plan.
pub fn simplify(plan: &mut Plan) {
    for function in plan.functions.values_mut().chain(plan.entrypoints.values_mut()) {
        split(function);
        // What one round leaves may be what the next one can remove; a third round has always been the last.
        for _ in 0..3 {
            simplify_function(function);
        }
        hand_on(function);
        hand_on_at_once(function);
        leave_early(function);
        let parameters: Vec<Local> = (0..FIRST_PARAMETER + function.parameters).collect();
        renumber(function, &parameters);
    }
}

fn simplify_function(function: &mut Function) {
    let mut pass = Pass { survey: Survey::of(function), known: HashMap::new(), position: 0 };
    function.blocks.iter_mut().for_each(|block| pass.block(block));
}

struct Pass {
    survey: Survey,
    /// What stands for a local from its write on.
    known: HashMap<Local, Operand>,
    position: usize,
}

/// A collection whose parts have been constant so far.
struct Growing {
    /// Places of its statements among those of the block.
    places: Vec<usize>,
    parts: Vec<(Constant, Constant)>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Array,
    Object,
    Set,
}

impl Pass {
    fn block(&mut self, block: &mut Block) {
        let mut kept: Vec<Option<Statement>> = Vec::with_capacity(block.0.len());
        let mut growing: HashMap<Local, Growing> = HashMap::new();
        for mut statement in std::mem::take(&mut block.0) {
            self.position += 1;
            let at = self.position;
            self.replace(&mut statement);
            statement.blocks_mut().iter_mut().for_each(|block| self.block(block));
            if let Some(local) = statement.grows() {
                grow(&mut growing, local, &statement, kept.len());
            }
            // A local is undefined until something is assigned to it, and what is assigned once alone cannot conflict.
            match &statement {
                Statement::Reset { target } if self.survey.uses(*target).reset_for_nothing(at) => continue,
                Statement::AssignOnce { target, source } if self.survey.uses(*target).written_once() => {
                    statement = Statement::Assign { target: *target, source: source.clone() };
                }
                _ => {}
            }
            match &statement {
                Statement::Assign { target, source } if self.can_stand_for(*target, source, at) => {
                    self.known.insert(*target, source.clone());
                    continue;
                }
                Statement::IsDefined { source } if matches!(self.known.get(source), Some(Operand::Constant(_))) => {
                    continue;
                }
                Statement::Equal { left: Operand::Constant(a), right: Operand::Constant(b) } if a.order(b).is_eq() => {
                    continue;
                }
                Statement::NotEqual { left: Operand::Constant(a), right: Operand::Constant(b) }
                    if a.order(b).is_ne() =>
                {
                    continue;
                }
                Statement::MakeArray { target } | Statement::MakeObject { target } | Statement::MakeSet { target } => {
                    let uses = self.survey.uses(*target).clone();
                    let whole = uses.contained() && uses.grows == uses.grows_beside;
                    if whole && uses.read_when_grown() {
                        let kind = match statement {
                            Statement::MakeArray { .. } => Kind::Array,
                            Statement::MakeObject { .. } => Kind::Object,
                            _ => Kind::Set,
                        };
                        growing.insert(*target, Growing { places: vec![kept.len()], parts: Vec::new(), kind });
                    }
                }
                _ => {}
            }
            let touched = statement.grows().into_iter().chain(statement.writes()).next();
            kept.push(Some(statement));
            if let Some(local) = touched {
                self.finish(&mut growing, local, &mut kept);
            }
        }
        self.position += 1;
        block.0.extend(kept.into_iter().flatten());
    }

    /// Where the last part of a constant collection is there, it becomes one constant.
    fn finish(&mut self, growing: &mut HashMap<Local, Growing>, local: Local, kept: &mut [Option<Statement>]) {
        let uses = self.survey.uses(local).clone();
        if growing.get(&local).is_none_or(|growing| growing.parts.len() < uses.grows) {
            return;
        }
        let Some(Growing { places, parts, kind }) = growing.remove(&local) else { return };
        let constant = match kind {
            Kind::Array => Constant::Array(parts.into_iter().map(|(value, _)| value).collect()),
            Kind::Object => Constant::object(parts),
            Kind::Set => Constant::set(parts.into_iter().map(|(value, _)| value).collect()),
        };
        for place in &places {
            kept[*place] = None;
        }
        let source = Operand::Constant(constant);
        if uses.reads > 1 || uses.needs_local {
            kept[places[0]] = Some(Statement::Assign { target: local, source });
        } else {
            self.known.insert(local, source);
        }
    }

    fn replace(&self, statement: &mut Statement) {
        for operand in statement.operands_mut() {
            if let Operand::Local(local) = operand
                && let Some(known) = self.known.get(local)
            {
                *operand = known.clone();
            }
        }
        let renamed = |local: &mut Local| {
            if let Some(Operand::Local(known)) = self.known.get(local) {
                *local = *known;
            }
        };
        match statement {
            Statement::IsDefined { source } | Statement::IsUndefined { source } => renamed(source),
            Statement::Merge { first, second, .. } => {
                renamed(first);
                renamed(second);
            }
            _ => {}
        }
    }

    /// Whether an operand can stand wherever a local is read that it was assigned to.
    fn can_stand_for(&mut self, target: Local, source: &Operand, at: usize) -> bool {
        let uses = self.survey.uses(target).clone();
        if !uses.contained() || uses.grows > 0 {
            return false;
        }
        match source {
            Operand::Constant(Constant::Array(_) | Constant::Object(_) | Constant::Set(_)) => {
                !uses.needs_local && uses.reads < 2
            }
            Operand::Constant(_) => !uses.needs_local,
            Operand::Local(INPUT | DATA) => !self.survey.with && !uses.needs_local,
            Operand::Local(local) => {
                let source = self.survey.uses(*local);
                let steady = source.writes <= 1 && source.written < at;
                steady && (source.grows == 0 || source.last_grow < at)
            }
        }
    }
}

fn grow(growing: &mut HashMap<Local, Growing>, local: Local, statement: &Statement, place: usize) {
    let part = match statement {
        Statement::Append { value: Operand::Constant(value), .. }
        | Statement::Add { value: Operand::Constant(value), .. } => Some((value.clone(), Constant::Null)),
        Statement::Insert { key: Operand::Constant(key), value: Operand::Constant(value), .. } => {
            Some((key.clone(), value.clone()))
        }
        _ => None,
    };
    match part {
        Some(part) => {
            if let Some(growing) = growing.get_mut(&local) {
                growing.places.push(place);
                growing.parts.push(part);
            }
        }
        None => {
            growing.remove(&local);
        }
    }
}

/// A function whose result is another local's value, handed on at the end, returns that one.
fn hand_on(function: &mut Function) {
    let [.., before, Block(last)] = function.blocks.as_slice() else { return };
    let [Statement::Return { source: Operand::Local(result) }] = last.as_slice() else { return };
    let Some(from) = handed_on(before, *result) else { return };
    let uses = Survey::of(function).uses;
    if uses.get(result).is_some_and(|uses| uses.writes == 1 && uses.reads == 1) {
        function.blocks.truncate(function.blocks.len() - 2);
        function.blocks.push(Block(vec![Statement::Return { source: Operand::Local(from) }]));
    }
}

/// A definition that stands in one block gives its value to the result itself, where it would keep it for the block behind it to hand
/// on.
fn hand_on_at_once(function: &mut Function) {
    let Some([Statement::Return { source: Operand::Local(result) }]) =
        function.blocks.last().map(|block| block.0.as_slice())
    else {
        return;
    };
    let result = *result;
    let blocks = std::mem::take(&mut function.blocks);
    for block in blocks {
        if let Some(kept) = handed_on(&block, result)
            && let Some((before, earlier)) = function.blocks.split_last_mut()
            && only_gives(before, kept)
            && !earlier.iter().any(|block| gives(block, kept))
        {
            give(before, kept, result);
        } else {
            function.blocks.push(block);
        }
    }
}

/// The local that a block hands on to the result, where it does nothing else.
pub fn handed_on(block: &Block, result: Local) -> Option<Local> {
    match block.0.as_slice() {
        [
            Statement::IsDefined { source },
            Statement::Assign { target, source: Operand::Local(from) }
            | Statement::AssignOnce { target, source: Operand::Local(from) },
        ] if source == from && *target == result => Some(*source),
        _ => None,
    }
}

/// Whether a block begins without a value of the local and does nothing with it but to give it one.
fn only_gives(block: &Block, local: Local) -> bool {
    let (mut gives, mut other) = (0, false);
    let begins = matches!(block.0.first(), Some(Statement::Reset { target }) if *target == local);
    block.visit(&mut |statement| match statement {
        Statement::Assign { target, .. } | Statement::AssignOnce { target, .. } if *target == local => gives += 1,
        Statement::Not { block } => block.visit(&mut |statement| other |= statement.writes().contains(&local)),
        _ => {
            let operand = |operand: &Operand| matches!(operand, Operand::Local(read) if *read == local);
            other |= statement.operands().into_iter().any(operand) || statement.reads().contains(&local);
            other |= statement.grows() == Some(local);
            other |= statement.writes().contains(&local) && !matches!(statement, Statement::Reset { .. });
        }
    });
    let mut resets = 0;
    block.visit(&mut |statement| {
        resets += usize::from(matches!(statement, Statement::Reset { target } if *target == local));
    });
    gives > 0 && !other && resets == usize::from(begins)
}

fn gives(block: &Block, local: Local) -> bool {
    let mut gives = false;
    block.visit(&mut |statement| gives |= statement.writes().contains(&local));
    gives
}

fn give(block: &mut Block, local: Local, result: Local) {
    block.0.retain(|statement| !matches!(statement, Statement::Reset { target } if *target == local));
    for statement in &mut block.0 {
        match statement {
            Statement::Assign { target, source } | Statement::AssignOnce { target, source } if *target == local => {
                *statement = Statement::AssignOnce { target: result, source: source.clone() };
            }
            _ => statement.blocks_mut().iter_mut().for_each(|block| give(block, local, result)),
        }
    }
}

/// Numbers the locals: parameters first, `input` and `data` among them, the others in the order in which they appear.
pub fn renumber(function: &mut Function, parameters: &[Local]) {
    let mut numbers: HashMap<Local, Local> = parameters.iter().copied().zip(0..).collect();
    let mut blocks = std::mem::take(&mut function.blocks);
    blocks.iter_mut().for_each(|block| renumber_block(block, &mut numbers));
    function.blocks = blocks;
    function.locals = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
}

fn renumber_block(block: &mut Block, numbers: &mut HashMap<Local, Local>) {
    for statement in &mut block.0 {
        statement.locals_mut(&mut |local| {
            let next = Local::try_from(numbers.len()).unwrap_or(Local::MAX);
            *local = *numbers.entry(*local).or_insert(next);
        });
        statement.blocks_mut().iter_mut().for_each(|block| renumber_block(block, numbers));
    }
}
