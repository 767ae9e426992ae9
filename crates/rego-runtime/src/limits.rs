//! How long an evaluation may take, and how much memory.

use std::time::Instant;

/// What an evaluation may use. Every loop looks at both limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// When it ends at the latest.
    pub deadline: Option<Instant>,
    /// Bytes of memory it may take, its input included.
    pub memory: Option<usize>,
}

/// Why an evaluation ended without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    #[error("the deadline has passed")]
    Deadline,
    #[error("the limit of memory is reached")]
    Memory,
    /// A rule has two values at once. Which rule, [`crate::Context::conflict_in`] says.
    #[error("a rule has more than one value")]
    Conflict,
    #[error("the rules call one another too deeply")]
    Depth,
}

/// An evaluation ended without a value; why, [`crate::Context::stopped`] says. Being empty it costs an answer no room: that of a
/// rule is returned in two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the evaluation ended early")]
pub struct Ended;
