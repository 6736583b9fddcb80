/**
 * The features of the engine, probed with tiny modules: whether it has each feature, and whether the feature works correctly.
 * Nothing here throws: without WebAssembly, or if a probe cannot be compiled, the answer is no. `features` probes once; features that
 * depend on V8's flags are probed each time, since `configure` switches them.
 */

import { isFlagOn, nodeVersion, setFlag } from "../../base/host.ts";
import { once } from "../../base/lazy.ts";
import { canShareMemory, openWasmMemory, pageBytes } from "../../storage/heap.ts";
import { type BlasStatus, blasStatus } from "../blas/resolve-blas.ts";
import { Builder } from "./emit/builder.ts";
import { set, tee } from "./emit/representation.ts";
import type { ValueType } from "./encoder/instructions.ts";
import { encodeModule } from "./encoder/module.ts";

/** Returns the result of `ask`, or false if it throws. */
function isTrue(ask: () => boolean): boolean {
  try {
    return ask();
  } catch {
    return false;
  }
}

const probes = { count: 0 };

/** A module with one exported function "run" over an unshared memory of one page. */
function moduleOf(
  params: Readonly<Record<string, ValueType>>,
  results: readonly ValueType[],
  write: (b: Builder) => void,
): Uint8Array<ArrayBuffer> {
  const builder = new Builder(params);
  write(builder);
  return encodeModule({
    // A unique name keeps V8 from reusing code that it compiled under other flags.
    name: `probe ${probes.count++}`,
    imports: [{ module: "env", name: "memory", kind: "memory", shared: false, initial: 1, maximum: 1 }],
    functions: [{ ...builder.finish("run"), results }],
    exports: [{ name: "run", function: 0 }],
  });
}

/** Compiles such a module and returns its function and memory. */
function compile(bytes: Uint8Array<ArrayBuffer>): { run: (...args: number[]) => number; memory: Float32Array } {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  return { run: exports["run"] as (...args: number[]) => number, memory: new Float32Array(memory.buffer) };
}

/** True if and only if modules can be compiled; a page's content security policy may forbid it. */
export function canCompile(): boolean {
  return isTrue(
    () => new WebAssembly.Module(encodeModule({ name: "", imports: [], functions: [], exports: [] })) != null,
  );
}

/** True if and only if modules with 128-bit vectors are valid here. */
export function hasSimd(): boolean {
  return isTrue(() => WebAssembly.validate(moduleOf({}, [], (b) => b.emit(["i32.const", 0], "i32x4.splat", "drop"))));
}

/** True if and only if modules with relaxed vector instructions are valid here, now. */
export function hasRelaxedSimd(): boolean {
  return isTrue(() => WebAssembly.validate(multiplyAdd("f32", "f32x4.relaxed_madd")));
}

/** True if and only if a shared memory can be created and posted to a worker. */
export function hasThreads(): boolean {
  const make = () => new WebAssembly.Memory({ initial: 0, maximum: 1, shared: true }).buffer;
  return isTrue(() => canShareMemory() && make() instanceof SharedArrayBuffer);
}

type Fused = `${"f32x4" | "f64x2"}.relaxed_${"madd" | "nmadd"}`;

function multiplyAdd(type: "f32" | "f64", op: Fused): Uint8Array<ArrayBuffer> {
  const lanes = type === "f32" ? "f32x4" : "f64x2";
  return moduleOf({ x: type, y: type, z: type }, [type], (b) =>
    b.emitFor(lanes, 0, ".splat", 1, ".splat", 2, ".splat", op, [`${lanes}.extract_lane`, 1]),
  );
}

/** True if and only if relaxed multiply-add returns x*y + z rounded once or twice, on inputs that distinguish these. */
export function passesRelaxedSimdTest(): boolean {
  const isRight = (type: "f32" | "f64", e: number): boolean => {
    // With x = 1 + e, x*x - (1 + 2e) is e*e if rounded once; e*e is lost if the product is rounded first.
    const table: readonly (readonly [x: number, y: number, z: number, ...answers: number[]])[] = [
      [2, 3, 4, 10],
      [-0.5, 8, 0.25, -3.75],
      [1 + e, 1 + e, -(1 + 2 * e), 0, e * e],
      [Infinity, 1, 1, Infinity],
      [Infinity, 0, 1, NaN],
    ];
    const lanes = type === "f32" ? "f32x4" : "f64x2";
    const madd = compile(multiplyAdd(type, `${lanes}.relaxed_madd`)).run;
    const nmadd = compile(multiplyAdd(type, `${lanes}.relaxed_nmadd`)).run;
    const isOneOf = (value: number, answers: readonly number[]) => answers.some((each) => Object.is(each, value));
    return table.every(([x, y, z, ...answers]) => isOneOf(madd(x, y, z), answers) && isOneOf(nmadd(-x, y, z), answers));
  };
  return isTrue(() => isRight("f32", 2 ** -12) && isRight("f64", 2 ** -27));
}

