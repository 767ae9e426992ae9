//! What walguard asks an API server, answered from memory: which kinds there are, lists in pages, and watches in which nothing happens.
//! A real one would need minutes to take in fifty thousand objects, and its work would stand beside that which is measured.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::{fs, thread};

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};

/// A kind, and its objects as they are sent, without apiVersion and kind.
pub struct Resource {
    pub api_version: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
    pub namespaced: bool,
    pub objects: Vec<Json>,
}

struct Served {
    resources: Vec<Resource>,
}

/// Serves the objects on loopback, and writes a kubeconfig that leads there.
///
/// # Errors
/// When there is no port, or the file cannot be written.
pub fn start(resources: Vec<Resource>, kubeconfig: &Path) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "clusters": [{"name": "bench", "cluster": {"server": format!("http://{}", listener.local_addr()?)}}],
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench", "namespace": "default"}}],
        "users": [{"name": "bench", "user": {}}],
    });
    fs::write(kubeconfig, config.to_string())?;
    let served = Arc::new(Served { resources });
    // Both end with the process.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let served = Arc::clone(&served);
            thread::spawn(move || served.converse(stream));
        }
    });
    Ok(())
}

impl Served {
    /// Answers requests until the other end has gone.
    fn converse(&self, stream: TcpStream) -> Result<()> {
        let mut out = stream.try_clone()?;
        let mut requests = BufReader::new(stream);
        loop {
            let mut line = String::new();
            if requests.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let target = line.split(' ').nth(1).context("no HTTP")?.to_owned();
            let mut length = 0;
            loop {
                let mut header = String::new();
                requests.read_line(&mut header)?;
                match header.trim_end().to_ascii_lowercase().split_once(": ") {
                    Some(("content-length", value)) => length = value.parse()?,
                    Some(_) => {}
                    None => break,
                }
            }
            std::io::copy(&mut (&mut requests).take(length), &mut std::io::sink())?;
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let query: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
            if query.get("watch").is_some_and(|watch| *watch != "false") {
                write!(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")?;
                out.flush()?;
                // Nothing happens until the other end is tired of waiting.
                requests.read_line(&mut String::new())?;
                return Ok(());
            }
            let (status, body) = match self.answer(path, &query) {
                Some(body) => ("200 OK", body),
                None => (
                    "404 Not Found",
                    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}),
                ),
            };
            let body = body.to_string();
            write!(
                out,
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
            out.flush()?;
        }
    }

    fn answer(&self, path: &str, query: &BTreeMap<&str, &str>) -> Option<Json> {
        let path = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/"))?;
        let of_group: Vec<&Resource> = self.resources.iter().filter(|resource| resource.api_version == path).collect();
        if !of_group.is_empty() {
            let resources: Vec<Json> = of_group
                .iter()
                .map(|resource| {
                    json!({"name": resource.plural, "singularName": "", "namespaced": resource.namespaced, "kind": resource.kind,
                        "verbs": ["get", "list", "watch"]})
                })
                .collect();
            return Some(
                json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": path, "resources": resources}),
            );
        }
        let (api_version, plural) = path.rsplit_once('/')?;
        let resource =
            self.resources.iter().find(|resource| (resource.api_version, resource.plural) == (api_version, plural))?;
        let number = |name: &str| query.get(name).and_then(|value| value.parse::<usize>().ok());
        let from = number("continue").unwrap_or(0).min(resource.objects.len());
        let to = (from + number("limit").unwrap_or(resource.objects.len())).min(resource.objects.len());
        let mut metadata = json!({"resourceVersion": "1"});
        if to < resource.objects.len() {
            metadata["continue"] = json!(to.to_string());
        }
        Some(json!({"apiVersion": api_version, "kind": format!("{}List", resource.kind), "metadata": metadata,
            "items": resource.objects[from..to]}))
    }
}
