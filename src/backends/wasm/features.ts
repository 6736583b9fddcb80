/**
 * What the engine can do, asked once with tiny modules when somebody wants to know. Never throws: without WebAssembly
 * all answers are no. What V8's flags change is asked anew each time, since `configure` switches them.
 */
import { isFlagOn, nodeVersion } from "../../base/host.ts";
import { openWasmMemory, pageBytes } from "../../storage/heap.ts";
import { type BlasFound, blasFound } from "../blas/settle-blas.ts";
import { canCompile, hasRelaxedSimd, hasSimd, hasThreads } from "./probes.ts";

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

let fixed: Omit<Features, "relaxedSimd" | "revectorize"> | undefined;

function probe(): Omit<Features, "relaxedSimd" | "revectorize"> {
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
}

/** The V8 flags behind two of the features. */
export const relaxedSimdFlag = "experimental-wasm-relaxed-simd";
export const revectorizeFlag = "experimental-wasm-revectorize";

/** What this engine can do now. */
export function features(): Features {
  fixed ??= probe();
  const blas = blasFound();
  return {
    ...fixed,
    relaxedSimd: fixed.wasm && hasRelaxedSimd(),
    revectorize: fixed.wasm && isFlagOn(revectorizeFlag),
    ...(blas === undefined ? {} : { blas }),
  };
}
