/**
 * CuTe's operations as tensor methods: describe and engine, composition and the divides, the partitions.
 * They are implemented in `print.ts`, `storage-engine.ts`, `tensor-modes.ts` and `partition.ts`.
 */
import { IndexError } from "../../base/errors.ts";
import type { NumberTuple, SliceCoord } from "../../layout/coord.ts";
import type { Int } from "../../layout/int.ts";
import type { AnyLayout, Layout, Tiler } from "../../layout/layout.ts";
import type { DType } from "../../storage/dtype.ts";
import { colMajorOffset, type GivenCoord, get } from "../access/access.ts";
import { readAt } from "../elements.ts";
import type { Engine } from "../engine.ts";
import { engineOf } from "../engines/storage-engine.ts";
import type { Space } from "../identity.ts";
import { describe } from "../print/print.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";
import type { TileShape } from "../types/shape-layouts.ts";
import type { Shape } from "../types/types.ts";
import {
  compose,
  flatDivide,
  innerPartition,
  localPartition,
  localTile,
  logicalDivide,
  outerPartition,
  threadValuePartition,
  tiledDivide,
  zippedDivide,
} from "../views/view-ops.ts";

declare module "../tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> {
    /** Returns engine and layout as CuTe prints them: `gmem_ptr[32b](0x7f42efc00000) o (_8,16):(_1,_8)`. */
    describe(): string;
    /** The engine, which maps offsets of the layout to elements. */
    readonly engine: Engine;
    /** Returns the element of a coordinate tensor (makeIdentityTensor, makeCoordTensor) at a coordinate, or at a 1-D index in column-major order. */
    getCoord(...coord: GivenCoord[]): NumberTuple;
    /** Composes the tensor with a layout or tiler: element c of the result is element tiler(c). */
    compose(tiler: Tiler | AnyLayout): Tensor<Shape, D, P>;
    /** Divides into tiles, mode by mode: ((tile,rest),(tile,rest),...). */
    logicalDivide(tiler: Tiler): Tensor<Shape, D, P>;
    /** Divides into tiles: ((tile,tile,...),(rest,rest,...)). */
    zippedDivide(tiler: Tiler): Tensor<[number, number], D, P>;
    /** Divides into tiles: ((tile,tile,...),rest,rest,...). */
    tiledDivide(tiler: Tiler): Tensor<Shape, D, P>;
    /** Divides into tiles: (tile,tile,...,rest,rest,...). */
    flatDivide(tiler: Tiler): Tensor<Shape, D, P>;
    /** Returns one whole tile: the coordinate selects among the tiles. */
    innerPartition<X extends Tensor, const T extends Tiler, const C extends SliceCoord>(
      this: X,
      tiler: T,
      coord: C,
    ): Tensor<TileShape<X["shape"], T, C>, X["dtype"], X["space"]>;
    /** Returns one element of every tile: the coordinate selects inside the tile. */
    outerPartition(tiler: Tiler, coord: SliceCoord): Tensor<Shape, D, P>;
    /** Returns one whole tile, for a block of threads; a projection such as [1, _, 1] keeps only the marked modes. */
    localTile<X extends Tensor, const T extends Tiler, const C extends SliceCoord>(
      this: X,
      tiler: T,
      coord: C,
    ): Tensor<TileShape<X["shape"], T, C>, X["dtype"], X["space"]>;
    localTile(tiler: Tiler, coord: SliceCoord, projection: SliceCoord | undefined): Tensor<Shape, D, P>;
    /** Returns the elements of one thread of a thread layout: one of every tile. */
    localPartition(threads: Layout, index: Int, projection?: SliceCoord): Tensor<Shape, D, P>;
    /** Returns the values of one thread by a TV layout, (thread, value) to 1-D coordinate. */
    threadValuePartition(threadValues: Layout, thread: SliceCoord): Tensor<Shape, D, P>;
  }
}

type Op<A extends unknown[]> = (t: Tensor, ...args: A) => Tensor;

/** Returns a method that calls an op with its tensor and arguments. */
const method = <A extends unknown[]>(op: Op<A>) =>
  function (this: Tensor, ...args: A): Tensor {
    return op(this, ...args);
  };

export const cuteMethods = {
  describe(this: Tensor): string {
    return describe(this);
  },
  get engine(): Engine {
    return engineOf(this as unknown as Tensor);
  },
  getCoord(this: Tensor, ...coord: GivenCoord[]): NumberTuple {
    if (computedEngine(this, "getCoord")?.valueType !== "coord")
      throw new IndexError(`getCoord: the elements of ${describeBriefly(this)} are not coordinates; use get(...)`);
    const [only] = coord;
    if (coord.length > 1 || typeof only !== "number") return get(this, coord) as unknown as NumberTuple;
    return readAt(this, colMajorOffset(this, "getCoord", only)) as unknown as NumberTuple;
  },
  compose: method(compose),
  logicalDivide: method(logicalDivide),
  zippedDivide: method(zippedDivide),
  tiledDivide: method(tiledDivide),
  flatDivide: method(flatDivide),
  innerPartition: method(innerPartition),
  outerPartition: method(outerPartition),
  localTile: method(localTile),
  localPartition: method(localPartition),
  threadValuePartition: method(threadValuePartition),
};
