/**
 * Explain: how an operation comes to its answer, or which rule and which numbers stand in its way.
 * The steps are those that the operation itself took: the same code, listened to.
 *
 * Partitions with their steps are the same divides, coordinates and slices as in partition.ts, each noted in a trace.
 */
import { wrongKind } from "../base/arguments.ts";
import { LayoutError, type Refusal } from "../base/errors.ts";
import { complement } from "./algebra/complement.ts";
import { composition } from "./algebra/composition.ts";
import { flatDivide, logicalDivide, tiledDivide, zippedDivide } from "./algebra/divide.ts";
import { leftInverse } from "./algebra/left-inverse.ts";
import { type Partition, partAt, projected, threadCoord } from "./algebra/partition.ts";
import {
  blockedProduct,
  flatProduct,
  logicalProduct,
  rakedProduct,
  tiledProduct,
  zippedProduct,
} from "./algebra/product.ts";
import { rightInverse } from "./algebra/right-inverse.ts";
import { sliceAndOffset } from "./algebra/swizzled.ts";
import { _, type SliceCoord } from "./coord.ts";
import { formatLayout, formatTuple } from "./format.ts";
import type { Int } from "./int.ts";
import { type AnyLayout, isComposed, isLayout, type Layout } from "./layout.ts";
import { modeOf } from "./queries.ts";
import { sentenceOf } from "./sentences.ts";
import type { Tiler } from "./tiler.ts";
import { type Step, Trace } from "./trace.ts";
import { type IntTuple, productEach } from "./tuple.ts";

/** A layout as steps name it; a swizzle prints itself, so any kind will do. */
const named = (layout: AnyLayout): Layout => layout as Layout;

function divided(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  trace?.note("into tiles", { layout: named(layout), tiler });
  trace?.enter();
  const tiled = zippedDivide(layout, tiler, trace);
  trace?.note("result", { result: named(tiled) });
  trace?.leave();
  return tiled;
}

/** innerPartition, told. */
function innerPartition(layout: AnyLayout, tiler: Tiler, coord: SliceCoord, trace?: Trace): Partition {
  const tiled = divided(layout, tiler, trace);
  trace?.note("keep the tile", { coord, rests: named(modeOf(tiled, 1)) });
  return partAt(tiled, 1, coord);
}

/** outerPartition, told. */
function outerPartition(layout: AnyLayout, tiler: Tiler, coord: SliceCoord, trace?: Trace): Partition {
  const tiled = divided(layout, tiler, trace);
  trace?.note("keep the rests", { coord, tiles: named(modeOf(tiled, 0)) });
  return partAt(tiled, 0, coord);
}

/** localTile, told, and how it differs from localPartition. */
function localTile(
  layout: AnyLayout,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
  trace?: Trace,
): Partition {
  const [tile, place] = [projected(projection, tiler), projected(projection, coord)];
  if (projection !== undefined) trace?.note("projected", { projection, tiler: tile, coord: place });
  const part = innerPartition(layout, tile, place, trace);
  trace?.note("not a local partition", {});
  return part;
}

/** localPartition, told: the thread's coordinate, the tile it makes, and how it differs from localTile. */
function localPartition(
  layout: AnyLayout,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
  trace?: Trace,
): Partition {
  const place = threadCoord(threads, index);
  const sizes = productEach(threads.shape);
  trace?.note("thread coordinate", { index, threads, coord: place });
  trace?.note("thread tile", { threads, tile: sizes });
  const [tile, coord] = [projected(projection, sizes), projected(projection, place)];
  if (projection !== undefined) trace?.note("projected", { projection, tiler: tile, coord });
  const part = outerPartition(layout, tile, coord, trace);
  trace?.note("not a local tile", {});
  return part;
}

/** threadValuePartition, told. */
function threadValuePartition(layout: AnyLayout, threadValues: Layout, thread: SliceCoord, trace?: Trace): Partition {
  trace?.note("by threads and values", { layout: named(layout), threadValues });
  trace?.enter();
  const read = composition(layout, threadValues, trace);
  trace?.leave();
  trace?.note("keep the values", { thread, threads: named(modeOf(read, 0)) });
  return sliceAndOffset([thread, _] as never, read);
}

export interface Explanation {
  readonly operation: string;
  /** The operands in the notation of layouts. */
  readonly operands: readonly string[];
  readonly steps: readonly Step[];
  /** The answer, if there is one. */
  readonly result?: AnyLayout;
  /** Of a partition: where it starts. */
  readonly offset?: IntTuple;
  /** Why there is none. */
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

/** An operation that can explain itself. */
export type Explainable = keyof typeof operations;
export const explainable: readonly Explainable[] = /* @__PURE__ */ Object.keys(operations) as Explainable[];

type Operands<F> = F extends (...args: infer A) => unknown ? (A extends [...infer Rest, Trace?] ? Rest : A) : never;

/** Runs an operation and tells its steps; a refusal is told, not thrown. */
export function explain<const Name extends Explainable>(
  operation: Name,
  ...operands: Operands<(typeof operations)[Name]>
): Explanation {
  if (!Object.hasOwn(operations, operation))
    throw new LayoutError(
      `explain: ${String(operation)} cannot be explained; operations are ${explainable.join(", ")}`,
    );
  const trace = new Trace();
  const run = operations[operation] as (...args: unknown[]) => AnyLayout | Partition;
  // From the third on operands are coordinates.
  const given = operands.filter((operand) => operand !== undefined);
  const texts = given.map((operand, i) => (i < 2 ? describe(operand) : formatTuple(operand)));
  const told = { operation, operands: texts, steps: trace.steps };
  // An operation's trace comes after all of its operands; an operand that was left out must keep its place.
  const padded = [...operands, ...new Array<undefined>(arity(operation) - operands.length).fill(undefined)];
  try {
    const answer = run(...padded, trace);
    return isLayout(answer) || isComposed(answer)
      ? { ...told, result: answer }
      : { ...told, result: answer[0], offset: answer[1] };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return { ...told, refusal: error.detail ?? { operation, rule: "refused", text: error.message, data: {} } };
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

/** An explanation as text: the operation, its steps indented by depth, and the answer or the reason for none. */
export function formatExplanation(explanation: Explanation): string {
  if (!Object(explanation).steps) throw wrongKind("formatExplanation", "what explain(...) returns", explanation);
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
