//! Runs the programs that render manifests, with an end.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any repository needs; a program that waits for a network or an answer never ends by itself.
const LIMIT: Duration = Duration::from_secs(60);
/// What helm adds below every error of a template.
const ADVICE: &str = "Use --debug flag";

/// Whether a program is in the path.
pub fn is_here(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|directory| directory.join(program).is_file())
}

/// What a program writes on standard output.
///
/// # Errors
/// In one line: that it cannot be started, does not end, or what it complains of.
pub fn output(program: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| format!("{program} cannot be started: {error}"))?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let out = thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = &mut out {
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    });
    let err = thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = &mut err {
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    });
    let end = Instant::now() + LIMIT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{program} did not end within {} s", LIMIT.as_secs()));
            }
            Err(error) => return Err(format!("{program}: {error}")),
        }
    };
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    if status.success() {
        return Ok(out);
    }
    Err(format!("{program}: {}", cause(&String::from_utf8_lossy(&err))))
}

/// What a program complains of at last, on one line: with the lines above where those at the end only go on, and without helm's advice.
fn cause(complaint: &str) -> String {
    const LIMIT: usize = 300;
    let lines: Vec<&str> =
        complaint.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(ADVICE)).collect();
    let start = lines.iter().rposition(|line| !line.starts_with([' ', '\t'])).unwrap_or(0);
    let lines: Vec<String> = lines[start..].iter().map(|line| unlogged(line.trim())).collect();
    let cut = |text: &str| text.chars().take(LIMIT).collect::<String>();
    match (lines.as_slice(), lines.join(" ")) {
        ([], _) => "it failed".to_owned(),
        // Templates that call one another: where it began and what it is.
        ([first, .., last], whole) if whole.chars().count() > LIMIT => format!("{} … {}", cut(first), cut(last)),
        (_, whole) => cut(&whole),
    }
}

/// What a line of a log says: kubectl puts the time, its process and a place of its source before (`E1127 21:24:20.435834 2478 run.go:72]
/// "command failed" err="…"`), which are others each time.
fn unlogged(line: &str) -> String {
    match line.split_once("] \"command failed\" err=") {
        Some((_, error)) => serde_json::from_str(error).unwrap_or_else(|_| error.to_owned()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{cause, unlogged};

    #[test]
    fn a_complaint_is_the_same_each_time() {
        let logged = r#"E1127 21:24:20.435834    2478 run.go:72] "command failed" err="loading KV pairs: \"env/a.env\" not found""#;
        assert_eq!(unlogged(logged), r#"loading KV pairs: "env/a.env" not found"#);
        assert_eq!(unlogged("Error: no such file"), "Error: no such file");
    }

    #[test]
    fn the_cause_of_a_failure_is_shown() {
        assert_eq!(
            cause(
                "level=WARN msg=\"x\"\nError: a/b.yaml:9:74\n  executing \"a/b.yaml\" at <.Values.c>:\n    nil pointer\n\nUse --debug flag to render out invalid YAML\n"
            ),
            "Error: a/b.yaml:9:74 executing \"a/b.yaml\" at <.Values.c>: nil pointer"
        );
        assert_eq!(
            cause(
                "Error: execution error at (a/b.yaml:66:52): pin it\n\nUse --debug flag to render out invalid YAML\n"
            ),
            "Error: execution error at (a/b.yaml:66:52): pin it"
        );
        assert_eq!(cause("first\nlast\n"), "last");
        assert_eq!(cause(" \n"), "it failed");
        let long = format!("Error: a\n  {}\n  nil pointer\n", "x".repeat(400));
        assert_eq!(cause(&long), "Error: a … nil pointer");
    }
}
