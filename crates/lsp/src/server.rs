//! The conversation with an editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use gen_lsp_types::{
    Code, CodeAction, CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionResponse, CodeDescription,
    CompletionItem, CompletionOptions, CompletionParams, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Hover, HoverParams, Location,
    MarkupContent, MarkupKind, MessageType, PublishDiagnosticsParams, Range, ServerCapabilities, ShowMessageParams,
    TextDocumentContentChangeEvent, TextDocumentSyncKind, TextDocumentSyncOptions, TextEdit, Uri, WorkspaceEdit,
};
use jiff::{Span, Timestamp, tz::TimeZone};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use walguard_engine::Severity;
use walguard_lint::workspace::{Open, Workspace, fixed, ignoring};
use walguard_report::{Beside, Located, Place, Report, explanation, proposal};

use crate::completion;
use crate::text::{self, Lines};

/// Whoever types faster than this does not wait for findings.
const QUIET: Duration = Duration::from_millis(120);
/// How long a comment ignores a finding, in days.
const IGNORED_DAYS: i64 = 90;
const NAME: &str = "walguard";

/// Answers until the editor asks to shut down (true) or goes (false).
pub fn serve(connection: &Connection, workspace: Workspace) -> anyhow::Result<bool> {
    let (id, asked) = connection.initialize_start().context("the editor does not introduce itself")?;
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": {"name": NAME, "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer).context("the editor does not introduce itself")?;
    let server = Server {
        connection,
        workspace,
        folders: folders(&asked),
        texts: Open::new(),
        open: BTreeMap::new(),
        report: None,
        stale: false,
        complaint: None,
    };
    if asked.pointer("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration") == Some(&Json::Bool(true)) {
        server.watch()?;
    }
    server.run()
}

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Full),
        save: Some(true.into()),
        ..TextDocumentSyncOptions::default()
    };
    let kinds = vec![CodeActionKind::QuickFix, CodeActionKind::SourceFixAll];
    ServerCapabilities {
        text_document_sync: Some(sync.into()),
        hover_provider: Some(true.into()),
        code_action_provider: Some(
            CodeActionOptions { code_action_kinds: Some(kinds), ..CodeActionOptions::default() }.into(),
        ),
        completion_provider: Some(CompletionOptions::default()),
        ..ServerCapabilities::default()
    }
}

/// The folders of `initialize`. Read by hand: what else an editor says of itself must not keep it from being understood.
fn folders(asked: &Json) -> Vec<PathBuf> {
    let several = asked.get("workspaceFolders").and_then(Json::as_array).into_iter().flatten();
    let mut uris: Vec<&str> = several.filter_map(|folder| folder.get("uri")?.as_str()).collect();
    if uris.is_empty() {
        uris.extend(asked.get("rootUri").and_then(Json::as_str));
    }
    let paths = uris.into_iter().filter_map(|uri| path(&Uri::parse(uri).ok()?));
    // Nobody means the whole machine.
    paths.filter(|path| path.parent().is_some()).collect()
}

fn path(uri: &Uri) -> Option<PathBuf> {
    if uri.scheme() == "file" { uri.to_file_path().ok() } else { None }
}

/// A text that the editor holds.
struct Buffer {
    /// As the editor writes it.
    uri: Uri,
    version: i32,
}

struct Server<'c> {
    connection: &'c Connection,
    workspace: Workspace,
    folders: Vec<PathBuf>,
    texts: Open,
    open: BTreeMap<PathBuf, Buffer>,
    /// What was found last.
    report: Option<Report>,
    /// Something has changed since then.
    stale: bool,
    /// What was said last of why nothing can be found.
    complaint: Option<String>,
}

