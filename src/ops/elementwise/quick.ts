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
import { denseLike, isFlatAndDense } from "../../tensor/dense.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
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

  /** The result for one tensor, or null. */
  unary(x: Tensor, operator: Operator): Tensor | null {
    const { kernel } = this;
    if (kernel === null || x.type !== this.first || this.second !== null || !isFlatAndDense(x)) return null;
    if (this.defaultDType !== getDefaultDType() || !operator.isPlain || x.size > mostDense) return null;
    const out = denseLike(x, this.dtype, this.itemsize);
    const storage = out.source as Storage;
    const from = x.source as Storage;
    const [memory, other] = [storage.writable(), from.readable()];
    const backend = kernelBackend();
    if (!backend.reaches(memory) || !backend.reaches(other)) return null;
    const { memories, addresses } = presentCall();
    memories[0] = memory;
    memories[1] = other;
    addresses[0] = storage.byteOffset;
    addresses[1] = from.byteOffset + x.start * this.firstSize;
    runDense(kernel, x.size, 0b0101);
    return out;
  }

  /** The result for two tensors, or null. */
  binary(x: Tensor, other: Tensor, operator: Operator): Tensor | null {
    const { kernel } = this;
    if (kernel === null || x.type !== this.first || other.type !== this.second) return null;
    if (!isFlatAndDense(x) || !isFlatAndDense(other) || x.size > mostDense) return null;
    if (x.rank !== other.rank || x.s0 !== other.s0 || x.s1 !== other.s1 || x.s2 !== other.s2) return null;
    if (x.s3 !== other.s3 || x.s4 !== other.s4) return null;
    if (this.defaultDType !== getDefaultDType() || !operator.isPlain) return null;
    const out = denseLike(x, this.dtype, this.itemsize);
    const storage = out.source as Storage;
    const [from, second] = [x.source as Storage, other.source as Storage];
    const memory = storage.writable();
    const firstMemory = from.readable();
    const secondMemory = second.readable();
    const backend = kernelBackend();
    if (!backend.reaches(memory) || !backend.reaches(firstMemory) || !backend.reaches(secondMemory)) return null;
    const { memories, addresses } = presentCall();
    memories[0] = memory;
    memories[1] = firstMemory;
    memories[2] = secondMemory;
    addresses[0] = storage.byteOffset;
    addresses[1] = from.byteOffset + x.start * this.firstSize;
    addresses[2] = second.byteOffset + other.start * this.secondSize;
    runDense(kernel, x.size, 0b010101);
    return out;
  }
}
