//! The linter: files in, findings out, with no Kubernetes client. What `audit` and `serve` share with it – options, the policy
//! configuration, rules of a directory, the judgement of many objects – is here too.

mod baseline;
pub mod checks;
mod comments;
pub mod config;
mod context;
pub mod disk;
mod dispute;
mod edit;
mod fio;
mod fix;
mod helm;
mod inputs;
mod judge;
pub mod judgement;
mod kustomize;
pub mod lint;
pub mod options;
pub mod pictures;
mod prefilter;
mod program;
mod progress;
mod releases;
mod render;
pub mod rules;
mod server;
mod sight;
mod since;
pub mod tables;
pub mod tune;
mod undecided;
mod walk;
mod watch;
pub mod workspace;
mod yaml;

pub use context::Live;
pub use fix::Change;
