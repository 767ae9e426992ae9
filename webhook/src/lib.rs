//! The hosts of the walguard rules that a user runs: the command line, the admission webhook (`serve`) and the judgement of a live
//! cluster (`audit`).

#[cfg(feature = "cluster")]
pub mod audit;
pub mod cli;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "cluster")]
pub mod serve;
