/**
 * The options in effect: number of threads, relaxed SIMD, 256-bit vectors, a native library for matrix products, forced collections.
 * Environment variables set the initial values at first use; `configure` (`options.ts`) changes them.
 *
 * V8's flags are switched on only on request. A probe with known results then runs; if it fails, the option and its flag are switched off
 * again. `configuration().report` lists the effect of each option and the reason.
 * Relaxed SIMD may round a*b+c once instead of twice. By default only sums of products use it (matrix products and convolutions), and only where the
 * engine has it without a flag. A native library, which adds in a different order, is off by default.
 */

import { StridewiseError } from "../../base/errors.ts";
import {
  builtinModule,
  environmentVariable,
  hardwareThreads,
  isFlagOn,
  nodeVersion,
  setFlag,
} from "../../base/host.ts";
import { runtime } from "../../base/runtime.ts";
import { cpuAllocator } from "../../storage/allocator.ts";
import type { resolveBlas as ResolveBlas } from "../blas/resolve-blas.ts";
import {
  canCompile,
  hasRelaxedSimd,
  hasThreads,
  passesLoopTest,
  passesRelaxedSimdTest,
  relaxedSimdFlag,
  revectorizeFlag,
} from "./probes.ts";

/** The options of `configure`; omitted ones stay as they are. */
export interface Options {
  /** Number of threads, the calling one included: 1 to 64, or "auto" for one per CPU (the default). */
  readonly threads?: number | "auto" | undefined;
  /** The kernels that may use relaxed vector instructions: matrix products and convolutions ("products", the default), all (true) or none (false). */
  readonly relaxedSimd?: boolean | "products" | undefined;
  /** Whether V8 joins pairs of vectors to 256 bits (Node 24 and later, on processors with AVX2). */
  readonly revectorize?: boolean | undefined;
  /** Whether OpenBLAS computes large matrix products: "auto" if it and the package koffi are installed (Node only), or "off" (the default). */
  readonly blas?: "auto" | "off" | undefined;
  /** Whether to force garbage collections when dropped tensors fill the memory. True by default. */
  readonly forcedCollection?: boolean | undefined;
  /** The address of the workers' program, if a bundler moved it. */
  readonly workerUrl?: string | URL | undefined;
}

/** The options in effect. */
export interface Configuration {
  readonly threads: number;
  readonly relaxedSimd: boolean | "products";
  readonly revectorize: boolean;
  /** "auto" if and only if OpenBLAS is in use. */
  readonly blas: "auto" | "off";
  readonly forcedCollection: boolean;
  readonly workerUrl: string | URL | undefined;
  /** One line for each speed option: its effect and the reason. */
  readonly report: readonly string[];
}

/** An unknown option or an invalid value. */
export class ConfigurationError extends StridewiseError {
  override readonly name = "ConfigurationError";
}

type Listener = (now: Configuration, before: Configuration) => void;
/** A value and the reason for it. */
type Resolved<T> = readonly [value: T, why: string];

const maxThreads = 64;
const listeners = new Set<Listener>();
/** The options that a configuration was requested with, and its report before workers were lost. */
interface Origin {
  readonly options: Options;
  readonly report: readonly string[];
}

const origins = new WeakMap<Configuration, Origin>();

/** The settings of this process. */
interface Settings {
  current?: Configuration;
  /** Enables a native library; a bundle without `configure` does not include it. */
  resolveBlas: typeof ResolveBlas;
}

const state: Settings = /* @__PURE__ */ runtime.own("backends/wasm/settings", {
  resolveBlas: (isRequested) => {
    const reason = isRequested ? "a bundle without configure(...) does not have it" : "not requested";
    return { library: null, reason, why: reason };
  },
});

/** Installs the function that opens a native library; `options.ts` calls it. */
export function installBlas(resolve: typeof ResolveBlas): void {
  state.resolveBlas = resolve;
}

/** The options in effect. */
export function configuration(): Configuration {
  state.current ??= resolveOptions(fromEnvironment());
  return state.current;
}

