/**
 * Tensors brought to one shape, grids of coordinates, and lists of all pairs. No methods: they take several tensors, or
 * numbers.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { DTypeError, isIntegerDType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { floorDivide, remainder } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { expand, reshape, view } from "../views.ts";
import { indexRange } from "./index-range.ts";
import { stack } from "./join.ts";
import { checkTensors } from "./tensor-list.ts";

/** `f(a, b)` and `f([a, b])` are the same call. */
const listed = (who: string, args: readonly unknown[]): readonly Tensor[] => {
  const list = Array.isArray(args[0]) ? args[0] : args;
  checkTensors(who, list);
  return list;
};

/** Several tensors of several. */
export interface ManyToMany extends OpFunction {
  /** The tensors expanded to the shape that they broadcast to together; views. */
  (...tensors: readonly Tensor[]): Tensor[];
  /** The tensors expanded to the shape that they broadcast to together; views. */
  (tensors: readonly Tensor[]): Tensor[];
}

/** The tensors expanded to the shape that they broadcast to together; views. */
export const broadcastTensors: ManyToMany = /* @__PURE__ */ compositeOp(
  "broadcastTensors(...)",
  (...args: unknown[]) => {
    const tensors = listed("broadcastTensors", args);
    const shape = tensors.map((t) => sizesOf(t)).reduce((a, b) => broadcastTwo("broadcastTensors", a, b));
    return tensors.map((t) => expand(t, shape));
  },
  "movement",
);

export interface GridOptions {
  /** ij: axis k of the grids belongs to list k. xy: the first two axes are exchanged, as for pictures. */
  readonly indexing?: "ij" | "xy" | undefined;
}
export interface Meshgrid extends OpFunction {
  (tensors: readonly Tensor[], options?: GridOptions): Tensor[];
}

/** For each list a grid with one axis for every list, in which its elements vary along its own axis; views. */
export const meshgrid: Meshgrid = /* @__PURE__ */ compositeOp(
  "meshgrid(tensors: any; indexing)",
  (tensors: readonly Tensor[], { indexing = "ij" }: GridOptions = {}) => {
    checkTensors("meshgrid", tensors);
    if (indexing !== "ij" && indexing !== "xy")
      throw new StridewiseError(`meshgrid: indexing must be "xy" or "ij", got ${describeValue(indexing)}`);
    const wrong = tensors.find((t) => t.rank > 1);
    if (wrong !== undefined) throw new ShapeError(`meshgrid: tensors have at most one axis, got ${showShape(wrong)}`);
    const isTurned = indexing === "xy" && tensors.length > 1;
    const lists = isTurned ? [tensors[1], tensors[0], ...tensors.slice(2)] : tensors;
    const shape = lists.map((t) => t.size);
    const grids = lists.map((t, k) =>
      expand(
        reshape(
          t,
          shape.map((size, axis) => (axis === k ? size : 1)),
        ),
        shape,
      ),
    );
    return isTurned ? [grids[1], grids[0], ...grids.slice(2)] : grids;
  },
  "movement",
);

/** One tensor of several. */
export interface ManyToOne extends OpFunction {
  /** All ways to take one element of each list, one in each row; of a single list the list itself. */
  (...tensors: readonly Tensor[]): Tensor;
  /** All ways to take one element of each list, one in each row; of a single list the list itself. */
  (tensors: readonly Tensor[]): Tensor;
}

/** All ways to take one element of each list, one in each row; of a single list the list itself. */
export const cartesianProd: ManyToOne = /* @__PURE__ */ compositeOp(
  "cartesianProd(...)",
  (...args: unknown[]) => {
    const lists = listed("cartesianProd", args);
    const wrong = lists.find((t) => t.rank !== 1);
    if (wrong !== undefined)
      throw new ShapeError(`cartesianProd: Expect a 1D vector, but got shape ${showShape(wrong)}`);
    if (lists.length === 1) return lists[0];
    checkResultBytes(
      "cartesianProd",
      lists.reduce((product, t) => product * t.size, lists.length),
      lists[0]?.itemsize,
    );
    return view(stack(meshgrid(lists), -1), [-1, lists.length]);
  },
  "movement",
);

/** The coordinates of indices in row-major order. */
export interface UnravelIndex extends OpFunction {
  (indices: Tensor, shape: readonly number[]): Tensor[];
}

/** The coordinates, one tensor for each axis, of indices in row-major order into a tensor of this shape. */
export const unravelIndex: UnravelIndex = /* @__PURE__ */ compositeOp(
  "unravelIndex(indices: Tensor, shape: ints, ...)",
  (indices: Tensor, shape: readonly number[]) => {
    if (!isIntegerDType(indices.dtype))
      throw new DTypeError(`unravelIndex: indices must be integers, got ${indices.dtype}`);
    const sizes = typeof shape === "number" ? [shape] : shape;
    const total = sizes.reduce((a, b) => a * b, 1);
    if (indices.size > 0 && indices.device.type !== "meta") {
      const [min, max] = indexRange("unravelIndex", indices);
      if (min < 0 || max >= total)
        throw new IndexError(
          `unravelIndex: index ${min < 0 ? min : max} is out of range for shape ${show(sizes)} with ${total} elements`,
        );
    }
    let rest: Tensor = indices;
    const coords: Tensor[] = [];
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      const size = BigInt(sizes[axis]);
      coords.unshift(remainder(rest, size));
      rest = floorDivide(rest, size);
    }
    return coords;
  },
  "movement",
  { batch: "firstOnly" },
);
