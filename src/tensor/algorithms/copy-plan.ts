/**
 * Plans of `copy(source, destination)` as plain data: the path, the vector, the spaces, and a sentence with the reason.
 * Nothing is copied. `copyPlan` uses the same path as `copy` and throws the same errors.
 */

import { maxCommonLayout } from "../../layout/algebra/right-inverse.ts";
import { formatLayout } from "../../layout/format.ts";
import type { AnyLayout, Layout } from "../../layout/layout.ts";
import { dtypes } from "../../storage/dtype.ts";
import { isComposedTensor } from "../geometry.ts";
import type { Space } from "../identity.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { type CopyKind, type CopyPath, copyPath } from "./copy-path.ts";
import { mayDisturb } from "./in-order.ts";

/** One end of a copy. */
export interface CopyEnd {
  readonly space: Space;
  /** The dtype, or the element type of a computed engine. */
  readonly dtype: string;
  readonly layout: AnyLayout;
  /** owning, view, const, or the kind of a computed engine. */
  readonly engine: string;
}

/** The path that `copy` takes, with the reason. */
export interface CopyPlan {
  readonly kind: CopyKind;
  /** The number of elements moved at once: the largest divisor of the common run, the strides and the addresses, up to 128 bits. */
  readonly vectorElements: number;
  readonly vectorBits: number;
  /** The indices of the elements that are contiguous in both, from offset 0; null if an engine has no memory. */
  readonly commonLayout: Layout | null;
  /** True if a GPU could use cp.async: from gmem to smem, one dtype, 32, 64 or 128 bits at a time. */
  readonly isAsyncCapable: boolean;
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly note: string;
}

/** Returns the plan of `copy(source, destination)`. */
export function copyPlan(source: Tensor, destination: Tensor): CopyPlan {
  const path = copyPath(source, destination, "copyPlan");
  const bits = 8 * (destination.type === null ? 0 : dtypes[destination.type].itemsize);
  const vectorBits = path.vector * bits;
  const hasMemory = computedEngine(source, "copyPlan") === null && computedEngine(destination, "copyPlan") === null;
  const isAsyncCapable =
    hasMemory &&
    source.space === "gmem" &&
    destination.space === "smem" &&
    source.type === destination.type &&
    (vectorBits === 32 || vectorBits === 64 || vectorBits === 128);
  return {
    kind: path.kind,
    vectorElements: path.vector,
    vectorBits,
    commonLayout: hasMemory ? maxCommonLayout(source.layout, destination.layout) : null,
    isAsyncCapable,
    from: endOf(source),
    to: endOf(destination),
    note: `${noteOf(path, source, destination, bits)}${isAsyncCapable ? "; a GPU can use cp.async for gmem to smem" : ""}`,
  };
}

function endOf(t: Tensor): CopyEnd {
  const engine = computedEngine(t, "copyPlan");
  return {
    space: t.space,
    dtype: t.type ?? engine?.valueType ?? "coord",
    layout: t.layout,
    engine: engine?.kind ?? t.ownership,
  };
}

function noteOf(path: CopyPath, source: Tensor, destination: Tensor, bits: number): string {
  const { kind, run, vector } = path;
  const count = destination.size;
  switch (kind) {
    case "block":
      return `both are one run of ${counted(count)} in the same order: one move of ${(count * bits) / 8} bytes`;
    case "vector":
      return `both have ${countedContiguous(run)}: vectors of ${vector} x ${bits} = ${vector * bits} bits${limitOf(path, source, destination, bits)}`;
    case "strided":
      return source.type === destination.type
        ? `${run === 1 ? "no two elements are adjacent in both" : `both have ${countedContiguous(run)}, but strides or addresses allow no vector`}: a strided loop`
        : `${source.type} becomes ${destination.type}: a strided loop that converts each element`;
    case "elementwise":
      return `${whyElementwise(source, destination)}: one element at a time`;
    default:
      return kind satisfies never;
  }
}

const counted = (n: number): string => `${n} element${n === 1 ? "" : "s"}`;
const countedContiguous = (n: number): string => `${n} contiguous element${n === 1 ? "" : "s"}`;

/** Returns the reason why a vector is not wider, unless it is the whole run or 128 bits. */
function limitOf({ run, vector }: CopyPath, source: Tensor, destination: Tensor, bits: number): string {
  const isWhole = vector === run || vector * bits === 128 || run % (2 * vector) !== 0;
  if (isWhole) return "";
  const isSwizzled = isComposedTensor(source) || isComposedTensor(destination);
  return `, wider ones are not aligned in every ${isSwizzled ? "row, address and swizzle" : "row and address"}`;
}

function whyElementwise(source: Tensor, destination: Tensor): string {
  if (destination.size === 0) return "there are no elements";
  for (const t of [source, destination]) {
    const engine = computedEngine(t, "copyPlan");
    if (engine !== null) return `the ${t === source ? "source" : "destination"} has a ${engine.kind} engine`;
  }
  const swizzled = [source, destination].find((t) => isComposedTensor(t));
  if (swizzled !== undefined && mayDisturb(destination, source, "copyPlan"))
    return `${formatLayout(swizzled.layout)} shares memory with the other tensor`;
  if (swizzled !== undefined) return `${formatLayout(swizzled.layout)} leaves no two elements together`;
  return `the modes of ${formatLayout(source.layout)} and ${formatLayout(destination.layout)} do not divide each other`;
}
