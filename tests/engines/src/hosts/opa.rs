//! OPA, whose word counts: its library with a prepared query (tests/engines/opa).

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value as Json;

use crate::review::Review;
use crate::verdict::{self, Verdict};

pub struct Opa(Lines);

impl Opa {
    /// # Errors
    /// When it does not start.
    pub fn start(program: &Path, rules: &Path) -> Result<Self> {
        Ok(Self(Lines::start(Command::new(program).arg(rules))?))
    }

    /// # Errors
    /// When the program ends.
    pub fn judge(&mut self, reviews: &[Review]) -> Result<Vec<Verdict>> {
        let answers = self.0.ask(reviews.iter().map(Review::text))?;
        Ok(answers.into_iter().map(read).collect())
    }
}

/// `{"findings": […]}` or `{"error": "…"}`.
pub fn read(answer: Json) -> Verdict {
    match answer["error"].as_str() {
        Some(error) => Verdict::Error(error.to_owned()),
        None => Verdict::Findings(verdict::set(answer["findings"].as_array().cloned().unwrap_or_default())),
    }
}

/// A program that answers a line of JSON with a line of JSON.
pub struct Lines {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Lines {
    /// # Errors
    /// When it does not start.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{}", command.get_program().display()))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no pipe")?);
        Ok(Self { child, questions, answers })
    }

    /// # Errors
    /// When it ends, or answers with anything but JSON.
    pub fn ask(&mut self, questions: impl ExactSizeIterator<Item = String>) -> Result<Vec<Json>> {
        let Some(mut pipe) = self.questions.take() else { bail!("the program ended") };
        let count = questions.len();
        let text: String = questions.map(|line| line + "\n").collect();
        // Both pipes fill up unless one is read while the other is written.
        let (written, answers) = std::thread::scope(|scope| {
            let writing = scope.spawn(move || -> Result<ChildStdin> {
                pipe.write_all(text.as_bytes())?;
                pipe.flush()?;
                Ok(pipe)
            });
            let answers = self.read(count);
            (writing.join().unwrap_or_else(|_| bail!("broke off")), answers)
        });
        let answers = answers?;
        self.questions = Some(written?);
        Ok(answers)
    }

    fn read(&mut self, count: usize) -> Result<Vec<Json>> {
        let mut line = String::new();
        (0..count)
            .map(|_| {
                line.clear();
                if self.answers.read_line(&mut line)? == 0 {
                    bail!("the program ended: {:?}", self.child.try_wait()?);
                }
                serde_json::from_str(&line).with_context(|| line.clone())
            })
            .collect()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
