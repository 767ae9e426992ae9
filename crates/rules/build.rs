//! Writes `rules.plan`, which `make generate` makes from `rules/`, as Rust.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use rego_compiler::Marked;

/// What checks find that an administrator brings: the host knows.
const OWN: &str = "data.walguard.own.findings";
/// What is found once among many objects, for all reviews with the same ones in sight.
const INDEXES: &str = "data.walguard.lib.index";
/// Modules to write: the compiler works on them side by side.
const MODULES: usize = 16;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=rules.plan");
    let plan = rego_plan::text::read(&fs::read_to_string("rules.plan")?)
        .map_err(|error| io::Error::other(format!("rules.plan, {error}; run `make generate`")))?;
    let source = rego_compiler::compile(&plan, Marked { left: &[OWN], indexes: Some(INDEXES) }, MODULES)
        .map_err(io::Error::other)?;
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    write(&out.join("rules.rs"), &source.root)?;
    for (number, module) in source.modules.iter().enumerate() {
        write(&out.join(format!("m{number}.rs")), module)?;
    }
    Ok(())
}

/// Writes a new file in the place of the old one, which a copy of the target directory by hard links shares.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}
