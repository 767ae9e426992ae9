//! Generated from Cargo.toml by "make generate". Do not edit.

/// The repository; empty while nothing is published.
pub const REPOSITORY: &str = "";
/// The site of the documentation, which has a page for every check; empty while nothing is published.
pub const DOCS: &str = "";
