//! Writes a plan of Rego rules as Rust that calls `rego-runtime`.
//!
//! A rule becomes a function, a local a variable, a block a labelled block, and what is undefined leaves it by `break`. Rules that
//! are constants become statics; what a rule without parameters gives is remembered for the rest of the evaluation.
//!
//! - [`program`] looks at the rules together: which are constant, which depend on `input`, which number each has;
//! - [`shape`] looks at one rule: which locals are variables of which kind, and where they live;
//! - [`emit`] writes it;
//! - [`constants`] collects texts and collections;
//! - [`patterns`] finds the regular expressions among the texts.

mod constants;
mod emit;
mod patterns;
mod program;
mod shape;

use rego_plan::Plan;

pub use program::{Marked, Unsupported};

/// The Rust source of a plan.
#[derive(Debug)]
pub struct Source {
    /// The root: texts, constants, the list of rules.
    pub root: String,
    /// Modules `m0`, `m1`, … beside it, each with some of the rules.
    pub modules: Vec<String>,
}

/// Writes a plan as Rust: a root and `modules` modules, of which the root knows as `m0`, `m1`, ….
///
/// # Errors
/// When a rule does something that the planner has not done so far, or is marked as what it is not.
pub fn compile(plan: &Plan, marked: Marked<'_>, modules: usize) -> Result<Source, Unsupported> {
    let program = program::Program::of(plan, marked)?;
    let mut constants = constants::Constants::of(plan);
    let mut sources = vec![String::from(emit::HEAD); modules.max(1)];
    // Rules that call one another stand beside one another, which the names see to.
    let each = program.rules.len().div_ceil(sources.len()).max(1);
    for (index, rule) in program.rules.iter().enumerate() {
        emit::rule(&program, rule, &mut constants, &mut sources[index / each])?;
    }
    Ok(Source { root: emit::root(&program, &constants, &patterns::of(plan), sources.len(), each), modules: sources })
}
