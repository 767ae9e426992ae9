//! Ends a function as soon as its value is known.
//!
//! The planner evaluates every definition of a rule, and every round of a loop in it, and lets each be the value "once": that is how a
//! conflict is found. Where there can be none – all values of the rule are one constant, or its definitions are alternatives of which
//! the first wins – what comes later changes nothing, and OPA's own evaluator leaves early, too.

use std::collections::HashSet;

use crate::simplify::handed_on;
use crate::{Block, Constant, Function, Local, Operand, Statement};

/// Returns a value where it is known, instead of keeping it to the end.
pub fn leave_early(function: &mut Function) {
    let Some(results) = results(function) else { return };
    let Some(sites) = sites(function, &results) else { return };
    let ends: Vec<bool> = match sites.as_slice() {
        sites if one_constant(sites) => vec![true; sites.len()],
        sites if one_after_the_other(function, sites, &results) => sites.iter().map(|site| ends(site, sites)).collect(),
        _ => return,
    };
    if !ends.contains(&true) {
        return;
    }
    let all = ends.iter().all(|ends| *ends);
    let mut writer = Writer { results: &results, ends: ends.into_iter(), all };
    function.blocks.iter_mut().for_each(|block| writer.block(block));
    if all {
        // Nothing but the returns is left of the results: no hand-on, and undefined at the end.
        function.blocks.retain(|block| !block.0.is_empty() && !hands_on(block, &results) && !returns(block, &results));
    }
}

/// Where a result is given a value.
struct Site {
    /// Of the blocks of the function, which one.
    block: usize,
    value: Operand,
    in_loop: bool,
    /// It stands alone, behind a look at whether there is a value yet: the value of a `default`.
    last_resort: bool,
}

/// The local that the function returns, and those whose values are handed on to it.
fn results(function: &Function) -> Option<HashSet<Local>> {
    let [.., Block(last)] = function.blocks.as_slice() else { return None };
    let [Statement::Return { source: Operand::Local(result) }] = last.as_slice() else { return None };
    let mut results = HashSet::from([*result]);
    results.extend(function.blocks.iter().filter_map(|block| handed_on(block, *result)));
    let parameters = crate::FIRST_PARAMETER + function.parameters;
    results.iter().all(|local| *local >= parameters).then_some(results)
}

fn hands_on(block: &Block, results: &HashSet<Local>) -> bool {
    results.iter().any(|result| handed_on(block, *result).is_some_and(|from| results.contains(&from)))
}

fn returns(block: &Block, results: &HashSet<Local>) -> bool {
    matches!(block.0.as_slice(), [Statement::Return { source: Operand::Local(local) }] if results.contains(local))
}

/// Where results get their values, in order; nothing where they are used for anything else.
fn sites(function: &Function, results: &HashSet<Local>) -> Option<Vec<Site>> {
    let mut sites = Vec::new();
    let last = function.blocks.len() - 1;
    for (number, block) in function.blocks.iter().enumerate() {
        if number < last && !hands_on(block, results) {
            let last_resort = matches!(block.0.as_slice(), [Statement::IsUndefined { .. }, _]);
            collect(block, results, false, &mut |value, in_loop| {
                sites.push(Site { block: number, value: value.clone(), in_loop, last_resort });
            })?;
        }
    }
    Some(sites)
}

