// walguard runs here, so that the page answers meanwhile.
import { run } from "./wasi.js";

const module = WebAssembly.compileStreaming(fetch("walguard.wasm"));
module.catch(() => {}); // whoever asks is told

onmessage = async ({ data: { id, words, input } }) => {
  try {
    postMessage({ id, answer: await run(await module, words, input) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
