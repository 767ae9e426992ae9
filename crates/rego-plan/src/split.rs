//! The planner uses the number of a local again where blocks do not overlap. Each use becomes a local of its own, so that one
//! write and what reads it can be looked at alone.

use std::collections::HashMap;

use crate::{Block, FIRST_PARAMETER, Function, Local, Operand, Statement, locals};

/// Where a value is written, and where the block ends that it is written for.
#[derive(Clone, Copy)]
struct Region {
    start: usize,
    end: usize,
}

#[derive(Default)]
struct Survey {
    regions: HashMap<Local, Vec<Region>>,
    /// Where a local is used without a new value being written.
    uses: HashMap<Local, Vec<usize>>,
    position: usize,
}

impl Survey {
    fn block(&mut self, block: &Block) {
        let mut open: Vec<(Local, usize)> = Vec::new();
        for statement in &block.0 {
            self.position += 1;
            let at = self.position;
            let read = statement.operands().into_iter().filter_map(|operand| match operand {
                Operand::Local(local) => Some(*local),
                Operand::Constant(_) => None,
            });
            let mut used: Vec<Local> = read.chain(statement.reads()).chain(statement.grows()).collect();
            let scan = matches!(statement, Statement::Scan { .. });
            if matches!(statement, Statement::AssignOnce { .. }) {
                used.extend(statement.writes());
            } else if !scan {
                open.extend(statement.writes().into_iter().map(|local| (local, at)));
            }
            for local in used {
                self.uses.entry(local).or_default().push(at);
            }
            statement.blocks().iter().for_each(|block| self.block(block));
            if scan {
                let region = Region { start: at, end: self.position };
                for local in statement.writes() {
                    self.regions.entry(local).or_default().push(region);
                }
            }
        }
        self.position += 1;
        for (local, start) in open {
            self.regions.entry(local).or_default().push(Region { start, end: self.position });
        }
    }
}

/// Gives every use of a local its own number.
pub fn split(function: &mut Function) {
    let mut survey = Survey::default();
    function.blocks.iter().for_each(|block| survey.block(block));
    let mut next = locals(function);
    let mut numbers: HashMap<Local, Vec<(Region, Local)>> = HashMap::new();
    for (local, mut regions) in survey.regions {
        if local < FIRST_PARAMETER + function.parameters {
            continue;
        }
        regions.sort_by_key(|region| region.start);
        let mut apart: Vec<Region> = Vec::new();
        for region in regions {
            match apart.last_mut() {
                Some(last) if region.start <= last.end => last.end = last.end.max(region.end),
                _ => apart.push(region),
            }
        }
        let uses = survey.uses.remove(&local).unwrap_or_default();
        // What is read where a value was written reads that value: its own region's first statement comes before.
        let covered = uses.iter().all(|at| apart.iter().any(|region| region.start < *at && *at < region.end));
        if apart.len() < 2 || !covered {
            continue;
        }
        let renamed = apart.into_iter().map(|region| {
            next += 1;
            (region, next - 1)
        });
        numbers.insert(local, renamed.collect());
    }
    let mut renamer = Renamer { numbers, position: 0 };
    function.blocks.iter_mut().for_each(|block| renamer.block(block));
}

struct Renamer {
    numbers: HashMap<Local, Vec<(Region, Local)>>,
    position: usize,
}

impl Renamer {
    fn block(&mut self, block: &mut Block) {
        for statement in &mut block.0 {
            self.position += 1;
            let at = self.position;
            statement.locals_mut(&mut |local| {
                let regions = self.numbers.get(local).map(Vec::as_slice).unwrap_or_default();
                if let Some((_, number)) = regions.iter().find(|(region, _)| region.start <= at && at < region.end) {
                    *local = *number;
                }
            });
            statement.blocks_mut().iter_mut().for_each(|block| self.block(block));
        }
        self.position += 1;
    }
}
