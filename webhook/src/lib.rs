//! The hosts of the walguard rules that a user runs: the admission webhook (`serve`) and the linter (`lint`).

pub mod checks;
pub mod cli;
pub mod config;
pub mod disk;
pub mod lint;
pub mod manifest;
pub mod output;
pub mod rules;
pub mod serve;
