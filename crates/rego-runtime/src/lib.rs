//! Rego at run time, with OPA's meaning: what the Rust code that `rego-compiler` writes calls, and an interpreter of the same
//! plans for rules that come at run time.
//!
//! An evaluation has a [`Context`]: an arena that everything it makes lives in, the documents `input` and `data`, the limits.
//! Its [`Value`]s are 16 bytes and `Copy`; when the evaluation is over the arena goes, and nothing is counted or dropped one by
//! one. What outlives an evaluation – an inventory, a configuration – is [`Kept`]: owned, shared between threads, and read in
//! place.
//!
//! ```
//! use rego_runtime::{Arena, Context, Limits, Words};
//!
//! let arena = Arena::new();
//! let context = Context::new(&arena, &Words::NONE, Limits::default());
//! let input = context.parse(br#"{"a": [1, 2.50]}"#).expect("JSON");
//! assert_eq!(context.dot(input, context.text("a")).to_json(), "[1,2.50]");
//! ```

mod access;
mod builder;
pub mod builtins;
pub mod compiled;
mod context;
mod float;
mod indexes;
mod interpret;
mod json;
mod kept;
mod limits;
mod number;
mod patterns;
mod read;
mod value;
mod words;

/// A text that values share, behind a thin pointer.
pub use arcstr::ArcStr;
/// What an evaluation allocates from.
pub use bumpalo::Bump as Arena;

pub use access::Entries;
pub use builder::Builder;
pub use compiled::Compiled;
pub use context::{Context, Extension, Saved};
pub use indexes::{Held, Indexes};
pub use interpret::{Interpreter, ProgramError, Surroundings};
pub use json::JsonError;
pub use kept::{Fields, Kept, WrongType};
pub use limits::{Ended, Limits, Stop};
pub use number::Number;
pub use patterns::Patterns;
pub use value::{Object, Value};
pub use words::Words;

/// What an evaluation gives: a value, [`Value::Undefined`] where there is none, or that it ended early.
pub type Answer<'a> = Result<Value<'a>, Ended>;
