/**
 * The options in effect: how many threads, relaxed SIMD, 256-bit vectors, a native library for products of matrices, forced collections. Environment
 * variables give the first values, when somebody first asks; `configure` (`options.ts`) changes them.
 *
 * V8's flags are switched on only when asked for. After that a probe with known results runs; if it fails, the option and
 * its flag go off again. `configuration().report` says for each option what took effect and why.
 * Relaxed SIMD may round a*b+c once instead of twice, and a native library adds in an order of its own, so both are off unless
 * asked for: results stay the same everywhere.
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
import { cpuAllocator } from "../../storage/allocator.ts";
import type { settleBlas as SettleBlas } from "../blas/settle-blas.ts";
import {
  canCompile,
  hasRelaxedSimd,
  hasThreads,
  isLoopRight,
  isRelaxedSimdRight,
  relaxedSimdFlag,
  revectorizeFlag,
} from "./probes.ts";

/** What can be asked for; what is left out stays as it is. */
export interface Options {
  /** Threads that work, the calling one included: 1 to 64, or one for each processor. "auto" at the start. */
  readonly threads?: number | "auto" | undefined;
  /** Whether kernels may use relaxed vector instructions. */
  readonly relaxedSimd?: boolean | undefined;
  /** Whether V8 joins pairs of vectors to 256 bits (Node 24 and later, on processors with AVX2). */
  readonly revectorize?: boolean | undefined;
  /** Whether large products of matrices go to OpenBLAS ("auto": if it and the package koffi are installed; Node only) or not ("off"). */
  readonly blas?: "auto" | "off" | undefined;
  /** Whether the engine is asked to collect garbage when dropped tensors fill the memory. True at the start. */
  readonly forcedCollection?: boolean | undefined;
  /** Where workers find their program, if a bundler moved it. */
  readonly workerUrl?: string | URL | undefined;
}

/** What is in effect. */
export interface Configuration {
  readonly threads: number;
  readonly relaxedSimd: boolean;
  readonly revectorize: boolean;
  /** "auto" if and only if OpenBLAS is in use. */
  readonly blas: "auto" | "off";
  readonly forcedCollection: boolean;
  readonly workerUrl: string | URL | undefined;
  /** One line for each speed option: what took effect and why. */
  readonly report: readonly string[];
}

/** An option that does not exist, or a value that it cannot have. */
export class ConfigurationError extends StridewiseError {
  override readonly name = "ConfigurationError";
}

type Listener = (now: Configuration, before: Configuration) => void;
/** A value and the reason for it. */
type Settled<T> = readonly [value: T, why: string];

const mostThreads = 64;
const listeners = new Set<Listener>();
/** What each configuration was made of. */
const askedFor = new WeakMap<Configuration, Options>();

/** The settings of this process. */
interface Settings {
  current?: Configuration;
  /** Puts a native library in use; a bundle whose program cannot ask for one does not have it. */
  settleBlas: typeof SettleBlas;
}

const state: Settings = {
  settleBlas: (isAsked) => ({
    library: null,
    why: isAsked ? "a bundle without configure(...) does not have it" : "not asked for",
  }),
};

/** Says how a native library is found; the file of `configure` does. */
export function installBlas(settle: typeof SettleBlas): void {
  state.settleBlas = settle;
}

/** The options in effect. */
export function configuration(): Configuration {
  state.current ??= settle(fromEnvironment());
  return state.current;
}

/** Options asked for beside, or in the place of, those before; what is in effect then. Nothing changes if one cannot be had. */
export function changeOptions(settings: Configuration, given: Options): Configuration {
  const before = configuration();
  const now = settle(askedFor.get(settings) ?? { ...askedFor.get(before), ...given });
  state.current = now;
  for (const listener of listeners) listener(now, before);
  return now;
}

