/**
 * Runs specs over cases on the current backend, and compares all bytes with the results of the reference.
 *
 * The reference uses neither plans nor strides here: the elements are gathered by nested loops, computed as one dense
 * line, and scattered. A failure reports the whole case: its numbers, the coordinate, both values, the inputs there,
 * the operands, and the text of the kernels that ran.
 */
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { environmentVariable } from "../../src/base/host.ts";
import { type CompiledKernel, type KernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import type { Kernel } from "../../src/kernel/ir/kernel.ts";
import { printKernel } from "../../src/kernel/ir/print.ts";
import { buildMap } from "../../src/kernel/map/build.ts";
import { MapKernel } from "../../src/kernel/map/map.ts";
import type { MapSpec } from "../../src/kernel/map/spec.ts";
import type { Operand } from "../../src/kernel/operand.ts";
import { tiling } from "../../src/kernel/plan/tiles.ts";
import { runMap } from "../../src/kernel/program/lower-map.ts";
import { dtypes } from "../../src/storage/dtype.ts";
import { memoryOf } from "../../src/storage/memory.ts";
import { type Arena, bytesIn, elementsOf, type KernelCase } from "./kernel-cases.ts";
import { differenceOf, textOf } from "./kernel-difference.ts";
import type { JudgedSpec, Steps } from "./kernel-specs.ts";
import { describeOperand } from "./operands.ts";

/** LAW_CASES of the environment, or in a page of its global object; undefined if it is not set. */
export const requestedCases: number | undefined = ((): number | undefined => {
  const cases = environmentVariable("LAW_CASES") ?? (globalThis as { LAW_CASES?: number }).LAW_CASES;
  return cases === undefined ? undefined : Number(cases);
})();

/** Computes a spec by the reference, as one dense line. */
export class Oracle {
  private readonly spec: MapSpec;
  private readonly program: CompiledKernel;

  constructor(spec: MapSpec) {
    this.spec = spec;
    const operands = spec.outputs.length + spec.inputs.length;
    const classes = (4 ** operands - 1) / 3;
    const kernel = buildMap(spec, { kind: "line", classes, second: 0, isTransposing: false });
    this.program = referenceBackend().compile(kernel);
  }

  /** The bytes of each arena after the case. */
  run({ arenas, arenaOf, operands, scalars }: KernelCase): Uint8Array[] {
    const outputs = this.spec.outputs.length;
    const after = arenas.map(({ initial }) => initial.slice());
    const elements = operands.map(elementsOf);
    const n = (elements[0] as number[]).length;
    // Space for n elements of the largest dtype.
    const lineBytes = 16 * n + 16;
    const memory = memoryOf(new ArrayBuffer(operands.length * lineBytes));
    const lines = memory.array("u8") as Uint8Array;
    const eachElement = (k: number, use: (inLine: number, inArena: number, size: number) => void): void => {
      const { itemsize } = dtypes[(operands[k] as Operand).dtype];
      (elements[k] as number[]).forEach((at, i) => {
        use(k * lineBytes + i * itemsize, at * itemsize, itemsize);
      });
    };
    // Outputs too: a masked output keeps its old elements.
    for (let k = 0; k < operands.length; k++) {
      const { initial } = arenas[arenaOf[k] as number] as Arena;
      eachElement(k, (inLine, at, size) => lines.set(initial.subarray(at, at + size), inLine));
    }
    this.program.run({
      memories: operands.map(() => memory),
      addresses: operands.map((_, k) => k * lineBytes),
      scalars: [...scalars],
      sizes: [n, Math.max(1, n)],
      modes: [],
      units: 1,
      unitSize: n,
    });
    for (let k = 0; k < outputs; k++) {
      const bytes = after[arenaOf[k] as number] as Uint8Array;
      eachElement(k, (inLine, at, size) => bytes.set(lines.subarray(inLine, inLine + size), at));
    }
    return after;
  }
}

/** Fills the arenas, runs the case, and returns the bytes afterward. */
export function runCase(kernel: MapKernel, test: KernelCase): Uint8Array[] {
  const before = { ...tiling };
  for (const arena of test.arenas) bytesIn(arena).set(arena.initial);
  Object.assign(tiling, { unit: test.unit, acrossBytes: test.side, alongBytes: test.side });
  try {
    runMap(kernel, test.operands, test.scalars, { idempotent: test.idempotent });
  } finally {
    Object.assign(tiling, before);
  }
  return test.arenas.map((arena) => bytesIn(arena).slice());
}

/** A backend that compiles every kernel, and caches them. */
function watched(backend: KernelBackend): KernelBackend & { readonly kernels: Kernel[] } {
  const kernels: Kernel[] = [];
  const compile = (kernel: Kernel): CompiledKernel => {
    kernels.push(kernel);
    return backend.compile(kernel);
  };
  const compiling = Object.create(backend, { stepsFirst: { value: false } }) as KernelBackend;
  return Object.assign(compiling, { kernels, compile });
}

/** Fails if a case of a spec differs from the reference by more than the spec allows. */
export function expectAgreement(
  what: string,
  { spec, steps }: JudgedSpec,
  cases: readonly KernelCase[],
  backend: KernelBackend,
  after?: (kernel: MapKernel, results: readonly (readonly Uint8Array[])[], report: Report) => void,
): void {
  const watcher = watched(backend);
  const oracle = new Oracle(spec);
  const kernel = new MapKernel(spec);
  replaceBackend(watcher);
  const report: Report = (test, difference) => {
    const texts = watcher.kernels.map((each) => printKernel(each));
    throw new Error([`${what}, ${spec.name}: ${difference}`, describeCase(test), ...texts].join("\n"));
  };
  const results = cases.map((test) => {
    const result = attempt(
      () => runCase(kernel, test),
      (error) => report(test, String(error)),
    );
    const difference = differenceOf(test, oracle.run(test), result, steps as readonly Steps[]);
    if (difference !== undefined) report(test, difference);
    return result;
  });
  after?.(kernel, results, report);
}

export type Report = (test: KernelCase, difference: string) => void;

function attempt<T>(run: () => T, onError: (error: unknown) => void): T {
  try {
    return run();
  } catch (error) {
    onError(error);
    throw error;
  }
}

/** Describes the operands of a case. */
export function describeCase({ operands, arenas, arenaOf, scalars, unit, side, idempotent }: KernelCase): string {
  const lines = operands.map((operand, k) => {
    const { memory } = arenas[arenaOf[k] as number] as Arena;
    return `  ${describeOperand(operand)} in arena ${arenaOf[k]} (${memory.kind}${operand.isStatic ? ", static" : ""})`;
  });
  return [
    `units of ${unit}, sides of ${side} bytes, scalars ${scalars.map(textOf).join(", ") || "none"}${idempotent ? ", idempotent" : ""}`,
    ...lines,
  ].join("\n");
}