impl Server<'_> {
    fn run(mut self) -> anyhow::Result<bool> {
        loop {
            let message = if self.stale {
                match self.connection.receiver.recv_timeout(QUIET) {
                    Ok(message) => message,
                    Err(error) if error.is_timeout() => {
                        self.refresh()?;
                        continue;
                    }
                    Err(_) => return Ok(false),
                }
            } else {
                match self.connection.receiver.recv() {
                    Ok(message) => message,
                    Err(_) => return Ok(false),
                }
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request).unwrap_or(true) {
                        return Ok(true);
                    }
                    self.request(request)?;
                }
                Message::Notification(notification) if notification.method == "exit" => return Ok(false),
                Message::Notification(notification) => self.notification(notification)?,
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: impl Into<Message>) -> anyhow::Result<()> {
        self.connection.sender.send(message.into()).context("the editor is gone")
    }

    fn notify(&self, method: &str, params: impl Serialize) -> anyhow::Result<()> {
        self.send(Notification::new(method.to_owned(), params))
    }

    /// Asks to be told of changes on the disk.
    fn watch(&self) -> anyhow::Result<()> {
        let options = json!({"watchers": [{"globPattern": "**/*.{yaml,yml,json}"}]});
        let registration =
            json!({"id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": options});
        let id = RequestId::from("watch".to_owned());
        self.send(Request::new(id, "client/registerCapability".to_owned(), json!({"registrations": [registration]})))
    }

    fn request(&mut self, request: Request) -> anyhow::Result<()> {
        match request.method.as_str() {
            "textDocument/hover" => self.answer(request, Self::hover),
            "textDocument/codeAction" => self.answer(request, Self::actions),
            "textDocument/completion" => self.answer(request, Self::complete),
            other => {
                let message = format!("walguard does not answer {other}");
                self.send(Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message))
            }
        }
    }

    /// What is asked about has been looked at as it is now.
    fn answer<P: DeserializeOwned, A: Serialize>(
        &mut self,
        request: Request,
        answer: impl FnOnce(&mut Self, P) -> A,
    ) -> anyhow::Result<()> {
        match serde_json::from_value(request.params) {
            Ok(params) => {
                if self.stale {
                    self.refresh()?;
                }
                let answer = answer(self, params);
                self.send(Response::new_ok(request.id, answer))
            }
            Err(error) => self.send(Response::new_err(request.id, ErrorCode::InvalidParams as i32, error.to_string())),
        }
    }

    /// What cannot be read is passed over: there is nobody to say it to.
    fn notification(&mut self, notification: Notification) -> anyhow::Result<()> {
        fn read<P: DeserializeOwned>(params: Json) -> Option<P> {
            serde_json::from_value(params).ok()
        }
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let Some(DidOpenTextDocumentParams { text_document }) = read(params) else { return Ok(()) };
                if let Some(file) = path(&text_document.uri) {
                    self.texts.insert(file.clone(), without_mark(text_document.text));
                    self.open.insert(file, Buffer { uri: text_document.uri, version: text_document.version });
                    self.refresh()?;
                }
            }
            "textDocument/didChange" => {
                let Some(DidChangeTextDocumentParams { text_document, content_changes }) = read(params) else {
                    return Ok(());
                };
                let Some(file) = path(&text_document.text_document_identifier.uri) else { return Ok(()) };
                let Some(text) = self.texts.get_mut(&file) else { return Ok(()) };
                for change in content_changes {
                    match change {
                        TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                            *text = without_mark(whole.text);
                        }
                        TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                            let lines = Lines::new(text);
                            let (start, end) = (lines.offset(part.range.start), lines.offset(part.range.end));
                            text.replace_range(start..end.max(start), &part.text);
                        }
                    }
                }
                if let Some(buffer) = self.open.get_mut(&file) {
                    buffer.version = text_document.version;
                }
                self.stale = true;
            }
            "textDocument/didClose" => {
                let Some(DidCloseTextDocumentParams { text_document }) = read(params) else { return Ok(()) };
                if let Some(file) = path(&text_document.uri) {
                    self.texts.remove(&file);
                    self.open.remove(&file);
                    self.stale = true;
                    self.publish(text_document.uri, None, Vec::new())?;
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.stale = true,
            _ => {}
        }
        Ok(())
    }

    /// Looks at everything again, and says what was found.
    fn refresh(&mut self) -> anyhow::Result<()> {
        self.stale = false;
        match self.workspace.lint(&self.folders, &self.texts) {
            Ok(report) => {
                self.complaint = None;
                self.report = Some(report);
            }
            Err(error) => {
                let message = format!("{NAME}: {error:#}");
                if self.complaint.as_ref() != Some(&message) {
                    let params = ShowMessageParams { kind: MessageType::Error, message: message.clone() };
                    self.notify("window/showMessage", params)?;
                    self.complaint = Some(message);
                }
            }
        }
        let mut by_file: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        if let Some(report) = &self.report {
            for (file, diagnostic) in report.findings.iter().filter_map(diagnostic) {
                by_file.entry(file).or_default().push(diagnostic);
            }
            for failure in &report.failures {
                let file = PathBuf::from(&failure.file);
                let Some(text) = self.texts.get(&file) else { continue };
                let diagnostic = mistake(text, failure.position.unwrap_or((1, 1)), &failure.message);
                by_file.entry(file).or_default().push(diagnostic);
            }
        }
        for (file, text) in &self.texts {
            for error in self.workspace.mistakes(file, text).unwrap_or_default() {
                let diagnostic = mistake(text, (error.line, error.column), &error.message);
                by_file.entry(file.clone()).or_default().push(diagnostic);
            }
        }
        for (file, Buffer { uri, version }) in &self.open {
            self.publish(uri.clone(), Some(*version), by_file.remove(file).unwrap_or_default())?;
        }
        Ok(())
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) -> anyhow::Result<()> {
        self.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams { uri, version, diagnostics })
    }

    /// The findings that are shown in a file.
    fn findings<'r>(report: &'r Report, file: &'r Path) -> impl Iterator<Item = (&'r Located, Range)> {
        report.findings.iter().filter(|found| found.finding.counts()).filter_map(move |found| match &found.place {
            Place::Document { source, location, .. } if Path::new(&source.name) == file => {
                Some((found, text::range(source, location)))
            }
            _ => None,
        })
    }

    /// The explanations of what was found at a place, else what is known of the parameter there.
    fn hover(&mut self, params: HoverParams) -> Option<Hover> {
        let place = params.text_document_position_params;
        let file = path(&place.text_document.uri)?;
        let text = self.texts.get(&file)?;
        let mut found: Vec<(String, Range)> = Vec::new();
        if let Some(report) = &self.report {
            let here = Self::findings(report, &file).filter(|(_, range)| text::holds(*range, place.position));
            found.extend(here.map(|(found, range)| (explanation(&found.finding, self.workspace.catalogue()), range)));
        }
        if found.is_empty() {
            found.extend(completion::describe(&mut self.workspace, text, place.position));
        }
        let range = found.first().map(|(_, range)| *range)?;
        let value = found.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join("\n---\n\n");
        let contents = MarkupContent { kind: MarkupKind::Markdown, value };
        Some(Hover { contents: contents.into(), range: Some(range) })
    }

    fn complete(&mut self, params: CompletionParams) -> Vec<CompletionItem> {
        let place = params.text_document_position_params;
        let text = path(&place.text_document.uri).and_then(|file| self.texts.get(&file));
        text.map(|text| completion::complete(&mut self.workspace, text, place.position)).unwrap_or_default()
    }

    /// The fixes of what was found in a range, the comment that ignores it, and all fixes of the file.
    fn actions(&mut self, params: CodeActionParams) -> Vec<CodeActionResponse> {
        let (uri, wanted) = (&params.text_document.uri, &params.context.only);
        let wants = |kind: &CodeActionKind| {
            let below = |only: &CodeActionKind| {
                let (kind, only) = (kind.as_str(), only.as_str());
                kind == only || kind.strip_prefix(only).is_some_and(|rest| rest.starts_with('.'))
            };
            wanted.as_ref().is_none_or(|wanted| wanted.iter().any(below))
        };
        let (Some(file), Some(report)) = (path(uri), &self.report) else { return Vec::new() };
        let name = file.to_string_lossy();
        let mut actions = Vec::new();
        let change = |title: String, kind, edit: TextEdit, found: Option<&Located>, preferred| CodeAction {
            title,
            is_preferred: Some(preferred),
            kind: Some(kind),
            diagnostics: found.and_then(diagnostic).map(|(_, diagnostic)| vec![diagnostic]),
            edit: Some(WorkspaceEdit {
                changes: Some([(uri.clone(), vec![edit])].into_iter().collect()),
                ..WorkspaceEdit::default()
            }),
            ..CodeAction::default()
        };
        if wants(&CodeActionKind::QuickFix) {
            for (found, _) in Self::findings(report, &file).filter(|(_, range)| text::meet(*range, params.range)) {
                if let (Some(proposal), Some(fix)) = (proposal(&found.finding), fixed(report, [found], &name)) {
                    let edit = text::edit(&fix.before, &fix.after);
                    actions.push(change(upper(&proposal), CodeActionKind::QuickFix, edit, Some(found), true));
                }
            }
            for (found, range) in Self::findings(report, &file).filter(|(_, range)| text::meet(*range, params.range)) {
                if let Some((title, edit)) = self.texts.get(&file).and_then(|text| ignore(text, found, range)) {
                    actions.push(change(title, CodeActionKind::QuickFix, edit, Some(found), false));
                }
            }
        }
        if wants(&CodeActionKind::SourceFixAll) {
            let all = Self::findings(report, &file).map(|(found, _)| found);
            if let Some(fix) = fixed(report, all, &name) {
                let edit = text::edit(&fix.before, &fix.after);
                let title = "Apply all fixes of walguard in this file".to_owned();
                actions.push(change(title, CodeActionKind::SourceFixAll, edit, None, false));
            }
        }
        actions.into_iter().map(CodeActionResponse::from).collect()
    }
}