const rounds = 64;
/** The byte offset of the loop's results in the probe's memory. */
const resultsAt = 32768;

/**
 * A loop from address 0 on: result = min(|x| * a + x, a). V8 joins the two vectors of an iteration to 256 bits only if nothing is
 * stored between their loads.
 */
function pairedLoop(b: Builder): void {
  const [address, a] = [0, 1];
  const [x, y] = [b.local("v128"), b.local("v128")];
  b.op("loop");
  b.emit(address, ["v128.load", 4, 0], set(x), address, ["v128.load", 4, 16], set(y));
  for (const vector of [x, y]) {
    b.emitFor("f32x4", vector, ".abs", a, ".splat", ".mul", vector, ".add");
    b.emitFor("f32x4", a, ".splat", ".pmin", set(vector));
  }
  b.emit(address, x, ["v128.store", 4, resultsAt], address, y, ["v128.store", 4, resultsAt + 16]);
  b.emit(address, ["i32.const", 32], "i32.add", tee(address), ["i32.const", 32 * rounds], "i32.lt_u", ["br_if", 0]);
  b.op("end");
}

/**
 * True if and only if a vector loop, compiled by the optimizing compiler with the current flags, computes the same bits as
 * JavaScript.
 */
export function passesLoopTest(): boolean {
  return isTrue(() => {
    // Without the baseline compiler the first call runs optimized code, which is to be tested.
    const isBaselineOff = isFlagOn("no-liftoff") || !setFlag("liftoff", false);
    try {
      const { run, memory } = compile(moduleOf({ address: "i32", a: "f32" }, [], pairedLoop));
      const a = Math.fround(1.7);
      for (let i = 0; i < 8 * rounds; i++) memory[i] = Math.sin(i) * 2 ** ((i % 40) - 20);
      run(0, a);
      for (let i = 0; i < 8 * rounds; i++) {
        const x = memory[i];
        const sum = Math.fround(Math.fround(Math.abs(x) * a) + x);
        if (!Object.is(memory[resultsAt / 4 + i], Math.min(a, sum))) return false;
      }
      return true;
    } finally {
      if (!isBaselineOff) setFlag("liftoff", true);
    }
  });
}

export interface Features {
  /** Modules can be compiled. */
  readonly wasm: boolean;
  readonly simd: boolean;
  /** Relaxed vector instructions are valid; in Node 20 once `configure({ relaxedSimd: true })` has switched them on. */
  readonly relaxedSimd: boolean;
  /** Shared memory can be created and posted to workers. */
  readonly threads: boolean;
  /** V8 joins pairs of 128-bit vectors to 256 bits: its flag is on. */
  readonly revectorize: boolean;
  /** The largest memory that can be created. */
  readonly memory: { readonly shared: boolean; readonly maximumBytes: number };
  /** The version of Node; absent elsewhere. */
  readonly node?: string;
  /** After `configure({ blas: "auto" })`: the native library, or null, and why. */
  readonly blas?: BlasStatus;
}

/** The features that no flag changes. */
const fixedFeatures = /* @__PURE__ */ once((): Omit<Features, "relaxedSimd" | "revectorize"> => {
  const wasm = canCompile();
  const largest = wasm ? openWasmMemory({ initialPages: 0 }) : null;
  const node = nodeVersion();
  return {
    wasm,
    simd: wasm && hasSimd(),
    threads: wasm && hasThreads(),
    memory: { shared: largest?.shared ?? false, maximumBytes: (largest?.maximumPages ?? 0) * pageBytes },
    ...(node === undefined ? {} : { node }),
  };
});

/** The V8 flags of two of the features. */
export const relaxedSimdFlag = "experimental-wasm-relaxed-simd";
export const revectorizeFlag = "experimental-wasm-revectorize";

/** Returns the features of this engine under its current flags. */
export function features(): Features {
  const fixed = fixedFeatures();
  const blas = blasStatus();
  return {
    ...fixed,
    relaxedSimd: fixed.wasm && hasRelaxedSimd(),
    revectorize: fixed.wasm && isFlagOn(revectorizeFlag),
    ...(blas === undefined ? {} : { blas }),
  };
}
