/**
 * Explanations: the steps by which an operation computes its result, or the rule and the numbers that prevent one.
 * Operations record their steps in a trace, and the result is that of the operation itself. The steps of partitions are recorded here, from
 * the functions that partition.ts calls, which keeps that file small.
 */
import { wrongKind } from "../base/arguments.ts";
import { LayoutError, named, type Refusal } from "../base/errors.ts";
import { complement } from "./algebra/complement.ts";
import { composition } from "./algebra/composition.ts";
import { flatDivide, logicalDivide, tiledDivide, zippedDivide } from "./algebra/divide.ts";
import { leftInverse } from "./algebra/left-inverse.ts";
import * as partitions from "./algebra/partition.ts";
import { type Partition, projected, threadCoord } from "./algebra/partition.ts";
import {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  zippedProduct,
} from "./algebra/product.ts";
import { rightInverse } from "./algebra/right-inverse.ts";
import type { SliceCoord } from "./coord.ts";
import { formatLayout, formatTuple } from "./format.ts";
import type { Int } from "./int.ts";
import { type AnyLayout, isComposed, isLayout, type Layout, type Tiler } from "./layout.ts";
import { modeOf } from "./queries.ts";
import { sentenceOf } from "./sentences.ts";
import { type Step, Trace } from "./trace.ts";
import { type IntTuple, productEach } from "./tuple.ts";

/** Records the steps of a partition: its division reports its own, and the coordinate selects in its result. */
function notePartition(layout: AnyLayout, tiler: Tiler, fixed: 0 | 1, coord: SliceCoord, trace?: Trace): void {
  trace?.enter("into tiles", layout, tiler);
  const divided = zippedDivide(layout, tiler, trace);
  trace?.note("result", divided);
  trace?.leave();
  if (fixed === 1) trace?.note("keep the tile", coord, modeOf(divided, 1));
  else trace?.note("keep the rests", coord, modeOf(divided, 0));
}

function innerPartition(layout: AnyLayout, tiler: Tiler, coord: SliceCoord, trace?: Trace): Partition {
  return named("innerPartition", () => {
    notePartition(layout, tiler, 1, coord, trace);
    return partitions.innerPartition(layout, tiler, coord);
  });
}

function outerPartition(layout: AnyLayout, tiler: Tiler, coord: SliceCoord, trace?: Trace): Partition {
  return named("outerPartition", () => {
    notePartition(layout, tiler, 0, coord, trace);
    return partitions.outerPartition(layout, tiler, coord);
  });
}

/** Records the steps of a partition by the marked modes of tiler and coordinate. */
function noteProjected(
  layout: AnyLayout,
  [tiler, fixed, coord]: readonly [Tiler, 0 | 1, SliceCoord],
  projection: SliceCoord | undefined,
  trace?: Trace,
): void {
  const [tile, at] = [projected(projection, tiler), projected(projection, coord)];
  if (projection !== undefined) trace?.note("projected", projection, tile, at);
  notePartition(layout, tile, fixed, at, trace);
  trace?.note(fixed === 1 ? "not a local partition" : "not a local tile");
}

function localTile(
  layout: AnyLayout,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
  trace?: Trace,
): Partition {
  return named("localTile", () => {
    noteProjected(layout, [tiler, 1, coord], projection, trace);
    return partitions.localTile(layout, tiler, coord, projection);
  });
}

function localPartition(
  layout: AnyLayout,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
  trace?: Trace,
): Partition {
  return named("localPartition", () => {
    const coord = threadCoord(threads, index);
    const tile = productEach(threads.shape);
    trace?.note("thread coordinate", index, threads, coord);
    trace?.note("thread tile", threads, tile);
    noteProjected(layout, [tile, 0, coord], projection, trace);
    return partitions.localPartition(layout, threads, index, projection);
  });
}

