//! Runs the programs that render manifests, with an end.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any repository needs; a program that waits for a network or an answer never ends by itself.
const LIMIT: Duration = Duration::from_secs(60);

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
    let complaint = String::from_utf8_lossy(&err);
    let line = complaint.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it failed");
    Err(format!("{program}: {}", unlogged(line).chars().take(200).collect::<String>()))
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
    use super::unlogged;

    #[test]
    fn a_complaint_is_the_same_each_time() {
        let logged = r#"E1127 21:24:20.435834    2478 run.go:72] "command failed" err="loading KV pairs: \"env/a.env\" not found""#;
        assert_eq!(unlogged(logged), r#"loading KV pairs: "env/a.env" not found"#);
        assert_eq!(unlogged("Error: no such file"), "Error: no such file");
    }
}
