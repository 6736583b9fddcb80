/**
 * Runs modules without the package: the files are written to a temporary folder, and a child process in it imports them. Calls and results are
 * typed arrays, passed as text.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StandaloneModule } from "stridewise/module";

export type Elements =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** A call of a module. */
export interface StandaloneCall {
  readonly inputs: readonly Elements[];
  readonly sizes?: Readonly<Record<string, number>>;
  /** Numbers that are set before the call. */
  readonly numbers?: Readonly<Record<string, number>>;
}

export interface StandaloneResult {
  /** The result of each call, or the text of its error. */
  readonly results: readonly unknown[];
  /** The inputs after each call. */
  readonly inputs: readonly (readonly Elements[])[];
  /** The captured tensors after all calls. */
  readonly state: Readonly<Record<string, Elements>>;
}

const program = `
import { readFileSync, writeFileSync } from "node:fs";
const revive = (_key, value) =>
  value?.array === undefined ? value : new globalThis[value.array](Uint8Array.from(Buffer.from(value.bytes, "base64")).buffer);
const plain = (_key, value) =>
  ArrayBuffer.isView(value)
    ? { array: value.constructor.name, bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") }
    : value;
const { name, calls, state } = JSON.parse(readFileSync("calls.json", "utf8"), revive);
const { load } = await import("./" + name + ".js");
const model = await load();
const results = [];
for (const { inputs, sizes, numbers } of calls) {
  Object.assign(model.numbers, numbers);
  try {
    results.push(model.run(inputs, sizes));
  } catch (error) {
    results.push(String(error));
  }
}
const found = Object.fromEntries(state.map((each) => [each, model.read(each)]));
writeFileSync("results.json", JSON.stringify({ results, inputs: calls.map((call) => call.inputs), state: found }, plain));
`;

interface PlainArray {
  readonly array: string;
  readonly bytes: string;
}

const isPlain = (value: unknown): value is PlainArray =>
  typeof value === "object" && value !== null && "bytes" in value;

const plain = (_key: string, value: unknown): unknown =>
  ArrayBuffer.isView(value)
    ? {
        array: value.constructor.name,
        bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
      }
    : value;

const constructors = {
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

const revive = (_key: string, value: unknown): unknown =>
  isPlain(value)
    ? new constructors[value.array as keyof typeof constructors](
        Uint8Array.from(Buffer.from(value.bytes, "base64")).buffer,
      )
    : value;

/** Runs calls of a module in a child process. `state` are the captured tensors to read afterward. */
export function runStandalone(
  module: StandaloneModule,
  calls: readonly StandaloneCall[],
  state: readonly string[] = [],
): StandaloneResult {
  const folder = mkdtempSync(join(tmpdir(), "module-"));
  try {
    for (const [name, content] of Object.entries(module.files)) writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "calls.json"), JSON.stringify({ name: module.name, calls, state }, plain));
    writeFileSync(join(folder, "program.js"), program);
    execFileSync(process.execPath, ["program.js"], { cwd: folder, env: {}, stdio: ["ignore", "inherit", "inherit"] });
    return JSON.parse(readFileSync(join(folder, "results.json"), "utf8"), revive) as StandaloneResult;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
