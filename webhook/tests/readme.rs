//! What the README and the docs show of walguard is what it prints: each console block is run, and the picture of the README compared.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::fs;
use std::process::Command;

use common::{files, root};

/// What a command of a block prints.
fn run(line: &str) -> String {
    let mut words = line.split_whitespace();
    let program = match words.next() {
        Some("walguard") => env!("CARGO_BIN_EXE_walguard"),
        Some("make") => "make",
        _ => panic!("a console block shows what a test can run, walguard or make: {line}"),
    };
    let output = Command::new(program).args(words).current_dir(root()).env_remove("WALGUARD_CONFIG").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn console_blocks_print_what_they_show() {
    let mut pages = files(&root().join("docs"), &["md"]);
    pages.extend(["README.md", "CONTRIBUTING.md", "policies/kubewarden/README.md"].map(|page| root().join(page)));
    let mut shown = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().unwrap();
            // A block may show several commands.
            for part in format!("\n{block}").split("\n$ ").skip(1) {
                let (line, expected) = part.split_once('\n').unwrap_or((part, ""));
                assert_eq!(run(line).trim_end(), expected.trim_end(), "{}: {line}", page.display());
                shown += 1;
            }
        }
    }
    assert!(shown >= 2, "only {shown} commands");
}

#[test]
fn the_picture_shows_what_is_printed() {
    let svg = fs::read_to_string(root().join("docs/pictures/lint.svg")).unwrap();
    let lines = svg.split("<text ").skip(1).map(|line| {
        let line = line.split("</text>").next().unwrap();
        let spans = line.split("</tspan>").filter_map(|span| Some(span.split_once("<tspan ")?.1.split_once('>')?.1));
        spans.collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    });
    let drawn: Vec<String> = lines.collect();
    let (command, drawn) = drawn.split_first().unwrap();
    let printed = run(command.strip_prefix('$').unwrap());
    let printed: Vec<&str> = printed.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(*drawn, printed, "run `make pictures`");
}
