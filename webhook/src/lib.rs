//! The hosts of the walguard rules that a user runs: the admission webhook (`serve`) and the linter (`lint`).

pub mod audit;
pub mod checks;
pub mod cli;
mod cluster;
pub mod config;
pub mod disk;
mod judgement;
pub mod lint;
pub mod manifest;
mod options;
pub mod output;
pub mod rules;
pub mod serve;
