//! Starts `walguard lsp` in Zed.

use zed_extension_api::{self as zed, LanguageServerId, Result};

struct Walguard;

impl zed::Extension for Walguard {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &zed::Worktree) -> Result<zed::Command> {
        let command = worktree.which("walguard").ok_or("there is no walguard in the PATH; https://github.com/walguard/walguard#start")?;
        Ok(zed::Command { command, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Walguard);
