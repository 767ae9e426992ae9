//! Where the locals of a function are written and read.

use std::collections::HashMap;

use crate::{Block, FIRST_PARAMETER, Function, Local, Operand, Statement};

/// Where a local is written and read, by the positions of statements in the text of the function.
#[derive(Clone, Default, Debug)]
pub struct Uses {
    pub writes: usize,
    /// The position of the (last) write, and where what it is written for ends: its block, or the blocks of its scan.
    pub written: usize,
    pub scope_end: usize,
    pub grows: usize,
    pub last_grow: usize,
    /// Grows that stand in the very block of the write.
    pub grows_beside: usize,
    pub reads: usize,
    pub first_read: usize,
    pub last_read: usize,
    /// Read where only a local can stand.
    pub needs_local: bool,
    /// Where it is written first, and whether any write stands in a loop.
    first_written: usize,
    in_loop: bool,
}

impl Uses {
    fn read(&mut self, at: usize) {
        self.first_read = if self.reads == 0 { at } else { self.first_read.min(at) };
        self.last_read = at;
        self.reads += 1;
    }

    pub(crate) const fn reset_for_nothing(&self, at: usize) -> bool {
        self.first_written == at && !self.in_loop
    }

    pub(crate) const fn written_once(&self) -> bool {
        self.writes == 1 && !self.in_loop
    }

    /// Whether everything that reads the local comes after it was written, where that holds.
    #[must_use]
    pub const fn contained(&self) -> bool {
        self.writes == 1 && (self.reads == 0 || self.first_read > self.written && self.last_read < self.scope_end)
    }

    /// Whether the local is read only after the last part was added to it.
    #[must_use]
    pub const fn read_when_grown(&self) -> bool {
        self.reads == 0 || self.first_read > self.last_grow
    }
}

/// The uses of all locals of a function.
#[derive(Default, Debug)]
pub struct Survey {
    pub uses: HashMap<Local, Uses>,
    /// Whether the function changes `input` or `data` for a while.
    pub with: bool,
    /// The block that each local was last written in, to see which grows stand beside the write.
    block_of: HashMap<Local, usize>,
    position: usize,
    blocks: usize,
    loops: usize,
}

impl Survey {
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let mut survey = Self::default();
        for parameter in 0..FIRST_PARAMETER + function.parameters {
            survey.uses(parameter).scope_end = usize::MAX;
        }
        function.blocks.iter().for_each(|block| survey.block(block));
        survey
    }

    pub(crate) fn uses(&mut self, local: Local) -> &mut Uses {
        self.uses.entry(local).or_default()
    }

    fn block(&mut self, block: &Block) {
        self.blocks += 1;
        let number = self.blocks;
        let mut written = Vec::new();
        for statement in &block.0 {
            self.position += 1;
            self.statement(statement, number);
            let scan = matches!(statement, Statement::Scan { .. });
            self.loops += usize::from(scan);
            statement.blocks().iter().for_each(|block| self.block(block));
            self.loops -= usize::from(scan);
            if scan {
                // What a scan writes holds within its blocks.
                self.end_of(&statement.writes(), self.position);
            } else {
                written.extend(statement.writes());
            }
        }
        self.position += 1;
        self.end_of(&written, self.position);
    }

    fn end_of(&mut self, written: &[Local], end: usize) {
        for local in written {
            self.uses(*local).scope_end = end;
        }
    }

    fn statement(&mut self, statement: &Statement, block: usize) {
        let at = self.position;
        for operand in statement.operands() {
            if let Operand::Local(local) = operand {
                self.uses(*local).read(at);
            }
        }
        let defined = matches!(statement, Statement::IsDefined { .. } | Statement::IsUndefined { .. });
        for local in statement.reads() {
            let uses = self.uses(local);
            uses.read(at);
            uses.needs_local |= !defined;
        }
        if let Some(local) = statement.grows() {
            let beside = self.block_of.get(&local) == Some(&block);
            let uses = self.uses(local);
            uses.grows += 1;
            uses.grows_beside += usize::from(beside);
            uses.last_grow = at;
        }
        let in_loop = self.loops > 0;
        for local in statement.writes() {
            let uses = self.uses(local);
            uses.first_written = if uses.writes == 0 { at } else { uses.first_written };
            uses.in_loop |= in_loop;
            uses.writes += 1;
            uses.written = at;
            self.block_of.insert(local, block);
        }
        self.with |= matches!(statement, Statement::With { .. });
    }
}
