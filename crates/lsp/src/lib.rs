//! `walguard lsp`: the linter in an editor. Diagnostics while typing, the explanation of a finding under the pointer, its fix as a code
//! action, and the parameters that an operator's map takes. A layer above the linter, which knows nothing of it.

mod completion;
mod server;
mod text;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use lsp_server::Connection;
use walguard_lint::workspace::Workspace;
use walguard_report::Exit;

/// Run the language server for editors, on standard input and output
///
/// Editors start it by themselves: docs/editors.md says how for VS Code, Neovim, Helix and Zed. It reads the manifests of the folders that
/// are open, starts no other program and changes no file.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Policy configuration for all files [default: walguard.yaml or .walguard.yaml beside each file or above]
    #[arg(long, value_name = "FILE", env = "WALGUARD_CONFIG")]
    config: Option<PathBuf>,

    /// Also run the checks of an OPA bundle (opa build --target plan); docs/own-checks.md
    #[arg(long, value_name = "BUNDLE")]
    rules: Option<PathBuf>,

    /// Accepted for editors that pass it; there is no other way to talk
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves one editor, until it says goodbye.
///
/// # Errors
/// When the rules cannot be used, or the other side does not speak the protocol.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    let workspace = Workspace::new(args.rules.as_deref(), args.config)?;
    let (connection, threads) = Connection::stdio();
    let served = server::serve(&connection, workspace);
    // The writer ends with the last sender.
    drop(connection);
    let written = threads.join().context("the editor does not speak the language server protocol");
    if !served? {
        bail!("the editor went without asking to shut down");
    }
    written.map(|()| Exit::Clean)
}
