/**
 * tiled(t): mllm's TiledTensor. Loops over a tensor by index expressions, by regions and by tiles.
 *
 * The functions access memory: `data` is the tensor's storage as a typed array, `position` the index of an element in it. A loop counts as one
 * write to the tensor, whatever the function does, unless `{ write: false }` states that it only reads; the library cannot detect writes
 * then.
 */
import type { Tiler } from "../../layout/layout.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Space } from "../../tensor/identity.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { complexLoops, type LoopBody, type LoopOptions } from "./complex-loops.ts";
import {
  type ModuleFunction,
  parallelLoops,
  type RegionBody,
  type RegionMap,
  type RegionOptions,
  type RegionReduction,
  type RegionWork,
} from "./parallel-loops.ts";
import { type Tile, tilesOf } from "./tiles.ts";

/** A tensor with loops over its elements. */
export class TiledTensor<D extends DType = DType, P extends Space = Space> {
  declare readonly tensor: Tensor<Shape, D, P>;

  constructor(tensor: Tensor<Shape, D, P>) {
    this.tensor = tensor;
  }

  /**
   * For each value of the loop variables _0, _1, ... (0 up to their extents, the last the fastest), calls the function at the element
   * whose indices are the expressions: `complexLoops(["_0", "_1 * 2 + 1"], (data, position, coords) => ..., { extents: [4, 2] })`.
   * Axes without an expression stay at 0. An expression that can leave its axis throws before the loop.
   */
  complexLoops(expressions: readonly string[], body: LoopBody<D>, options?: LoopOptions): void {
    complexLoops(this.tensor as Tensor, expressions, body as never, options);
  }

  /** For each coordinate of the axes up to `lastDim`, calls the function with the region of the axes after it; on the calling thread. */
  parallelLoops(lastDim: Axis, body: RegionBody<D>, options?: RegionOptions): void;
  /** Computes a formula over the element x in place, by a kernel, on all threads: "x * 2 + 1". */
  parallelLoops(lastDim: Axis, map: string | RegionMap, options?: RegionOptions): Tensor<Shape, D, P>;
  /** Reduces each region to one number, by a kernel, on all threads: a new tensor of the shape up to `lastDim`. */
  parallelLoops(lastDim: Axis, reduction: RegionReduction, options?: RegionOptions): Tensor;
  /** Calls a function of a module with each region, as `(data, position, stride, restShape)`, in workers if there are any. */
  parallelLoops(lastDim: Axis, module: ModuleFunction, options?: RegionOptions): Promise<void>;
  parallelLoops(lastDim: Axis, work: RegionBody<D> | RegionWork, options?: RegionOptions): unknown {
    return parallelLoops(this.tensor as Tensor, lastDim, work as RegionWork, options);
  }

  /** Returns the tiles of a tiler, as views, with their coordinates: `for (const { tile, coord } of tiled(t).tiles([4, 3])) ...`. */
  tiles(tiler: Tiler): Generator<Tile<D, P>, void, undefined> {
    return tilesOf(this.tensor, tiler);
  }
}

/** Returns the loops over a tensor. */
export function tiled<D extends DType, P extends Space>(tensor: Tensor<Shape, D, P>): TiledTensor<D, P> {
  checkTensor("tiled", tensor);
  return new TiledTensor(tensor);
}
