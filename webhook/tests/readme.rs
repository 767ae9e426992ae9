//! What the README and the docs show of walguard is what it prints: each console block that begins with `$ walguard` is run.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::process::Command;

use common::{files, root};

#[test]
fn console_blocks_print_what_they_show() {
    let mut pages = files(&root().join("docs"), &["md"]);
    pages.push(root().join("README.md"));
    let mut shown = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let Some(rest) = block.strip_prefix("$ walguard ") else { continue };
            let (arguments, expected) = rest.split_once('\n').unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_walguard"))
                .args(arguments.split_whitespace())
                .current_dir(root())
                .env_remove("WALGUARD_CONFIG")
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{}: walguard {arguments}", page.display());
            shown += 1;
        }
    }
    assert!(shown >= 2, "only {shown} blocks");
}
