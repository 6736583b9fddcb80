/**
 * The features of the engine, probed with tiny modules: whether it has each, and whether it does it right.
 * Nothing here throws: without WebAssembly, and where a probe cannot be compiled, the answer is no. `features` probes once; what V8's flags
 * change is probed each time, since `configure` switches them.
 */

import { isFlagOn, nodeVersion, setFlag } from "../../base/host.ts";
import { once } from "../../base/remember.ts";
import { canShareMemory, openWasmMemory, pageBytes } from "../../storage/heap.ts";
import { type BlasFound, blasFound } from "../blas/settle-blas.ts";
import type { Instruction, ValueType } from "./encoder/instructions.ts";
import { encodeModule } from "./encoder/module.ts";

/** What `ask` answers, or false if it throws. */
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
  params: ValueType[],
  results: ValueType[],
  code: Instruction[],
  locals: ValueType[] = [],
): Uint8Array<ArrayBuffer> {
  return encodeModule({
    // A name of its own keeps V8 from answering with code that it compiled under other flags.
    name: `probe ${probes.count++}`,
    imports: [{ module: "env", name: "memory", kind: "memory", shared: false, initial: 1, maximum: 1 }],
    functions: [{ name: "run", params, results, locals, code }],
    exports: [{ name: "run", function: 0 }],
  });
}

/** Compiles such a module; its memory can be read afterwards. */
function compile(bytes: Uint8Array<ArrayBuffer>): { run: (...args: number[]) => number; memory: Float32Array } {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  return { run: exports["run"] as (...args: number[]) => number, memory: new Float32Array(memory.buffer) };
}

/** True if and only if modules can be compiled; a page's policy may forbid it. */
export function canCompile(): boolean {
  return isTrue(
    () => new WebAssembly.Module(encodeModule({ name: "", imports: [], functions: [], exports: [] })) != null,
  );
}

/** True if and only if modules with 128-bit vectors are valid here. */
export function hasSimd(): boolean {
  return isTrue(() => WebAssembly.validate(moduleOf([], [], [["i32.const", 0], ["i32x4.splat"], ["drop"]])));
}

/** True if and only if modules with relaxed vector instructions are valid here, now. */
export function hasRelaxedSimd(): boolean {
  return isTrue(() => WebAssembly.validate(multiplyAdd("f32", "f32x4.relaxed_madd")));
}

/** True if and only if a shared memory can be made and posted to a worker. */
export function hasThreads(): boolean {
  const make = () => new WebAssembly.Memory({ initial: 0, maximum: 1, shared: true }).buffer;
  return isTrue(() => canShareMemory() && make() instanceof SharedArrayBuffer);
}

type Fused = `${"f32x4" | "f64x2"}.relaxed_${"madd" | "nmadd"}`;

function multiplyAdd(type: "f32" | "f64", op: Fused): Uint8Array<ArrayBuffer> {
  const lanes = type === "f32" ? "f32x4" : "f64x2";
  const splat = (local: number): Instruction[] => [["local.get", local], [`${lanes}.splat`]];
  const code: Instruction[] = [...splat(0), ...splat(1), ...splat(2), [op], [`${lanes}.extract_lane`, 1]];
  return moduleOf([type, type, type], [type], code);
}

/** True if and only if relaxed multiply-add gives x*y + z rounded once or twice, as it may, on inputs that tell them apart. */
export function isRelaxedSimdRight(): boolean {
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
/** Where the results of the loop lie in the probe's memory, in bytes. */
const resultsAt = 32768;

/**
 * From address 0 on: result = min(|x| * a + x, a). V8 joins the two vectors of a round to 256 bits only if nothing is stored
 * between their loads. Locals: address, a, the vectors x and y.
 */
function pairedLoop(): Instruction[] {
  const load = (offset: number, x: number): Instruction[] => [
    ["local.get", 0],
    ["v128.load", 4, offset],
    ["local.set", x],
  ];
  const splat: Instruction[] = [["local.get", 1], ["f32x4.splat"]];
  const compute = (x: number): Instruction[] => [
    ["local.get", x],
    ["f32x4.abs"],
    ...splat,
    ["f32x4.mul"],
    ["local.get", x],
    ["f32x4.add"],
    ...splat,
    ["f32x4.pmin"],
    ["local.set", x],
  ];
  const store = (offset: number, x: number): Instruction[] => [
    ["local.get", 0],
    ["local.get", x],
    ["v128.store", 4, resultsAt + offset],
  ];
  return [
    ["loop"],
    ...load(0, 2),
    ...load(16, 3),
    ...compute(2),
    ...compute(3),
    ...store(0, 2),
    ...store(16, 3),
    ["local.get", 0],
    ["i32.const", 32],
    ["i32.add"],
    ["local.tee", 0],
    ["i32.const", 32 * rounds],
    ["i32.lt_u"],
    ["br_if", 0],
    ["end"],
  ];
}

/**
 * True if and only if a vector loop, compiled by the optimising compiler with the flags of this moment, gives the bits of
 * the same arithmetic in JavaScript.
 */
export function isLoopRight(): boolean {
  return isTrue(() => {
    // Without the baseline compiler the first call runs optimised code, which is what is asked about.
    const isBaselineOff = isFlagOn("no-liftoff") || !setFlag("liftoff", false);
    try {
      const { run, memory } = compile(moduleOf(["i32", "f32"], [], pairedLoop(), ["v128", "v128"]));
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
  /** Shared memory can be made and posted to workers. */
  readonly threads: boolean;
  /** V8 joins pairs of 128-bit vectors to 256 bits: its flag is on. */
  readonly revectorize: boolean;
  /** The largest memory that can be made. */
  readonly memory: { readonly shared: boolean; readonly maximumBytes: number };
  /** The version of Node, where it is Node. */
  readonly node?: string;
  /** While `configure({ blas: "auto" })` is asked for: the native library, or null, and why. */
  readonly blas?: BlasFound;
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

/** The V8 flags behind two of the features. */
export const relaxedSimdFlag = "experimental-wasm-relaxed-simd";
export const revectorizeFlag = "experimental-wasm-revectorize";

/** What this engine can do now. */
export function features(): Features {
  const fixed = fixedFeatures();
  const blas = blasFound();
  return {
    ...fixed,
    relaxedSimd: fixed.wasm && hasRelaxedSimd(),
    revectorize: fixed.wasm && isFlagOn(revectorizeFlag),
    ...(blas === undefined ? {} : { blas }),
  };
}
