/**
 * Index tensors on some axes of a tensor, as in PyTorch: they are broadcast together, and adjacent indexed axes keep their position in the
 * indexed shape; otherwise their common axes come first. One index tensor is used as it is; several are combined to offsets.
 */
import { IndexError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { call, cast, constantScalar, type Scalar } from "../../kernel/ir/scalar.ts";
import { MapKernel } from "../../kernel/map/map.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMap } from "../../kernel/program/lower-map.ts";
import type { IndexedMove } from "../../kernel/scatter.ts";
import type { DType } from "../../storage/dtype.ts";
import { flatStrides, showShape, sizesOf } from "../geometry.ts";
import { lowerFillAll, scratchTensor } from "../lowering.ts";
import { operandOf } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import { broadcastTwo } from "../views/view-shape.ts";
import { expand, view } from "../views/views-shape.ts";
import { lowerByIndex } from "./by-index.ts";

/** One index tensor for each axis, null where the axis is not indexed. */
export type IndexLists = readonly (Tensor | null)[];

/** The shape that index tensors select. */
export interface Arrangement {
  readonly shape: readonly number[];
  /** The axes that are indexed, those that are not, and the number of the latter in front of the common axes. */
  readonly axes: readonly number[];
  readonly rest: readonly number[];
  readonly before: number;
  /** The common shape of the index tensors. */
  readonly common: readonly number[];
}

/** A value for each axis of the indexed shape: `of` the axes that are not indexed, and the given ones for the common axes. */
const around = <T>(
  { rest, before }: Omit<Arrangement, "shape">,
  of: (axis: number) => T,
  middle: readonly T[],
): T[] => [...rest.slice(0, before).map(of), ...middle, ...rest.slice(before).map(of)];

/** Returns the arrangement of index tensors on a tensor of these sizes; at least one axis is indexed. */
export function arrange(who: string, sizes: readonly number[], lists: IndexLists): Arrangement {
  const axes = lists.flatMap((list, axis) => (list === null ? [] : [axis]));
  let common: number[] = [];
  for (const axis of axes)
    try {
      common = broadcastTwo(who, common, sizesOf(lists[axis] as Tensor));
    } catch {
      const shapes = axes.map((each) => showShape(lists[each] as Tensor)).join(", ");
      throw new IndexError(`${who}: the indices do not broadcast, they have shapes ${shapes}`);
    }
  const first = axes[0];
  const rest = sizes.map((_, axis) => axis).filter((axis) => lists[axis] === null);
  const before = axes.every((axis, k) => axis === first + k) ? first : 0;
  const parts = { axes, rest, before, common };
  return { ...parts, shape: around(parts, (axis) => sizes[axis], common) };
}

const kernels = /* @__PURE__ */ new Map<string, MapKernel>();

/** offset + stride * index; a negative index counts from the end. Offsets are computed in the dtype of the result. */
const offsetKernel = (dtype: DType, indexDType: DType): MapKernel =>
  getOrCompute(
    kernels,
    `${dtype} ${indexDType}`,
    () =>
      new MapKernel({
        name: `${shortName(dtype)}_add_offset_${shortName(indexDType)}`,
        outputs: [dtype],
        inputs: [dtype, indexDType],
        scalars: [dtype, dtype],
        body: ([offset, index], [size, stride]) => {
          const own = cast(dtype, index);
          const zero: Scalar = constantScalar(dtype, dtype === "int64" ? 0n : 0);
          const fromEnd = call("select", call("lt", own, zero), size, zero);
          return [call("add", offset, call("mul", stride, call("add", own, fromEnd)))];
        },
      }),
  );

/** Adds the moves between the elements of a tensor that index tensors select and values of the indexed shape. Indices are in range. */
export function lowerSelected(
  builder: ProgramBuilder,
  who: string,
  move: IndexedMove,
  target: Tensor,
  values: Tensor,
  lists: IndexLists,
  arrangement: Arrangement,
): void {
  const { shape, axes, common } = arrangement;
  const sizes = sizesOf(target);
  const strides = flatStrides(target);
  const none = common.map(() => 0);
  const stride = around(arrangement, (axis) => strides[axis], none);
  const expanded = (index: Tensor): Tensor =>
    expand(
      view(
        index,
        around(arrangement, () => 1, [...common.slice(index.rank).map(() => 1), ...sizesOf(index)]),
      ),
      shape,
    );
  const [first] = axes;
  if (axes.length === 1) {
    const addressing = { stride, step: strides[first], length: sizes[first], wraps: true };
    lowerByIndex(builder, move, target, values, expanded(lists[first] as Tensor), () => addressing);
    return;
  }
  builder.workspace(0, () => {
    const spans = axes.map((axis) => (sizes[axis] - 1) * strides[axis]);
    // Offsets count from the lowest element, so that none is negative.
    const lowest = spans.reduce((sum, span) => sum + Math.min(span, 0), 0);
    const length = spans.reduce((sum, span) => sum + Math.abs(span), 1);
    const dtype = length < 2 ** 31 ? "int32" : "int64";
    const numberOf = (value: number): number | bigint => (dtype === "int64" ? BigInt(value) : value);
    const offsets = scratchTensor(builder, dtype, common);
    lowerFillAll(builder, offsets, numberOf(-lowest), who);
    const sum = operandOf(offsets, who);
    for (const axis of axes) {
      const index = lists[axis] as Tensor;
      const scalars = [numberOf(sizes[axis]), numberOf(strides[axis])];
      lowerMap(builder, offsetKernel(dtype, index.dtype), [sum, sum, operandOf(expand(index, common), who)], scalars);
    }
    const addressing = { stride, step: 1, length, shift: lowest };
    lowerByIndex(builder, move, target, values, expanded(offsets), () => addressing);
  });
}
