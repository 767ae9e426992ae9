//! A check made by `make new-check` works in the linter, the webhook and conftest, with no Rust edit.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/serve.rs"]
mod harness;

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use common::{Place, bundle, conftest, root};
use harness::{Server, create};
use serde_json::Value;
use walguard_manifest as manifest;

const ID: &str = "testing/made_by_hand";

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The rules without tests, and without the tables of which there are twins.
fn copy_rego(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_rego(&path, &target)?;
        } else if path.extension().is_some_and(|extension| extension == "rego") {
            fs::copy(path, target)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_new_check_works_in_every_host() {
    let place = Place::new(&[]);
    let rules = place.path().join("rules");
    copy(&root().join("rules"), &rules).unwrap();
    for file in ["Cargo.toml", "Chart.yaml", "README.md", "values.schema.json", "values.yaml"] {
        fs::copy(root().join(file), place.path().join(file)).unwrap();
    }
    // Whatever carries an address of the project is generated too.
    for directory in ["policies", "docs", "dist/install", "editors/zed"] {
        copy(&root().join(directory), &place.path().join(directory)).unwrap();
    }
    fs::create_dir_all(place.path().join("editors/vscode")).unwrap();
    for file in ["README.md", "extension.js", "package.json"] {
        let file = Path::new("editors/vscode").join(file);
        fs::copy(root().join(&file), place.path().join(&file)).unwrap();
    }
    let claims = place.path().join("tests/postgres");
    fs::create_dir_all(&claims).unwrap();
    fs::copy(root().join("tests/postgres/claims.json"), claims.join("claims.json")).unwrap();
    copy(&root().join("tests/incidents"), &place.path().join("tests/incidents")).unwrap();
    // What `make new-check ID=…` runs; built with the workspace, whose dependencies are compiled already.
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bin", "xtask"])
        .current_dir(root())
        .status()
        .unwrap();
    assert!(built.success());
    let xtask = Path::new(env!("CARGO_BIN_EXE_walguard")).with_file_name("xtask");
    let made = Command::new(xtask)
        .args(["new-check", ID])
        .current_dir(root())
        .env("WALGUARD_ROOT", place.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let file = |name: &str| format!("rules/checks/{ID}/{name}.yaml");

    // The embedded rules know nothing of it before they are built again; a bundle of all rules takes their place.
    let whole = place.path().join("whole");
    copy_rego(&rules, &whole).unwrap();
    let catalogue = fs::read_to_string(rules.join("catalogue.json")).unwrap();
    fs::write(whole.join("catalogue.json"), format!("{{\"catalogue\": {catalogue}}}")).unwrap();
    let bundle = bundle(&whole, &walguard_engine::Rules::ENTRYPOINTS);
    let lint =
        |file: &str| place.run(&["lint", "--rules", "whole.tar.gz", "--select", ID, "--format", "json", file]).json();
    let found = lint(&file("fail"));
    let finding = &found["findings"][0];
    assert_eq!(finding["check"], ID);
    assert_eq!(finding["remediation"], "What to do about it, in one sentence.");
    assert_eq!(lint(&file("pass"))["findings"].as_array().unwrap().len(), 0);
    assert!(place.run(&["checks", "explain", ID, "--rules", "whole.tar.gz"]).stdout.contains(ID));

    let by_conftest = |file: &str| {
        let output = Command::new(conftest())
            .args(["test", "-p", "rules", "--output", "json", file])
            .current_dir(place.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let named = format!("\"check\": \"{ID}\"");
    assert!(by_conftest(&file("fail")).contains(&named));
    assert!(!by_conftest(&file("pass")).contains(&named));

    let server = Server::start(&["--rules", bundle.to_str().unwrap()]);
    let object = |file: &str| -> Value {
        let bytes = fs::read(place.path().join(file)).unwrap();
        manifest::read(file, bytes).documents.into_iter().find(|d| d.value["kind"] == "Cluster").unwrap().value
    };
    let warned = server.review(create(object(&file("fail")))).await["warnings"].to_string();
    assert!(warned.contains(ID), "{warned}");
    let warned = server.review(create(object(&file("pass")))).await["warnings"].to_string();
    assert!(!warned.contains(ID), "{warned}");
}