/** Changes options, or restores those of an earlier configuration, and returns the configuration in effect. */
export function changeOptions(settings: Configuration, changes: Options): Configuration {
  const before = configuration();
  const now = resolveOptions(origins.get(settings)?.options ?? { ...origins.get(before)?.options, ...changes });
  state.current = now;
  for (const listener of listeners) listener(now, before);
  return now;
}

/** States the number of lost workers in the report of the options in effect, if the workers were started for these. */
export function reportLostWorkers({ threads, workerUrl }: Configuration, count: number): void {
  const now = configuration();
  if (now.threads !== threads || now.workerUrl !== workerUrl) return;
  const origin = origins.get(now) as Origin;
  const [first, ...others] = origin.report;
  const text = `${first}; ${count} ${count === 1 ? "worker" : "workers"} did not start or ended early`;
  state.current = Object.freeze({ ...now, report: [text, ...others] });
  origins.set(state.current, origin);
}

/** Calls the listener after each `configure`. Returns a function that removes it. Reads the environment now. */
export function onConfigure(listener: Listener): () => void {
  try {
    configuration();
  } catch {
    // An invalid value in the environment throws when an option is first read.
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The rule for the values of each option, and its test. */
export const rules: {
  readonly [Name in keyof Options]-?: readonly [rule: string, isValid: (value: unknown) => boolean];
} = {
  threads: [
    `an integer from 1 to ${maxThreads} or "auto"`,
    (value) =>
      value === "auto" || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxThreads),
  ],
  relaxedSimd: ['true, false or "products"', (value) => value === "products" || typeof value === "boolean"],
  revectorize: ["true or false", (value) => typeof value === "boolean"],
  blas: ['"auto" or "off"', (value) => value === "auto" || value === "off"],
  forcedCollection: ["true or false", (value) => typeof value === "boolean"],
  workerUrl: ["a string or a URL", (value) => typeof value === "string" || value instanceof URL],
};

export function check(who: string, name: keyof Options, value: unknown): void {
  const [rule, isValid] = rules[name];
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  if (!isValid(value)) throw new ConfigurationError(`${who}: ${name} must be ${rule}, got ${shown}.`);
}

const variables = {
  threads: "STRIDEWISE_THREADS",
  relaxedSimd: "STRIDEWISE_RELAXED_SIMD",
  revectorize: "STRIDEWISE_REVECTORIZE",
  blas: "STRIDEWISE_BLAS",
  forcedCollection: "STRIDEWISE_FORCED_COLLECTION",
};
const words: Readonly<Record<string, boolean>> = { 1: true, true: true, on: true, 0: false, false: false, off: false };

function fromEnvironment(): Options {
  const options: Record<string, unknown> = {};
  for (const name of Object.keys(variables) as (keyof typeof variables)[]) {
    const text = environmentVariable(variables[name])?.trim().toLowerCase();
    if (text === undefined) continue;
    const isWord = name !== "threads" && name !== "blas" && Object.hasOwn(words, text);
    const value = isWord ? words[text] : name === "threads" && /^\d+$/.test(text) ? Number(text) : text;
    check(variables[name], name, value);
    options[name] = value;
  }
  return options;
}

function resolveOptions(options: Options): Configuration {
  const { threads = "auto", relaxedSimd = "products", revectorize = false, blas = "off", workerUrl } = options;
  const { forcedCollection = true } = options;
  cpuAllocator().regions.collector.isAllowed = forcedCollection;
  const [threadCount, threadsReason] = resolveThreads(threads);
  const [isRelaxed, relaxedReason] = resolveRelaxedSimd(relaxedSimd);
  const [isRevectorized, revectorizedReason] = resolveRevectorize(revectorize);
  const { library, reason: blasReason } = state.resolveBlas(blas === "auto", threadCount);
  const say = (isOn: boolean) => (isOn ? "on" : "off");
  const resolved: Configuration = {
    threads: threadCount,
    relaxedSimd: isRelaxed,
    revectorize: isRevectorized,
    blas: library === null ? "off" : "auto",
    forcedCollection,
    workerUrl,
    report: [
      `threads: ${threadCount}, ${threadsReason}`,
      `relaxedSimd: ${isRelaxed === "products" ? "in products" : say(isRelaxed)}, ${relaxedReason}`,
      `revectorize: ${say(isRevectorized)}, ${revectorizedReason}`,
      `blas: ${library ?? "off"}, ${blasReason}`,
    ],
  };
  origins.set(resolved, { options, report: resolved.report });
  return Object.freeze(resolved);
}

function resolveThreads(threads: number | "auto"): Resolved<number> {
  const processors = hardwareThreads();
  const available = processors === undefined ? "an unknown number of CPUs" : `${processors} CPUs`;
  const count = threads === "auto" ? Math.min(processors ?? 1, maxThreads) : threads;
  if (count > 1 && !canCompile()) return [1, "because there is no WebAssembly here"];
  if (count > 1 && !hasThreads())
    return [1, `because memory cannot be shared here (a page must be cross-origin isolated); ${threads} requested`];
  return [count, threads === "auto" ? `one for each of ${available}` : `as requested, on ${available}`];
}

function resolveRelaxedSimd(request: boolean | "products"): Resolved<boolean | "products"> {
  if (request !== true) switchOff(relaxedSimdFlag);
  if (request === false) return [false, "not requested"];
  if (request === "products") {
    if (!hasRelaxedSimd()) return [false, "this engine does not have it without a flag"];
    const [passes, reason] = afterProbe(relaxedSimdFlag, passesRelaxedSimdTest());
    return [passes && "products", reason];
  }
  if (!hasRelaxedSimd()) {
    if (!canCompile()) return [false, "there is no WebAssembly here"];
    const refusal = switchOn(relaxedSimdFlag, 20, 21);
    if (refusal !== undefined) return [false, `this engine does not support it; ${refusal}`];
  }
  return afterProbe(relaxedSimdFlag, hasRelaxedSimd() && passesRelaxedSimdTest());
}

function resolveRevectorize(isRequested: boolean): Resolved<boolean> {
  if (!isRequested) switchOff(revectorizeFlag);
  if (!isRequested) return isFlagOn(revectorizeFlag) ? [true, "enabled on the command line"] : [false, "not requested"];
  if (!canCompile()) return [false, "there is no WebAssembly here"];
  const refusal = isFlagOn(revectorizeFlag) ? undefined : switchOn(revectorizeFlag, 24, Infinity);
  return refusal === undefined ? afterProbe(revectorizeFlag, passesLoopTest()) : [false, refusal];
}

/** The flags that this file has switched on. */
const switched = new Set<string>();

/** Switches a flag on in the versions of Node that have it. Returns the reason if that is impossible. */
function switchOn(flag: string, firstNode: number, lastNode: number): string | undefined {
  const version = nodeVersion();
  if (version === undefined) return "only Node can switch V8's flags";
  const major = Number.parseInt(version, 10);
  if (major < firstNode || major > lastNode)
    return `--${flag} is switched on in Node ${firstNode}${lastNode === firstNode ? "" : lastNode < 99 ? ` to ${lastNode}` : " and later"} only; this is ${version}`;
  if (builtinModule("v8") === undefined)
    return `Node ${version} has no process.getBuiltinModule (20.16 has): start it with --${flag}`;
  if (!setFlag(flag, true)) return `V8's flags cannot be set in this program: start it with --${flag}`;
  switched.add(flag);
  return undefined;
}

function switchOff(flag: string): void {
  if (switched.delete(flag)) setFlag(flag, false);
}

/** The result after a probe, which decides whether the flag stays on. */
function afterProbe(flag: string, passes: boolean): Resolved<boolean> {
  const how = switched.has(flag) ? `--${flag} was switched on` : "the engine supports it";
  if (!passes) switchOff(flag);
  return [passes, passes ? `${how} and its self-test passed` : `${how}, but its self-test failed`];
}