/// A finding as editors show it, with its file; none of what is not in a file.
fn diagnostic(found: &Located) -> Option<(PathBuf, Diagnostic)> {
    let finding = &found.finding;
    let Place::Document { source, location, .. } = &found.place else { return None };
    if !finding.counts() {
        return None;
    }
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Info => DiagnosticSeverity::Information,
    };
    let diagnostic = Diagnostic {
        range: text::range(source, location),
        severity: Some(severity),
        code: Some(Code::String(finding.check.clone())),
        code_description: Uri::parse(&finding.docs).ok().map(|href| CodeDescription { href }),
        source: Some(NAME.to_owned()),
        message: finding.message.clone().into(),
        related_information: related(found),
        ..Diagnostic::default()
    };
    Some((PathBuf::from(&source.name), diagnostic))
}

/// The other places that a finding speaks of; `None` where there are none, or the editor could not open them.
fn related(found: &Located) -> Option<Vec<DiagnosticRelatedInformation>> {
    let beside = |beside: &Beside| {
        let file = std::path::absolute(&beside.source.name).ok()?;
        let location =
            Location { uri: Uri::from_file_path(&file).ok()?, range: text::range(&beside.source, &beside.location) };
        Some(DiagnosticRelatedInformation { location, message: beside.message.clone() })
    };
    let related: Vec<_> = found.related.iter().filter_map(beside).collect();
    (!related.is_empty()).then_some(related)
}

/// What cannot be read, at a line and a column in characters, from 1.
fn mistake(text: &str, (line, column): (u32, u32), message: &str) -> Diagnostic {
    let place = Lines::new(text).place(line, column);
    Diagnostic {
        range: Range { start: place, end: place },
        severity: Some(DiagnosticSeverity::Error),
        source: Some(NAME.to_owned()),
        message: message.to_owned().into(),
        ..Diagnostic::default()
    }
}

/// The comment above a line that ignores a finding in it.
fn ignore(text: &str, found: &Located, range: Range) -> Option<(String, TextEdit)> {
    let check = &found.finding.check;
    if text.trim_start().starts_with('{') {
        return None;
    }
    let until = Timestamp::now().to_zoned(TimeZone::UTC).checked_add(Span::new().days(IGNORED_DAYS)).ok()?.date();
    let lines = Lines::new(text);
    let (start, line) = lines.line(range.start.line);
    let indent = &line[..line.len() - line.trim_start().len()];
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new_text = format!("{indent}{}{line_break}", ignoring(check, &until.to_string(), "TODO")?);
    Some((format!("Ignore {check} here until {until}"), TextEdit { range: lines.range(start, start), new_text }))
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A byte order mark is none of the text.
fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}
