//! Findings of every line of standard input, an input as JSON each.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
use std::io::BufRead as _;
use walguard_engine::{Engine, Rules};
fn main() {
    let rules = if std::env::args().nth(1).as_deref() == Some("interpreted") {
        Rules::interpreted(&Rules::plan().unwrap(), Rules::embedded().catalogue().unwrap()).unwrap()
    } else {
        Rules::embedded()
    };
    let mut engine = Engine::new(&rules).unwrap();
    let lines: Vec<String> = std::io::stdin().lock().lines().map_while(Result::ok).collect();
    let started = std::time::Instant::now();
    let n = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(1);
    for i in 0..n {
        for line in &lines {
            let answer = engine.evaluate_json(line.as_bytes());
            if i > 0 {
                continue;
            }
            match answer {
                Ok(findings) => println!("{{\"findings\":{findings}}}"),
                Err(error) => println!("{{\"error\":{:?}}}", error.to_string()),
            }
        }
    }
    eprintln!("{} lines × {n}, {:?}", lines.len(), started.elapsed() / (n * lines.len() as u32));
}
