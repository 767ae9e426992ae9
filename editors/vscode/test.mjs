// The packed extension with a real `walguard lsp`, in place of VS Code a stub of what it calls: node test.mjs WALGUARD
//
// It opens a manifest with a fault and waits for the diagnostic, then runs the command that restarts the server.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { existsSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { resolve } from "node:path";

const walguard = resolve(process.argv[2]);
assert(existsSync(walguard), `${walguard} is not there`);

/** A class that keeps what it is made with. */
const kept = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, index) => (this[name] = values[index]));
    }
  };
class Position extends kept("line", "character") {}
class Range {
  constructor(line, character, endLine, endCharacter) {
    this.start = new Position(line, character);
    this.end = new Position(endLine, endCharacter);
  }
}
class Diagnostic extends kept("range", "message", "severity") {}
class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = "file";
    this.path = this.fsPath = text.replace("file://", "");
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(`file://${path}`);
  }
  toString() {
    return this.text;
  }
}
class Disposable {
  constructor(dispose = () => {}) {
    this.dispose = dispose;
  }
}
const events = new EventEmitter();
const event = (name) => (listener) => {
  events.on(name, listener);
  return new Disposable(() => events.off(name, listener));
};
const diagnostics = [];
const commands = new Map();
const text = `apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: orders, namespace: shop}
spec:
  instances: 3
  imageName: ghcr.io/cloudnative-pg/postgresql:17.2
  postgresql:
    parameters:
      full_page_writes: "off"
  storage: {size: 100Gi}
`;
const document = { uri: Uri.file("/tmp/orders.yaml"), languageId: "yaml", version: 1, isClosed: false, getText: () => text };
const shown = [];
const channel = { appendLine: () => {}, append: () => {}, show: () => {}, dispose: () => {}, info: () => {}, error: () => {}, warn: () => {}, debug: () => {}, trace: () => {} };

/** What nobody described answers with nothing, whatever it is asked for. */
const quiet = () => new Disposable();
const stub = (described) => new Proxy(described, { get: (target, name) => (name in target ? target[name] : /^on[A-Z]/.test(String(name)) ? event(String(name)) : quiet) });
/** Kinds of code actions are paths: `quickfix`, `source.fixAll`. */
class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
for (const name of ["Empty", "QuickFix", "Refactor", "RefactorExtract", "RefactorInline", "RefactorRewrite", "Source", "SourceOrganizeImports"]) {
  CodeActionKind[name] = new CodeActionKind(name === "Empty" ? "" : name[0].toLowerCase() + name.slice(1));
}
const classes = {};
const vscode = new Proxy(
  {
    version: "1.90.0",
    Position,
    Range,
    Diagnostic,
    Uri,
    CodeActionKind,
    Disposable,
    env: stub({ language: "en", appName: "test" }),
    workspace: stub({
      textDocuments: [document],
      notebookDocuments: [],
      workspaceFolders: [],
      getConfiguration: () => ({ get: (name, otherwise) => (name === "path" ? walguard : otherwise) }),
      createFileSystemWatcher: () => stub({ dispose: () => {} }),
    }),
    window: stub({
      visibleTextEditors: [],
      activeTextEditor: undefined,
      tabGroups: stub({ all: [] }),
      createOutputChannel: () => channel,
      showErrorMessage: async (message) => shown.push(message),
    }),
    commands: stub({
      registerCommand: (name, run) => {
        commands.set(name, run);
        return new Disposable(() => commands.delete(name));
      },
    }),
    languages: stub({
      match: (selector, other) => (other.languageId === "yaml" ? 10 : 0),
      createDiagnosticCollection: () =>
        stub({
          set: (uri, list) => {
            diagnostics.push([uri.toString(), list]);
            events.emit("diagnosed");
          },
          clear: () => {},
          delete: () => {},
          dispose: () => {},
        }),
    }),
    EventEmitter: class {
      emitter = new EventEmitter();
      event = (listener) => {
        this.emitter.on("fired", listener);
        return new Disposable(() => this.emitter.off("fired", listener));
      };
      fire = (value) => this.emitter.emit("fired", value);
      dispose = () => this.emitter.removeAllListeners();
    },
    CancellationTokenSource: class {
      token = { isCancellationRequested: false, onCancellationRequested: quiet };
      cancel() {}
      dispose() {}
    },
  },
  {
    // Of the rest classes are derived, or members are read.
    get: (target, name) => {
      if (name in target || typeof name !== "string") return target[name];
      return (classes[name] ??= class {});
    },
  },
);

const load = Module._load;
Module._load = (request, ...rest) => (request === "vscode" ? vscode : load(request, ...rest));
const extension = createRequire(import.meta.url)("./dist/extension.js");
const subscriptions = [];
const diagnosed = () => new Promise((done) => events.once("diagnosed", done));
const limit = setTimeout(() => {
  console.error("no diagnostic came", shown);
  process.exit(1);
}, 120_000);

let next = diagnosed();
await extension.activate({ subscriptions, extensionPath: "." });
assert.deepEqual(shown, []);
await next;
const [uri, list] = diagnostics.at(-1);
assert.equal(uri, "file:///tmp/orders.yaml");
const found = list.find(({ code }) => (code?.value ?? code) === "durability/full_page_writes");
assert(found, JSON.stringify(list));
assert.equal(found.range.start.line, 8);

next = diagnosed();
await commands.get("walguard.restart")();
await next;
await extension.deactivate();
clearTimeout(limit);
console.log(`1 passed, 0 failed: ${list.length} diagnostics, and again after a restart`);
process.exit(0);
