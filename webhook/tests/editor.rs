//! A session of an editor with `walguard lsp`, as an editor has it: JSON-RPC over standard input and output.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use common::Place;
use serde_json::{Value as Json, json};

/// Longer than any answer takes, on a machine that does something else.
const PATIENCE: Duration = Duration::from_secs(120);

struct Editor {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Json>,
    /// Notifications that came before an answer.
    early: Vec<Json>,
    requests: i64,
}

impl Editor {
    fn new(directory: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_walguard"))
            .args(["lsp", "--stdio"])
            .current_dir(directory)
            .env_remove("WALGUARD_CONFIG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    if let Some(bytes) = line.strip_prefix("Content-Length: ") {
                        length = bytes.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, input, messages, early: Vec::new(), requests: 0 }
    }

    fn say(&mut self, message: &Json) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Json) {
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The whole answer to a request.
    fn ask(&mut self, method: &str, params: Json) -> Json {
        self.requests += 1;
        let id = self.requests;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message.get("method").is_none() && message["id"] == id {
                return message;
            }
            self.early.push(message);
        }
    }

    fn result(&mut self, method: &str, params: Json) -> Json {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn notification(&mut self, wanted: impl Fn(&Json) -> bool) -> Json {
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if wanted(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    /// What is said of a version of a file.
    fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Json> {
        let said = self.notification(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        said["params"]["diagnostics"].as_array().unwrap().clone()
    }

    fn introduce(&mut self, folder: Option<&str>) -> Json {
        let folders = folder.map(|uri| json!([{"uri": uri, "name": "all"}]));
        let watched = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
        let said = self.result(
            "initialize",
            json!({"processId": null, "rootUri": null, "capabilities": watched, "workspaceFolders": folders}),
        );
        self.notify("initialized", json!({}));
        said
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, uri: &str, version: i64, text: &str) {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    /// Says goodbye; the exit code.
    fn leave(mut self) -> Option<i32> {
        assert_eq!(self.result("shutdown", Json::Null), Json::Null);
        self.notify("exit", Json::Null);
        self.child.wait().unwrap().code()
    }
}

fn uri(directory: &Path, name: &str) -> String {
    format!("file://{}/{name}", directory.display())
}

fn at(line: u32, character: u32) -> Json {
    json!({"line": line, "character": character})
}

fn here(uri: &str, line: u32, character: u32) -> Json {
    json!({"textDocument": {"uri": uri}, "position": at(line, character)})
}

fn codes(diagnostics: &[Json]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic["code"].as_str().unwrap_or("none")).collect()
}

/// A text with the edits of an action, which are one.
fn applied(text: &str, action: &Json, uri: &str) -> String {
    let [edit] = action["edit"]["changes"][uri].as_array().unwrap().as_slice() else { panic!("{action}") };
    let offset = |place: &Json| {
        let line = place["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut units = place["character"].as_u64().unwrap() as usize;
        let rest = text[start..].chars().take_while(|c| {
            let more = units > 0;
            units = units.saturating_sub(c.len_utf16());
            more
        });
        start + rest.map(char::len_utf8).sum::<usize>()
    };
    let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
    format!("{}{}{}", &text[..start], edit["newText"].as_str().unwrap(), &text[end..])
}

/// What is wrong with it: autovacuum is off. The elephant is two units of UTF-16.
const OFF: &str = "\
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: orders, namespace: shop}
spec:
  instances: 3
  imageName: ghcr.io/cloudnative-pg/postgresql:17.5
  postgresql:
    parameters:
      { application_name: \"🐘\", autovacuum: \"off\" }
  storage:
    size: 100Gi
";

#[test]
fn a_session() {
    let place = Place::new(&[("all/a.yaml", "")]);
    let folder = place.path().join("all");
    let mut editor = Editor::new(place.path());
    let said = editor.introduce(Some(&uri(&folder, "")));
    let can = &said["capabilities"];
    assert_eq!((&can["textDocumentSync"]["change"], &can["hoverProvider"]), (&json!(1), &json!(true)));
    assert_eq!(said["serverInfo"]["name"], "walguard");
    let watched = editor.notification(|message| message["method"] == "client/registerCapability");
    editor.say(&json!({"jsonrpc": "2.0", "id": watched["id"], "result": null}));

    // The text of the editor counts, not the empty file.
    let file = uri(&folder, "a.yaml");
    editor.open(&file, OFF);
    let diagnostics = editor.diagnostics(&file, 1);
    let off = diagnostics.iter().find(|diagnostic| diagnostic["code"] == "vacuum/autovacuum_off").unwrap();
    let range = json!({"start": at(8, 44), "end": at(8, 49)});
    assert_eq!((&off["range"], &off["source"]), (&range, &json!("walguard")), "{off}");

    let hover = editor.result("textDocument/hover", here(&file, 8, 45));
    let explained = hover["contents"]["value"].as_str().unwrap();
    assert!(explained.contains("`vacuum/autovacuum_off`") && explained.contains("*Fix:* set"), "{explained}");
    assert_eq!(hover["range"], range);
    let hover = editor.result("textDocument/hover", here(&file, 0, 3));
    assert_eq!(hover, Json::Null);

    let context = json!({"diagnostics": [off]});
    let asked = json!({"textDocument": {"uri": file}, "range": range, "context": context});
    let actions = editor.result("textDocument/codeAction", asked);
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert!(titles[0].starts_with("Set ") && titles[1].starts_with("Ignore vacuum/autovacuum_off here"), "{titles:?}");
    assert!(titles.contains(&"Apply all fixes of walguard in this file"), "{titles:?}");
    assert_eq!((&actions[0]["kind"], &actions[0]["isPreferred"]), (&json!("quickfix"), &json!(true)));

    // With the fix nothing of it is left.
    let on = applied(OFF, &actions[0], &file);
    assert_eq!(on, OFF.replace("\"off\"", "\"on\""));
    editor.change(&file, 2, &on);
    let rest = editor.diagnostics(&file, 2);
    assert!(!codes(&rest).contains(&"vacuum/autovacuum_off"), "{rest:?}");
    assert_eq!(rest.len(), diagnostics.len() - 1);

    // Nor with the comment that ignores it.
    let ignored = applied(OFF, &actions[1], &file);
    assert!(ignored.contains("\n      # walguard: ignore[vacuum/autovacuum_off] until="), "{ignored}");
    editor.change(&file, 3, &ignored);
    assert_eq!(codes(&editor.diagnostics(&file, 3)), codes(&rest));

    // What is being typed is no YAML, and what is known of the parameters is offered.
    let typing = OFF.replace("      { application_name: \"🐘\", autovacuum: \"off\" }\n", "      wal_comp\n");
    editor.change(&file, 4, &typing);
    let offered = editor.result("textDocument/completion", here(&file, 8, 14));
    let offered = offered.as_array().unwrap();
    let item = offered.iter().find(|item| item["label"] == "wal_compression").unwrap();
    assert_eq!(item["textEdit"]["newText"], "wal_compression: ");
    assert_eq!(item["textEdit"]["range"], json!({"start": at(8, 6), "end": at(8, 14)}));
    let typing = typing.replace("wal_comp\n", "wal_compression: l\n");
    editor.change(&file, 5, &typing);
    let offered = editor.result("textDocument/completion", here(&file, 8, 24));
    let labels: Vec<&str> = offered.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["pglz", "off", "lz4", "zstd"]);
    let hover = editor.result("textDocument/hover", here(&file, 8, 8));
    assert!(hover["contents"]["value"].as_str().unwrap().starts_with("**wal_compression**: "), "{hover}");

    let unknown = editor.ask("textDocument/rename", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let wrong = editor.ask("textDocument/hover", json!({"position": "here"}));
    assert_eq!(wrong["error"]["code"], -32602);

    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": file}}));
    let cleared = editor.notification(|message| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"].get("version").is_none()
    });
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn an_example_of_ours_shows_what_the_linter_finds() {
    let example = common::root().join("examples/cnpg/bad/wal-outgrows-volume.yaml");
    let text = std::fs::read_to_string(&example).unwrap();
    let found = Place::new(&[]).run(&["lint", "--format", "json", &example.to_string_lossy()]).json();
    let expected: Vec<Json> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| json!([finding["check"], finding["line"].as_u64().unwrap() - 1, finding["message"]]))
        .collect();
    assert!(!expected.is_empty());
    // Alone, as it is linted there: the examples beside it would be its surroundings.
    let place = Place::new(&[("a.yaml", &text)]);
    let mut editor = Editor::new(place.path());
    editor.introduce(None);
    let file = uri(place.path(), "a.yaml");
    editor.open(&file, &text);
    let shown: Vec<Json> = editor
        .diagnostics(&file, 1)
        .iter()
        .map(|diagnostic| json!([diagnostic["code"], diagnostic["range"]["start"]["line"], diagnostic["message"]]))
        .collect();
    assert_eq!(shown, expected);
    assert_eq!(editor.leave(), Some(0));
}

/// What is open and not saved is seen by its neighbours, and so are files that are not open.
#[test]
fn files_see_one_another() {
    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: ebs.csi.aws.com\nparameters: {type: gp2}\n";
    let cluster = OFF.replace("    size: 100Gi", "    size: 100Gi\n    storageClass: fast");
    let place = Place::new(&[("class.yaml", class), ("cluster.yaml", &cluster)]);
    let mut editor = Editor::new(place.path());
    editor.introduce(Some(&uri(place.path(), "")));
    let (one, other) = (uri(place.path(), "cluster.yaml"), uri(place.path(), "class.yaml"));
    editor.open(&one, &cluster);
    let before = editor.diagnostics(&one, 1);
    editor.open(&other, class);
    editor.diagnostics(&other, 1);
    editor.change(&other, 2, &class.replace("gp2", "st1"));
    editor.diagnostics(&other, 2);
    let after = editor
        .notification(|message| message["params"]["uri"] == one && message["params"]["diagnostics"] != json!(before));
    assert_ne!(after["params"]["diagnostics"], json!(before));
    assert_eq!(editor.leave(), Some(0));
}

/// The lines that a finding speaks of, in this file and in others.
#[test]
fn what_a_finding_speaks_of_is_linked() {
    let id = "storage/bandwidth_below_demand";
    let manifest = std::fs::read_to_string(common::root().join("rules/checks").join(id).join("fail.yaml")).unwrap();
    let (cluster, class) = manifest.split_once("---\n").unwrap();
    let place = Place::new(&[("class.yaml", class), ("cluster.yaml", cluster)]);
    let mut editor = Editor::new(place.path());
    editor.introduce(Some(&uri(place.path(), "")));
    let file = uri(place.path(), "cluster.yaml");
    editor.open(&file, cluster);
    let shown = editor.diagnostics(&file, 1);
    let found = shown.iter().find(|diagnostic| diagnostic["code"] == id).unwrap();
    let related = found["relatedInformation"].as_array().unwrap();
    let places: Vec<(&str, &Json, &Json)> = related
        .iter()
        .map(|one| {
            let location = &one["location"];
            (location["uri"].as_str().unwrap(), &location["range"]["start"]["line"], &one["message"])
        })
        .collect();
    let class = uri(place.path(), "class.yaml");
    let (line, cores) = (json!(12), json!("16 cores"));
    assert_eq!(places, [(class.as_str(), &json!(3), &json!("ESSD PL1")), (file.as_str(), &line, &cores)]);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn odd_input_is_survived() {
    let place = Place::new(&[]);
    let mut editor = Editor::new(place.path());
    editor.introduce(None);
    let file = uri(place.path(), "a%20b.yaml");
    for (version, text) in
        ["a: [", "\u{feff}kind: Cluster", "---\n---\n", "\0", "'", "a: 🐘\r\n\t- b", "{{ x }}"].iter().enumerate()
    {
        if version == 0 {
            editor.open(&file, text);
        } else {
            editor.change(&file, version as i64 + 1, text);
        }
        for (line, character) in [(0, 0), (0, 4), (7, 7), (u32::MAX, u32::MAX)] {
            editor.result("textDocument/hover", here(&file, line, character));
            editor.result("textDocument/completion", here(&file, line, character));
        }
    }
    editor.open("untitled:Untitled-1", OFF);
    assert_eq!(editor.result("textDocument/hover", here("untitled:Untitled-1", 0, 0)), Json::Null);
    editor.change("file:///nowhere.yaml", 2, "a");
    editor.notify("textDocument/didOpen", json!({"nothing": []}));
    editor.notify("$/setTrace", json!({"value": "off"}));
    // Part of a text, though whole ones were asked for.
    let part = json!({"range": {"start": at(0, 0), "end": at(9, 9)}, "text": "b: 1"});
    editor.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": file, "version": 50}, "contentChanges": [part]}),
    );
    editor.diagnostics(&file, 50);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_wrong_configuration_is_shown_where_it_is_wrong() {
    let place = Place::new(&[("walguard.yaml", "version: 1\nmode: enforced\n"), ("a.yaml", OFF)]);
    let mut editor = Editor::new(place.path());
    editor.introduce(Some(&uri(place.path(), "")));
    let (policy, file) = (uri(place.path(), "walguard.yaml"), uri(place.path(), "a.yaml"));
    editor.open(&policy, "version: 1\nmode: enforced\n");
    let wrong = editor.diagnostics(&policy, 1);
    assert!(wrong[0]["message"].as_str().unwrap().contains("did you mean enforce?"), "{wrong:?}");
    assert_eq!(wrong[0]["range"]["start"], at(1, 6));
    editor.open(&file, OFF);
    let said = editor.notification(|message| message["method"] == "window/showMessage");
    assert!(said["params"]["message"].as_str().unwrap().contains("the configuration is wrong"), "{said}");

    place.write("walguard.yaml", "version: 1\nchecks:\n  vacuum/autovacuum_off: {severity: off}\n");
    editor.notify("textDocument/didSave", json!({"textDocument": {"uri": policy}}));
    editor.change(&file, 2, OFF);
    let found = editor.diagnostics(&file, 2);
    assert!(!found.is_empty() && !codes(&found).contains(&"vacuum/autovacuum_off"), "{found:?}");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn an_editor_that_goes_is_no_success() {
    let place = Place::new(&[]);
    let mut editor = Editor::new(place.path());
    editor.introduce(None);
    let Editor { mut child, input, .. } = editor;
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(2));
}
