/** A pool in a separate process: the process ends by itself, soon, whatever the workers are doing. */
import { expect, test } from "vitest";
import { runPoolProgram, workerPrograms } from "../support/worker-programs.ts";

const opening = (workerUrl: string) => `
import { openPool } from "../../src/backends/wasm/workers/pool.ts";
const memory = new WebAssembly.Memory({ initial: 4, maximum: 64, shared: true });
const pool = openPool({ memory, mailbox: 64, threads: 3, scratch: () => 0, workerUrl: ${JSON.stringify(workerUrl)} });
const ready = async (count) => { while (pool.started() < count && pool.report().lost === 0) await new Promise((done) => setTimeout(done, 5)); };
`;

const endings = {
  "at once": ["sound", ""],
  "with idle workers": ["sound", "await ready(2); console.log(pool.started());"],
  "by process.exit with idle workers": ["sound", "await ready(2); process.exit(0);"],
  "with workers that never start": ["never starts", ""],
  "after a shutdown": ["sound", "await ready(2); await pool.shutdown(); console.log(pool.started());"],
  "by process.exit inside a job, with workers that never come back": [
    "sound",
    `await ready(2);
    const forever = [0,97,115,109,1,0,0,0, 1,7,1,96,3,127,127,127,0, 2,18,1,3,101,110,118,6,109,101,109,111,114,121,2,3,1,128,128,4,
      3,2,1,0, 7,7,1,3,114,117,110,0,0, 10,9,1,7,0,3,64,12,0,11,11];
    new Uint8Array(memory.buffer, 131072).set(forever);
    const job = { kernel: 1, code: 131072, codeLength: forever.length, args: 0, units: 3, chunk: 1 };
    pool.run(job, () => {
      while ((Atomics.load(new Int32Array(memory.buffer), 16) & 4095) !== 0);
      console.log("taken");
      process.exit(0);
    });`,
  ],
  "after a call of a module, which keeps it alive till then": [
    "sound",
    `const view = new Int32Array(new SharedArrayBuffer(40));
    const module = "data:text/javascript,export const f = async (view, i) => { await new Promise((d) => setTimeout(d, 20)); view[i] = 7; }";
    await pool.call({ module, export: "f", view, units: 10, chunk: 1 });
    console.log(view.join(""));`,
  ],
} as const;

const printed: Readonly<Record<string, string>> = {
  "with idle workers": "2\n",
  "after a shutdown": "0\n",
  "by process.exit inside a job, with workers that never come back": "taken\n",
  "after a call of a module, which keeps it alive till then": "7777777777\n",
};

test.each(Object.entries(endings))("a process ends %s", { timeout: 60_000 }, async (name, [program, source]) => {
  const file = name.replace(/\W+/g, "-");
  const { code, stdout, stderr, milliseconds } = await runPoolProgram(
    file,
    `${opening(workerPrograms[program])}${source}`,
  );
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: printed[name] ?? "", stderr: "" });
  // Alone on the machine it is 0.1 to 0.3 s.
  expect(milliseconds).toBeLessThan(5000);
});

test("workers do not inherit flags that no worker can have", { timeout: 60_000 }, async () => {
  const source = `${opening(workerPrograms.sound)}await ready(2); console.log(pool.started());`;
  const { stdout, stderr } = await runPoolProgram("flags", source, ["--input-type=module", "--eval"]);
  expect({ stdout, stderr }).toEqual({ stdout: "2\n", stderr: "" });
});
