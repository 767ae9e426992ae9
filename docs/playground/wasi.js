// Runs walguard, compiled for wasm32-wasip1, as a program without files: arguments and standard input go in, its output and exit code come out.
// What it does not need of WASI answers "not supported" (52).

const [SUCCESS, BAD, UNSUPPORTED] = [0, 8, 52];

class Exit extends Error {
  constructor(code) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

export async function run(module, words, input = "") {
  const encode = (text) => new TextEncoder().encode(text);
  const stdin = encode(input);
  const written = { 1: [], 2: [] };
  let read = 0;
  let memory;
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);

  const strings = (list) => {
    const all = list.map((text) => encode(text + "\0"));
    return {
      sizes(count, size) {
        view().setUint32(count, all.length, true);
        view().setUint32(size, all.reduce((sum, text) => sum + text.length, 0), true);
        return SUCCESS;
      },
      get(pointers, at) {
        for (const text of all) {
          view().setUint32(pointers, at, true);
          bytes(at, text.length).set(text);
          pointers += 4;
          at += text.length;
        }
        return SUCCESS;
      },
    };
  };
  // Calls `each` with the parts of a vector until one is not used up, and stores how much was.
  const vector = (at, count, total, each) => {
    let sum = 0;
    for (let index = 0; index < count; index += 1) {
      const part = bytes(view().getUint32(at + 8 * index, true), view().getUint32(at + 8 * index + 4, true));
      const used = each(part);
      sum += used;
      if (used < part.length) break;
    }
    view().setUint32(total, sum, true);
    return SUCCESS;
  };
  const args = strings(["walguard", ...words]);
  const environment = strings([]);

  const wasi = {
    args_sizes_get: args.sizes,
    args_get: args.get,
    environ_sizes_get: environment.sizes,
    environ_get: environment.get,
    clock_time_get(clock, precision, at) {
      const now = clock === 0 ? BigInt(Date.now()) * 1_000_000n : BigInt(Math.round(performance.now() * 1e6));
      view().setBigUint64(at, now, true);
      return SUCCESS;
    },
    random_get(at, length) {
      for (let from = 0; from < length; from += 65_536) crypto.getRandomValues(bytes(at + from, Math.min(65_536, length - from)));
      return SUCCESS;
    },
    fd_read(descriptor, at, count, total) {
      if (descriptor !== 0) return BAD;
      return vector(at, count, total, (part) => {
        const piece = stdin.subarray(read, read + part.length);
        part.set(piece);
        read += piece.length;
        return piece.length;
      });
    },
    fd_write(descriptor, at, count, total) {
      if (!written[descriptor]) return BAD;
      return vector(at, count, total, (part) => {
        written[descriptor].push(part.slice());
        return part.length;
      });
    },
    fd_fdstat_get(descriptor, at) {
      if (descriptor > 2) return BAD;
      bytes(at, 24).fill(0);
      view().setBigUint64(at + 8, 0x1fffffffn, true);
      return SUCCESS;
    },
    fd_prestat_get: () => BAD,
    fd_close: () => SUCCESS,
    sched_yield: () => SUCCESS,
    proc_exit(code) {
      throw new Exit(code);
    },
  };
  for (const { name } of WebAssembly.Module.imports(module)) wasi[name] ??= () => UNSUPPORTED;

  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi });
  memory = instance.exports.memory;
  let code = 0;
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  }
  const text = (parts) => {
    const decoder = new TextDecoder();
    return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  };
  return { code, stdout: text(written[1]), stderr: text(written[2]) };
}
