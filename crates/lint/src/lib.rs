//! The linter: files in, findings out, with no Kubernetes client. What `audit` and `serve` share with it – options, the policy
//! configuration, rules of a directory, the judgement of many objects – is here too.

pub mod checks;
pub mod config;
mod context;
pub mod disk;
mod fix;
mod inputs;
mod judge;
pub mod judgement;
pub mod lint;
pub mod options;
pub mod rules;
mod server;

pub use context::Live;
