//! Writes `rules.plan`, which `make generate` makes from `rules/`, as Rust.

use std::path::PathBuf;
use std::{env, fs, io};

/// What checks find that an administrator brings: the host knows.
const OWN: &str = "data.walguard.own.findings";
/// Modules to write: the compiler works on them side by side.
const MODULES: usize = 16;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=rules.plan");
    let plan = rego_plan::text::read(&fs::read_to_string("rules.plan")?)
        .map_err(|error| io::Error::other(format!("rules.plan, {error}; run `make generate`")))?;
    let source = rego_compiler::compile(&plan, &[OWN], MODULES).map_err(io::Error::other)?;
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("rules.rs"), source.root)?;
    for (number, module) in source.modules.iter().enumerate() {
        fs::write(out.join(format!("m{number}.rs")), module)?;
    }
    Ok(())
}