fn collect(
    block: &Block,
    results: &HashSet<Local>,
    in_loop: bool,
    found: &mut impl FnMut(&Operand, bool),
) -> Option<()> {
    let result = |operand: &Operand| matches!(operand, Operand::Local(local) if results.contains(local));
    for statement in &block.0 {
        match statement {
            Statement::Assign { target, source } | Statement::AssignOnce { target, source }
                if results.contains(target) && !result(source) =>
            {
                found(source, in_loop);
            }
            Statement::Reset { .. } | Statement::IsUndefined { .. } => {}
            Statement::Scan { source, block, .. } if !result(source) => collect(block, results, true, found)?,
            Statement::Blocks(blocks) => {
                blocks.iter().try_for_each(|block| collect(block, results, in_loop, found))?;
            }
            other => {
                // A `with` has to be undone, and what stands in a `not` ends nothing.
                let used = |statement: &Statement| {
                    matches!(statement, Statement::With { .. } | Statement::Return { .. })
                        || statement.operands().into_iter().any(result)
                        || (statement.reads().iter().chain(&statement.writes()).chain(&statement.grows()))
                            .any(|local| results.contains(local))
                };
                let mut any = used(other);
                other.blocks().iter().for_each(|block| block.visit(&mut |statement| any |= used(statement)));
                if any {
                    return None;
                }
            }
        }
    }
    Some(())
}

/// Whether all values but that of a `default` are one constant.
fn one_constant(sites: &[Site]) -> bool {
    let proper = match sites {
        [proper @ .., last] if last.last_resort && matches!(last.value, Operand::Constant(_)) => proper,
        all => all,
    };
    let mut values = proper.iter().map(|site| constant(&site.value));
    match values.next() {
        Some(Some(first)) => values.all(|value| value == Some(first)),
        _ => false,
    }
}

const fn constant(operand: &Operand) -> Option<&Constant> {
    match operand {
        Operand::Constant(constant) => Some(constant),
        Operand::Local(_) => None,
    }
}

/// Whether each block of the function that gives a value is passed by where there is one already.
fn one_after_the_other(function: &Function, sites: &[Site], results: &HashSet<Local>) -> bool {
    if results.len() > 2 {
        return false;
    }
    let resets = |block: &Block| {
        let mut resets = 0;
        block.visit(&mut |statement| {
            resets += usize::from(matches!(statement, Statement::Reset { target } if results.contains(target)));
        });
        resets
    };
    let passed_by = |block: &Block| {
        matches!(block.0.first(), Some(Statement::IsUndefined { source }) if results.contains(source))
            && resets(block) == 0
    };
    let begins = |block: &Block| {
        resets(block)
            == usize::from(matches!(block.0.first(), Some(Statement::Reset { target }) if results.contains(target)))
    };
    sites.iter().all(|site| {
        let block = &function.blocks[site.block];
        if site.block == sites[0].block { begins(block) || passed_by(block) } else { passed_by(block) }
    }) && function.blocks.iter().filter(|block| hands_on(block, results)).count() < 2
}

/// Whether the function may end with the value: no other value of the same block can come after it.
fn ends(site: &Site, sites: &[Site]) -> bool {
    let mut beside = sites.iter().filter(|other| other.block == site.block);
    match constant(&site.value) {
        Some(value) => beside.all(|other| constant(&other.value) == Some(value)),
        None => !site.in_loop && beside.count() == 1,
    }
}

struct Writer<'r, E> {
    results: &'r HashSet<Local>,
    /// For each site in order whether the function ends there.
    ends: E,
    all: bool,
}

impl<E: Iterator<Item = bool>> Writer<'_, E> {
    fn block(&mut self, block: &mut Block) {
        let is_hand_on = hands_on(block, self.results);
        let mut kept = Vec::with_capacity(block.0.len());
        for mut statement in std::mem::take(&mut block.0) {
            match &statement {
                Statement::Assign { target, source } | Statement::AssignOnce { target, source }
                    if self.results.contains(target) && !is_hand_on && self.ends.next() == Some(true) =>
                {
                    statement = Statement::Return { source: source.clone() };
                }
                Statement::Reset { target: local } | Statement::IsUndefined { source: local }
                    if self.all && self.results.contains(local) =>
                {
                    continue;
                }
                _ => {}
            }
            statement.blocks_mut().iter_mut().for_each(|block| self.block(block));
            kept.push(statement);
        }
        block.0 = kept;
    }
}