/** Calls the listener after each `configure`; the function returned ends that. From here on the options are settled. */
export function onConfigure(listener: Listener): () => void {
  try {
    configuration();
  } catch {
    // A wrong value in the environment throws when an option is first read.
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** For each option what its values must be, and the test of it. */
export const rules: {
  readonly [Name in keyof Options]-?: readonly [rule: string, isRight: (value: unknown) => boolean];
} = {
  threads: [
    `an integer from 1 to ${mostThreads} or "auto"`,
    (value) =>
      value === "auto" || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= mostThreads),
  ],
  relaxedSimd: ["true or false", (value) => typeof value === "boolean"],
  revectorize: ["true or false", (value) => typeof value === "boolean"],
  blas: ['"auto" or "off"', (value) => value === "auto" || value === "off"],
  forcedCollection: ["true or false", (value) => typeof value === "boolean"],
  workerUrl: ["a string or a URL", (value) => typeof value === "string" || value instanceof URL],
};

export function check(who: string, name: keyof Options, value: unknown): void {
  const [rule, isRight] = rules[name];
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  if (!isRight(value)) throw new ConfigurationError(`${who}: ${name} must be ${rule}, it is ${shown}.`);
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

function settle(options: Options): Configuration {
  const { threads = "auto", relaxedSimd = false, revectorize = false, blas = "off", workerUrl } = options;
  const { forcedCollection = true } = options;
  cpuAllocator().regions.collector.isAllowed = forcedCollection;
  const [threadCount, whyThreads] = settleThreads(threads);
  const [isRelaxed, whyRelaxed] = settleRelaxedSimd(relaxedSimd);
  const [isRevectorized, whyRevectorized] = settleRevectorize(revectorize);
  const { library, why: whyBlas } = state.settleBlas(blas === "auto", threadCount);
  const say = (isOn: boolean) => (isOn ? "on" : "off");
  const settled: Configuration = {
    threads: threadCount,
    relaxedSimd: isRelaxed,
    revectorize: isRevectorized,
    blas: library === null ? "off" : "auto",
    forcedCollection,
    workerUrl,
    report: [
      `threads: ${threadCount}, ${whyThreads}`,
      `relaxedSimd: ${say(isRelaxed)}, ${whyRelaxed}`,
      `revectorize: ${say(isRevectorized)}, ${whyRevectorized}`,
      `blas: ${library ?? "off"}, ${whyBlas}`,
    ],
  };
  askedFor.set(settled, options);
  return Object.freeze(settled);
}

function settleThreads(threads: number | "auto"): Settled<number> {
  const processors = hardwareThreads();
  const found = processors === undefined ? "an unknown number of processors" : `${processors} processors`;
  const count = threads === "auto" ? Math.min(processors ?? 1, mostThreads) : threads;
  if (count > 1 && !canCompile()) return [1, "because there is no WebAssembly here"];
  if (count > 1 && !hasThreads())
    return [1, `because memory cannot be shared here (a page must be cross-origin isolated); ${threads} asked for`];
  return [count, threads === "auto" ? `one for each of ${found}` : `as asked for, on ${found}`];
}

function settleRelaxedSimd(isAsked: boolean): Settled<boolean> {
  if (!isAsked) switchOff(relaxedSimdFlag);
  if (!isAsked) return [false, "not asked for"];
  if (!hasRelaxedSimd()) {
    if (!canCompile()) return [false, "there is no WebAssembly here"];
    const refusal = switchOn(relaxedSimdFlag, 20, 21);
    if (refusal !== undefined) return [false, `this engine does not have it; ${refusal}`];
  }
  return judged(relaxedSimdFlag, hasRelaxedSimd() && isRelaxedSimdRight());
}

function settleRevectorize(isAsked: boolean): Settled<boolean> {
  if (!isAsked) switchOff(revectorizeFlag);
  if (!isAsked) return isFlagOn(revectorizeFlag) ? [true, "its flag was given at the start"] : [false, "not asked for"];
  if (!canCompile()) return [false, "there is no WebAssembly here"];
  const refusal = isFlagOn(revectorizeFlag) ? undefined : switchOn(revectorizeFlag, 24, Infinity);
  return refusal === undefined ? judged(revectorizeFlag, isLoopRight()) : [false, refusal];
}

/** The flags that are on because of this file. */
const switched = new Set<string>();

/** Switches a flag on in the Nodes that know it; a text says why that cannot be. */
function switchOn(flag: string, firstNode: number, lastNode: number): string | undefined {
  const version = nodeVersion();
  if (version === undefined) return "only Node can switch V8's flags";
  const major = Number.parseInt(version, 10);
  if (major < firstNode || major > lastNode)
    return `--${flag} is switched on in Node ${firstNode}${lastNode === firstNode ? "" : lastNode < 99 ? ` to ${lastNode}` : " and later"} only, this is ${version}`;
  if (builtinModule("v8") === undefined)
    return `Node ${version} has no process.getBuiltinModule (20.16 has): start it with --${flag}`;
  if (!setFlag(flag, true)) return `V8's flags cannot be set in this program: start it with --${flag}`;
  switched.add(flag);
  return undefined;
}

function switchOff(flag: string): void {
  if (switched.delete(flag)) setFlag(flag, false);
}

/** The end of switching on: the probe's answer decides. */
function judged(flag: string, isRight: boolean): Settled<boolean> {
  const how = switched.has(flag) ? `--${flag} was switched on` : "the engine has it";
  if (!isRight) switchOff(flag);
  return [isRight, isRight ? `${how} and its probe is right` : `${how}, but its probe gave wrong results`];
}
