/**
 * The short way of an elementwise op: dense tensors of one shape in the heap, of the dtypes that the last call had. No lists, no
 * plans, no checks but those that decide whether this way may be gone; null says that it may not.
 */
import { kernelBackend } from "../../kernel/backend.ts";
import { presentCall } from "../../kernel/launch/call.ts";
import { mostDense, runDense } from "../../kernel/launch/run-map.ts";
import type { MapKernel } from "../../kernel/map/map.ts";
import type { DType } from "../../storage/dtype.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import type { Storage } from "../../storage/storage.ts";
import { denseLike, haveSameSizes, isFlatAndDense } from "../../tensor/dense.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
import { bumpVersion, mayWrite } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { FormulaOperand, Variant } from "../formula-variant.ts";

export class Quick {
  private first: DType | null = null;
  private second: DType | null = null;
  private defaultDType: DType | null = null;
  private kernel: MapKernel | null = null;
  private dtype: DType = "float32";
  private itemsize = 0;
  private firstSize = 0;
  private secondSize = 0;

  /** Remembers a variant that can go this way. */
  learn({ kernel, takesAll, itemsizes, defaultDType }: Variant, given: readonly FormulaOperand[]): void {
    const [x, other] = given as readonly Tensor[];
    if (!takesAll || given.length > 2 || x?.rank === 0 || other?.rank === 0) return;
    this.kernel = kernel;
    this.defaultDType = defaultDType;
    this.dtype = kernel.spec.outputs[0] as DType;
    this.itemsize = itemsizes[0] as number;
    this.first = (x as Tensor).type;
    this.firstSize = itemsizes[1] as number;
    this.second = other?.type ?? null;
    this.secondSize = itemsizes[2] ?? 0;
  }

  /** The result for one tensor, or for two, in `out` if that is given; or null. */
  run(x: Tensor, other: Tensor | null, out: Tensor | null, operator: Operator): Tensor | null {
    const { kernel } = this;
    if (kernel === null || x.type !== this.first || !isFlatAndDense(x) || x.size > mostDense) return null;
    if (this.defaultDType !== getDefaultDType() || !operator.isPlain) return null;
    if (other === null ? this.second !== null : other.type !== this.second || !isLike(other, x)) return null;
    if (out !== null && (out.type !== this.dtype || !isLike(out, x) || !mayWrite(out))) return null;
    const result = out ?? denseLike(x, this.dtype, this.itemsize);
    const [storage, from] = [result.source as Storage, x.source as Storage];
    const memory = storage.writable();
    const backend = kernelBackend();
    if (!backend.reaches(memory)) return null;
    const { memories, addresses } = presentCall();
    memories[0] = memory;
    memories[1] = from.readable();
    if (!backend.reaches(memories[1])) return null;
    if (other !== null) {
      const second = other.source as Storage;
      memories[2] = second.readable();
      if (!backend.reaches(memories[2])) return null;
      addresses[2] = second.byteOffset + other.start * this.secondSize;
    }
    // Places are asked for when all are ready.
    addresses[0] = storage.byteOffset + result.start * this.itemsize;
    addresses[1] = from.byteOffset + x.start * this.firstSize;
    if (
      out !== null &&
      (this.#isAcross(x.size, 1, this.firstSize) || (other !== null && this.#isAcross(x.size, 2, this.secondSize)))
    )
      return null;
    runDense(kernel, x.size, other === null ? 0b0101 : 0b010101);
    if (out !== null) bumpVersion(out);
    return result;
  }

  /** True if the result is neither apart from an operand nor exactly on it. */
  #isAcross(count: number, k: number, size: number): boolean {
    const { memories, addresses } = presentCall();
    const [to, from] = [addresses[0] as number, addresses[k] as number];
    if (memories[0] !== memories[k] || to >= from + count * size || from >= to + count * this.itemsize) return false;
    return to !== from || size !== this.itemsize;
  }
}

/** True of a dense tensor with the sizes of another. */
const isLike = (t: Tensor, x: Tensor): boolean => haveSameSizes(t, x) && isFlatAndDense(t);
