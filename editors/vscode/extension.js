// Starts `walguard lsp` and leaves the rest to it.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("walguard");
  const command = settings.get("path", "walguard");
  const server = { command, args: ["lsp", ...settings.get("arguments", [])], transport: TransportKind.stdio };
  const documents = ["yaml", "json"].map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("walguard", "walguard", server, { documentSelector: documents });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const install = "How to install it";
    const chosen = await vscode.window.showErrorMessage(`walguard cannot be started as "${command}": ${error.message}`, install);
    if (chosen === install) {
      vscode.env.openExternal(vscode.Uri.parse("https://github.com/walguard/walguard/blob/main/docs/quick-start.md#1-install"));
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("walguard.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("walguard") && restart()),
  );
  await start();
};

exports.deactivate = stop;
