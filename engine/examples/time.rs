use std::time::Instant;
#[global_allocator]
static A: mimalloc::MiMalloc = mimalloc::MiMalloc;
use walguard_engine::{Engine, Review, Rules, value};
fn walk(d: &std::path::Path, root: &std::path::Path, out: &mut Vec<(String, String)>) {
    for e in std::fs::read_dir(d).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            walk(&p, root, out)
        } else if p.extension().is_some_and(|x| x == "rego" || x == "json") {
            out.push((p.strip_prefix(root).unwrap().display().to_string(), std::fs::read_to_string(&p).unwrap()))
        }
    }
}
fn cpu() -> f64 { let s = std::fs::read_to_string("/proc/self/schedstat").unwrap(); s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9 }
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(2).unwrap()).unwrap();
    let dir = std::env::args().nth(1).unwrap();
    let mut files = vec![];
    walk(dir.as_ref(), dir.as_ref(), &mut files);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    if let Some(q) = std::env::args().nth(3) {
        let mut e = regorus::Engine::new(); e.set_strict_builtin_errors(false);
        let rules = Rules::from_files(files.clone());
        for (n, t) in &files { if n.ends_with(".json") { let mut nested: serde_json::Value = serde_json::from_str(t).unwrap(); let mut parts: Vec<&str> = n.trim_end_matches(".json").split('/').collect(); parts.insert(0, "walguard"); for p in parts.iter().rev() { nested = serde_json::json!({*p: nested}); } e.add_data(value(nested)).unwrap(); } }
        let tables: Vec<String> = files.iter().filter_map(|(n, _)| n.strip_suffix(".json")).map(|s| format!("walguard.{}", s.replace('/', "."))).collect();
        let linked = walguard_engine::link::link(rules.modules().map(|(_, s)| s), &tables);
        std::fs::write("/tmp/wg/linked.rego", &linked).unwrap();
        e.add_policy("x".into(), linked).unwrap();
        e.set_input(value(serde_json::json!({"review": {"object": object}})));
        let r = format!("data.walguard_linked.{q}");
        let x = e.eval_rule(r.clone());
        if std::env::var("V").is_ok() { println!("{}", serde_json::to_string_pretty(&x.unwrap()).unwrap()); }
        let n = 300; let c0 = cpu(); for _ in 0..n { let _ = e.eval_rule(r.clone()); } println!("{q} {:.0} us cpu", (cpu() - c0) * 1e6 / f64::from(n));
        return;
    }
    let t = Instant::now();
    let mut e = match Engine::new(&Rules::from_files(files)) {
        Ok(e) => e,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    println!("load {:?}", t.elapsed());
    let request = if object.get("object").is_some() { object } else { serde_json::json!({"object": object}) };
    let r = Review { request: value(request), inventory: None, configuration: None, now: None };
    for f in e.judge(&r).unwrap() {
        println!("{} {} {} {}", f.severity, f.check, f.field(), f.message);
    }
    let c0 = cpu(); for _ in 0..300 { let _ = e.judge(&r).unwrap(); } println!("cpu per review {:.0} us", (cpu() - c0) * 1e6 / 300.0);
    let mut v = vec![];
    for _ in 0..(std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(300)) {
        let t = Instant::now();
        let _ = e.judge(&r).unwrap();
        v.push(t.elapsed());
    }
    v.sort();
    println!("median {:?}", v[v.len() / 2]);
}
