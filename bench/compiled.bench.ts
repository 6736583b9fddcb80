/**
 * The costs of `compile` besides the time of its programs, for the transformer block of the rows: tracing and compiling
 * in a new process, the first call at each further size and the kernels compiled for it, and peak memory compared with
 * the eager block. Each process measures once; medians count. One thread.
 *
 *   npm run bench compiled
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as stridewise from "stridewise";
import { type Compiled, compile, configure, kernelStatistics, memoryStatistics, scope, type Tensor } from "stridewise";
import * as nn from "stridewise/nn";
import * as optim from "stridewise/optim";
import { describeMachine, median } from "./harness.ts";
import { filled, side } from "./rows/row.ts";
import { stridewiseBlock, transformerBlock } from "./rows/transformer.ts";

const processes = 7;
const sequence = side(256);
/** Batches and sequences. The first call is eager; the second is the first one that is traced. */
const first = [1, sequence] as const;
const further = [
  [2, sequence],
  [8, sequence],
  [1, sequence / 2],
  [3, Math.ceil(sequence / 3)],
].map(([batch = 0, length = 0]) => [batch, Math.floor(length)] as const);

type Size = readonly [batch: number, sequence: number];
type Block = (x: Tensor) => Tensor;

const measurements: Readonly<Record<string, () => Record<string, number>>> = { times, kernels, eager, compiled };
const [name] = process.argv.slice(2);
if (name === undefined) report();
else console.log(JSON.stringify((measurements[name] as () => object)()));

// ---- Measurements, each in a process of its own ----------------------------------------------------------------

/** Milliseconds of calls, by what they do. */
function times(): Record<string, number> {
  const eager = block();
  const run = compile(eager);
  const result: Record<string, number> = {};
  const x = input(first);
  result["first call, eager"] = timeOf(run, x);
  result["second call: traced and compiled"] = timeOf(run, x);
  result["third call"] = timeOf(run, x);
  checkEqual(run, eager, x);
  for (const size of further) {
    const x = input(size);
    result[`first call of ${show(size)}`] = timeOf(run, x);
    result[`second call of ${show(size)}`] = timeOf(run, x);
    checkEqual(run, eager, x);
  }
  return result;
}

/** Kernels compiled, by the call. Ops choose kernels by size, so the eager block is called at each size first. */
function kernels(): Record<string, number> {
  const eager = block();
  const run = compile(eager);
  const result: Record<string, number> = {};
  const count = (what: string, call: () => Tensor): void => {
    const before = kernelStatistics().compiled;
    call().dispose();
    result[what] = kernelStatistics().compiled - before;
  };
  run(input(first)).dispose();
  for (const size of [first, ...further]) {
    const x = input(size);
    if (size !== first) count(`eager ${show(size)}`, () => scope(() => eager(x)));
    count(`compiled ${show(size)}`, () => run(x));
  }
  run.graph();
  return result;
}

/** The memory of an eager call. */
function eager(): Record<string, number> {
  const run = block();
  const [small, x] = [input([1, 1]), input([8, sequence])];
  scope(() => run(small)).dispose();
  return memoryOf(() => scope(() => run(x)));
}

/** The same of a program, without the eager call: that has one token. Its workspace is not among the tensors. */
function compiled(): Record<string, number> {
  const run = compile(block());
  const [small, x] = [input([1, 1]), input([8, sequence])];
  run(small).dispose();
  const memory = memoryOf(() => run(x));
  return { ...memory, arena: arenaOf(run) };
}

/** The block with the parameters of the rows. */
function block(): Block {
  configure({ threads: 1 });
  const shape = transformerBlock(1, 1).inputs.y as readonly number[];
  const y = stridewise.tensor(filled("y", shape)) as Tensor;
  return stridewiseBlock({ ...stridewise, nn, optim }, y);
}

function input([batch, length]: Size): Tensor {
  const shape = transformerBlock(batch, length).inputs.x as readonly number[];
  return stridewise.tensor(filled("x", shape)).view(...shape) as Tensor;
}

function timeOf(run: Block, x: Tensor): number {
  const begun = performance.now();
  run(x).dispose();
  return performance.now() - begun;
}

/** Throws unless the results have the same bits. */
function checkEqual(run: Block, eager: Block, x: Tensor): void {
  const [one, other] = [run(x), scope(() => eager(x))].map(
    (t) => new Uint8Array((t.toTypedArray() as Float32Array).slice().buffer),
  );
  if (Buffer.compare(one as Uint8Array, other as Uint8Array) !== 0)
    throw new Error(`bench: the compiled block differs from the eager one for [${x.shape}]`);
}

/**
 * Bytes beyond those before the call: the peak of live tensors, and the growth of the heap, which has workspaces too.
 * Both only increase, so calls before this one must need less. The heap grows in steps: its number is an upper bound.
 */
function memoryOf(call: () => Tensor): { readonly tensors: number; readonly heap: number } {
  const before = memoryStatistics();
  const t = call();
  const { peak, reserved } = memoryStatistics();
  if (peak === before.peak) throw new Error("bench: the peak of memory was before the call");
  t.dispose();
  return { tensors: peak - before.live, heap: reserved - before.reserved + before.free };
}

/** The bytes of the workspace for values that `explain` states. */
function arenaOf(run: Compiled<Block>): number {
  const text = /([\d,]+) bytes of workspace/.exec(run.explain())?.[1];
  if (text === undefined) throw new Error("bench: explain() states no workspace");
  return Number(text.replaceAll(",", ""));
}

// ---- The report ------------------------------------------------------------------------------------------------

/** Runs a measurement in processes and returns the median of each number. */
function medians(measurement: string, count: number): Record<string, number> {
  const results = Array.from({ length: count }, () => {
    const script = fileURLToPath(import.meta.url);
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, measurement], { encoding: "utf8" });
    if (status !== 0) throw new Error(`bench: ${measurement} failed: ${stderr.trim()}`);
    return JSON.parse(stdout) as Record<string, number>;
  });
  const names = Object.keys(results[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(results.map((result) => result[name] as number))]));
}

function report(): void {
  console.log(`${describeMachine()}\na transformer block, width 512, of batch x sequence; first ${show(first)}`);
  print(`milliseconds (medians of ${processes} processes)`, medians("times", processes), (ms) => ms.toFixed(2));
  print("kernels compiled, after those of the eager call", medians("kernels", 1), String);
  const [program, plain] = [medians("compiled", 1), medians("eager", 1)];
  const bytes = (count: number): string => `${(count / 2 ** 20).toFixed(2)} MB`;
  print(
    `peak memory of ${show([8, sequence])}, beyond parameters and input`,
    {
      "eager, in a scope: tensors": plain.tensors as number,
      "eager, in a scope: heap": plain.heap as number,
      "compiled: tensors": program.tensors as number,
      "compiled: values in the workspace": program.arena as number,
      "compiled: heap": program.heap as number,
    },
    bytes,
  );
}

function print(title: string, lines: Readonly<Record<string, number>>, text: (value: number) => string): void {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(lines)) console.log(`  ${name.padEnd(36)}${text(value).padStart(12)}`);
}

function show([batch, length]: Size): string {
  return `${batch} x ${length}`;
}
