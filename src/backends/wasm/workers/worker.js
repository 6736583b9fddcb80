// @ts-check
/**
 * The program of a worker of the pool, in Node and in browsers. It imports nothing; its first message contains everything it needs.
 *
 * It sleeps until a job is published, compiles the job's kernel if it is new, claims chunks until none is left, and sleeps again.
 * A chunk is claimed only after the kernel is compiled, so nobody waits for a compilation. The fields of the job are read again after
 * the claim, because only then are they stable. The text of an error that a kernel throws is written to the mailbox.
 * A message (a module call) ends the sleep, since messages arrive between tasks only.
 */

/** Milliseconds for which an idle worker polls before it sleeps. More would hurt where threads share a core. */
const polling = 0.02;
/** The maximum number of cached kernels. */
const mostKernels = 2048;

/**
 * @typedef {{ code: number, length: number, run: (args: number, begin: number, end: number) => void }} Ready
 * @typedef {{ id: number, module: string, name: string, view: unknown, units: number, chunk: number, info: any, positions?: Float64Array, next: Int32Array }} Call
 * @typedef {{ memory: WebAssembly.Memory, mailbox: number, mailboxBytes: number, record: number, scratch: number,
 *   countBits: number, textBytes: number, word: Record<string, number>, port?: unknown }} Start
 * @typedef {{ on?(event: string, listener: (data: any) => void): void, postMessage(data: unknown): void }} Port
 */

/** @type {() => void} */
let serve = () => {};
/** The number of messages handled after the first. */
let handled = 0;
/** Keeps the port open: it closes when this thread ends, which tells the other side. */
const kept = /** @type {unknown[]} */ ([]);

/** @param {Start} start */
function open({ memory, mailbox, mailboxBytes, record, scratch, countBits, textBytes, word: offsets, port }) {
  kept.push(port);
  const word = /** @type {any} */ (offsets);
  const words = new Int32Array(memory.buffer, mailbox, mailboxBytes / 4);
  const countMask = (1 << countBits) - 1;
  const { claim, done, kernel } = word;
  const hold = record + word.hold;
  const mail = record + word.mail;
  const imports = {
    env: { memory, scratch: new WebAssembly.Global({ value: "i32", mutable: false }, scratch | 0) },
    Math: /** @type {any} */ (Math),
  };
  /** @type {Map<number, Ready>} */
  const kernels = new Map();

  /** @param {number} offset */
  const read = (offset) => /** @type {number} */ (words[offset]);

  /** The kernel of the published job, compiled if it is not cached under this id. */
  function ready() {
    const id = read(kernel);
    const code = read(word.code) >>> 0;
    const length = read(word.codeLength);
    let known = kernels.get(id);
    if (known !== undefined && known.code === code && known.length === length) return known;
    // The memory may have grown in another thread meanwhile.
    if (code + length > memory.buffer.byteLength) memory.grow(0);
    const module = new WebAssembly.Module(new Uint8Array(memory.buffer, code, length).slice());
    const { run } = /** @type {any} */ (new WebAssembly.Instance(module, imports).exports);
    known = { code, length, run };
    kernels.delete(id);
    if (kernels.size >= mostKernels) kernels.delete(/** @type {number} */ (kernels.keys().next().value));
    kernels.set(id, known);
    return known;
  }

  /** Writes the text of a job's first error. @param {number} taken @param {unknown} error */
  function report(taken, error) {
    if (Atomics.compareExchange(words, word.error, 0, -1) !== 0) return;
    const text = new TextEncoder().encode(String(error)).subarray(0, textBytes);
    new Uint8Array(memory.buffer, mailbox + word.text * 4, textBytes).set(text);
    Atomics.store(words, word.error, (taken & ~countMask) | text.length);
  }

  /** Counts a finished chunk, unless the job has ended without this worker. @param {number} taken */
  function finish(taken) {
    for (;;) {
      const count = Atomics.load(words, done);
      if ((count ^ taken) >>> countBits !== 0) return;
      if (Atomics.compareExchange(words, done, count, count + 1) === count) break;
    }
    if (Atomics.load(words, word.waiting) !== 0) Atomics.notify(words, done);
  }

  /** Claims and runs one chunk of the job in `seen`, if one is left. @param {number} seen */
  function work(seen) {
    try {
      ready();
    } catch (error) {
      // If the job is over by now, the fields were being rewritten; else this worker cannot run it, and ends.
      const now = Atomics.load(words, claim);
      if ((now ^ seen) >>> countBits === 0 && (now & countMask) !== 0) throw error;
      return;
    }
    Atomics.store(words, hold, seen);
    if (Atomics.compareExchange(words, claim, seen, seen - 1) === seen) {
      try {
        const chunk = read(word.chunk);
        const begin = (read(word.chunks) - (seen & countMask)) * chunk;
        ready().run(read(word.args), begin, Math.min(read(word.units), begin + chunk));
      } catch (error) {
        report(seen, error);
      }
      finish(seen);
    }
    Atomics.store(words, hold, 0);
  }

  serve = () => {
    let sleepAt = 0;
    // A message may be handled before the word counts it.
    while (Atomics.load(words, mail) <= handled) {
      const seen = Atomics.load(words, claim);
      if ((seen & countMask) !== 0) {
        work(seen);
        sleepAt = performance.now() + polling;
      } else if (performance.now() > sleepAt) Atomics.wait(words, claim, seen);
    }
  };
  Atomics.store(words, record + word.started, 1);
  serve();
}

/** Calls the function for ranges of units until all are claimed. @param {Call} call */
async function callModule({ module, name, view, units, chunk, info, positions, next }) {
  try {
    const called = (await import(/* @vite-ignore */ /* webpackIgnore: true */ module))[name];
    if (typeof called !== "function") throw new TypeError(`the module has no function ${name}`);
    for (;;) {
      const begin = Atomics.add(next, 0, 1) * chunk;
      if (begin >= units) return;
      const end = Math.min(units, begin + chunk);
      if (positions === undefined) await called(view, begin, end, info);
      else for (let unit = begin; unit < end; unit++) await called(view, positions[unit], ...info);
    }
  } catch (error) {
    // No other range is started.
    Atomics.store(next, 0, 1 << 30);
    throw error;
  }
}

/** @param {Port} port */
function listen(port) {
  /** @param {Call} call */
  const answer = async (call) => {
    try {
      await callModule(call);
      port.postMessage({ id: call.id });
    } catch (error) {
      port.postMessage({ id: call.id, error: String(error) });
    }
    handled++;
    // In its own task, so that the answer is sent first. An error in it ends the worker.
    setTimeout(serve, 0);
  };
  /** @param {any} message */
  const receive = (message) => {
    if (message.memory !== undefined) open(message);
    else answer(message);
  };
  if (port.on) port.on("message", receive);
  else globalThis.addEventListener("message", (event) => receive(event.data));
}

const builtins = /** @type {any} */ (globalThis).process;
if (typeof builtins?.versions?.node !== "string") listen(/** @type {any} */ (globalThis));
else {
  const name = ["node", "worker_threads"].join(":");
  const threads = builtins.getBuiltinModule?.(name);
  // The main thread has no parent port.
  const begin = (/** @type {any} */ { parentPort }) => parentPort && listen(parentPort);
  if (threads) begin(threads);
  else import(/* @vite-ignore */ /* webpackIgnore: true */ name).then(begin);
}
