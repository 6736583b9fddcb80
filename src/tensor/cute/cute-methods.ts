/**
 * CuTe's operations as methods of a tensor: describe and engine, composition and the divides, the partitions.
 * What they do is in `print.ts`, `storage-engine.ts`, `tensor-modes.ts` and `partition.ts`.
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
    /** Engine and layout as CuTe prints them: `gmem_ptr[32b](0x7f42efc00000) o (_8,16):(_1,_8)`. */
    describe(): string;
    /** What turns the offsets of the layout into elements. */
    readonly engine: Engine;
    /** The coordinate that a coordinate tensor (makeIdentityTensor, makeCoordTensor) has at a coordinate, or at a 1-D index in column-major order. */
    getCoord(...coord: GivenCoord[]): NumberTuple;
    /** The tensor read through a layout or tiler: element c of the result is element tiler(c). */
    compose(tiler: Tiler | AnyLayout): Tensor<Shape, D, P>;
    /** Cut into tiles, mode by mode: ((tile,rest),(tile,rest),...). */
    logicalDivide(tiler: Tiler): Tensor<Shape, D, P>;
    /** Cut into tiles: ((tile,tile,...),(rest,rest,...)). */
    zippedDivide(tiler: Tiler): Tensor<[number, number], D, P>;
    /** Cut into tiles: ((tile,tile,...),rest,rest,...). */
    tiledDivide(tiler: Tiler): Tensor<Shape, D, P>;
    /** Cut into tiles: (tile,tile,...,rest,rest,...). */
    flatDivide(tiler: Tiler): Tensor<Shape, D, P>;
    /** One whole tile: the coordinate chooses among the tiles. */
    innerPartition<X extends Tensor, const T extends Tiler, const C extends SliceCoord>(
      this: X,
      tiler: T,
      coord: C,
    ): Tensor<TileShape<X["shape"], T, C>, X["dtype"], X["space"]>;
    /** One place of every tile: the coordinate chooses inside the tile. */
    outerPartition(tiler: Tiler, coord: SliceCoord): Tensor<Shape, D, P>;
    /** One whole tile, for a block of threads; a projection such as [1, _, 1] marks the modes that count. */
    localTile<X extends Tensor, const T extends Tiler, const C extends SliceCoord>(
      this: X,
      tiler: T,
      coord: C,
    ): Tensor<TileShape<X["shape"], T, C>, X["dtype"], X["space"]>;
    localTile(tiler: Tiler, coord: SliceCoord, projection: SliceCoord | undefined): Tensor<Shape, D, P>;
    /** What one thread of a thread layout gets of every tile. */
    localPartition(threads: Layout, index: Int, projection?: SliceCoord): Tensor<Shape, D, P>;
    /** One thread's values by a TV layout, (thread, value) to 1-D coordinate. */
    threadValuePartition(threadValues: Layout, thread: SliceCoord): Tensor<Shape, D, P>;
  }
}

type Op<A extends unknown[]> = (t: Tensor, ...args: A) => Tensor;

/** A method that passes its tensor and its arguments on to an op. */
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
      throw new IndexError(`getCoord: the elements of ${describeBriefly(this)} are no coordinates; use get(...)`);
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
