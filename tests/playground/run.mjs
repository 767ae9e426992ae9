// The playground's walguard answers as the one of this machine does: node tests/playground/run.mjs WASM WALGUARD
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../docs/playground/wasi.js";

const [wasm, walguard] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasm));
const root = new URL("../../", import.meta.url).pathname;
const examples = readdirSync(join(root, "examples"), { recursive: true }).filter((name) => name.endsWith(".yaml"));
assert(examples.length > 10, `only ${examples.length} examples`);

// As the page asks. In a directory with no configuration in it or above, as the page has none.
const questions = [
  ["lint", "--format", "json", "--fail-on", "never", "--info", "-"],
  ["lint", "--format", "html", "--fail-on", "never", "-"],
  ["tune", "-"],
];
let passed = 0;
for (const name of examples) {
  const input = readFileSync(join(root, "examples", name), "utf8");
  for (const words of questions) {
    const native = spawnSync(walguard, words, { input, cwd: tmpdir(), encoding: "utf8" });
    const page = await run(module, words, input);
    assert.deepEqual(page, { code: native.status, stdout: native.stdout, stderr: native.stderr }, `${name}: ${words.join(" ")}`);
    passed += 1;
  }
}
for (const [words, expected] of [
  [["checks", "explain", "wal/max_wal_vs_volume"], { code: 0, stdout: /max_wal_size/ }],
  [["checks", "explain", "wal/no_such_check"], { code: 2, stderr: /there is no check/ }],
  [["lint", "-"], { code: 2, stderr: /./, input: "a: [1\nkind: Cluster\n" }],
]) {
  const { code, ...texts } = await run(module, words, expected.input ?? "");
  assert.equal(code, expected.code, words.join(" "));
  for (const stream of ["stdout", "stderr"]) if (expected[stream]) assert.match(texts[stream], expected[stream]);
  passed += 1;
}
console.log(`${passed} passed, 0 failed`);
