#![allow(clippy::unwrap_used, clippy::print_stdout)]
fn main() {
    let mut args = std::env::args().skip(1);
    let plan = rego_plan::text::read(&std::fs::read_to_string(args.next().unwrap()).unwrap()).unwrap();
    let out = std::path::PathBuf::from(args.next().unwrap());
    let source = rego_compiler::compile(&plan, 16).unwrap();
    std::fs::write(out.join("rules.rs"), source.root).unwrap();
    for (i, m) in source.modules.iter().enumerate() { std::fs::write(out.join(format!("m{i}.rs")), m).unwrap(); }
}