function threadValuePartition(layout: AnyLayout, threadValues: Layout, thread: SliceCoord, trace?: Trace): Partition {
  return named("threadValuePartition", () => {
    trace?.enter("by threads and values", layout, threadValues);
    const read = composition(layout, threadValues, trace);
    trace?.leave();
    trace?.note("keep the values", thread, modeOf(read, 0));
    return partitions.threadValuePartition(layout, threadValues, thread);
  });
}

export interface Explanation {
  readonly operation: string;
  /** The operands in layout notation. */
  readonly operands: readonly string[];
  readonly steps: readonly Step[];
  /** The result, if there is one. */
  readonly result?: AnyLayout;
  /** The offset of a partition. */
  readonly offset?: IntTuple;
  /** The reason why there is no result. */
  readonly refusal?: Refusal;
}

const operations = {
  composition,
  complement,
  rightInverse,
  leftInverse,
  logicalDivide,
  zippedDivide,
  tiledDivide,
  flatDivide,
  logicalProduct,
  zippedProduct,
  tiledProduct,
  flatProduct,
  blockedProduct,
  rakedProduct,
  innerPartition,
  outerPartition,
  localTile,
  localPartition,
  threadValuePartition,
} as const;

/** The name of an operation that `explain` accepts. */
export type Explainable = keyof typeof operations;
export const explainable: readonly Explainable[] = /* @__PURE__ */ Object.keys(operations) as Explainable[];

type Operands<F> = F extends (...args: infer A) => unknown ? (A extends [...infer Rest, Trace?] ? Rest : A) : never;

/** Runs an operation and returns its steps. A refusal is part of the result, not thrown. */
export function explain<const Name extends Explainable>(
  operation: Name,
  ...operands: Operands<(typeof operations)[Name]>
): Explanation {
  if (!Object.hasOwn(operations, operation))
    throw new LayoutError(`explain: unknown operation ${String(operation)}. Known: ${explainable.join(", ")}`);
  const trace = new Trace();
  const run = operations[operation] as (...args: unknown[]) => AnyLayout | Partition;
  const texts = operands
    .filter((operand) => operand !== undefined)
    // The third and later operands are coordinates.
    .map((operand, i) => (i < 2 ? describe(operand) : formatTuple(operand)));
  const explanation = { operation, operands: texts, steps: trace.steps };
  // The trace is the last argument, so omitted operands are passed as undefined.
  const padded = [...operands, ...new Array<undefined>(arity(operation) - operands.length).fill(undefined)];
  try {
    const result = run(...padded, trace);
    return isLayout(result) || isComposed(result)
      ? { ...explanation, result }
      : { ...explanation, result: result[0], offset: result[1] };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return { ...explanation, refusal: error.detail ?? { operation, rule: "refused", text: error.message, data: {} } };
  }
}

const arities: Partial<Record<Explainable, number>> = {
  rightInverse: 1,
  leftInverse: 1,
  innerPartition: 3,
  outerPartition: 3,
  threadValuePartition: 3,
  localTile: 4,
  localPartition: 4,
};
const arity = (operation: Explainable): number => arities[operation] ?? 2;

const describe = (operand: unknown): string =>
  isLayout(operand) || isComposed(operand)
    ? formatLayout(operand)
    : Array.isArray(operand)
      ? `<${operand.map(describe).join(",")}>`
      : operand === null
        ? "_"
        : formatTuple(operand);

/** Formats an explanation: the operation, its steps indented by depth, and the result or the reason why there is none. */
export function formatExplanation(explanation: Explanation): string {
  if (!Object(explanation).steps) throw wrongKind("formatExplanation", "an explanation, explain(...)", explanation);
  const { operation, operands, steps, result, offset, refusal } = explanation;
  return [
    `${operation}(${operands.join(", ")})`,
    ...steps
      .filter((step) => step.rule !== "result" || step.level > 0)
      .map((step) => `${"  ".repeat(step.level + 1)}${sentenceOf(step)}`),
    result
      ? `= ${formatLayout(result)}${offset === undefined ? "" : ` from offset ${formatTuple(offset)}`}`
      : `refused (${refusal?.rule}): ${refusal?.text}`,
  ].join("\n");
}
