//! The rules of `rules/`, compiled: `build.rs` writes [`RULES`] from `rules.plan`.

#![allow(
    clippy::all,
    clippy::pedantic,
    unreachable_code,
    unused_assignments,
    unused_imports,
    unused_labels,
    unused_mut,
    unused_must_use,
    unused_qualifications,
    unused_variables,
    dead_code
)]

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The plan that the rules were compiled from.
pub static PLAN: &str = include_str!("../rules.plan");
