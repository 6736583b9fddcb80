/**
 * The short way of an elementwise op: dense tensors of one shape in the heap, of the dtypes that the last call had. No lists, no
 * plans, no checks but those that decide whether this way may be gone; null says that it may not.
 */
import { kernelBackend } from "../../kernel/backend.ts";
import { presentCall } from "../../kernel/launch/call.ts";
import { mostDense, runDense } from "../../kernel/launch/run-map.ts";
import type { DType } from "../../storage/dtype.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import type { Storage } from "../../storage/storage.ts";
import { denseLike, isDenseLike, isFlatAndDense } from "../../tensor/dense.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
import { bumpVersion, mayWrite, meetingOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Variant } from "../formula-variant.ts";

export class Quick {
  #variant: Variant | null = null;

  /** Remembers a variant that can go this way. */
  learn(variant: Variant): void {
    if (variant.takesAll && variant.kinds.length <= 2) this.#variant = variant;
  }

  /** The result for one tensor, or for two, in `out` if that is given; or null. */
  run(x: Tensor, other: Tensor | null, out: Tensor | null, operator: Operator): Tensor | null {
    const variant = this.#variant;
    if (variant === null || variant.defaultDType !== getDefaultDType() || !operator.isPlain) return null;
    const { kernel, kinds, itemsizes } = variant;
    if (x.type !== kinds[0] || !isFlatAndDense(x) || x.size > mostDense) return null;
    if (other === null ? kinds.length > 1 : other.type !== kinds[1] || !isDenseLike(other, x)) return null;
    const dtype = kernel.spec.outputs[0] as DType;
    const size = itemsizes[0] as number;
    const firstSize = itemsizes[1] as number;
    const secondSize = itemsizes[2] as number;
    if (out !== null && (out.type !== dtype || !isDenseLike(out, x) || !mayWrite(out))) return null;
    if (out !== null) {
      // A lazy copy gets bytes of its own before operands are looked up.
      (out.source as Storage).writable();
      if (meetingOf(out, x) === "across" || (other !== null && meetingOf(out, other) === "across")) return null;
    }
    // Operands out of reach are found before a result is allocated.
    const backend = kernelBackend();
    const from = x.source as Storage;
    const second = other === null ? null : (other.source as Storage);
    const firstMemory = from.readable();
    const secondMemory = second === null ? firstMemory : second.readable();
    if (!backend.reaches(firstMemory) || !backend.reaches(secondMemory)) return null;
    const result = out ?? denseLike(x, dtype, size);
    const storage = result.source as Storage;
    const memory = storage.writable();
    if (!backend.reaches(memory)) {
      if (out === null) result.endWith("out of reach");
      return null;
    }
    const { memories, addresses } = presentCall();
    memories[0] = memory;
    memories[1] = firstMemory;
    if (second !== null) {
      memories[2] = secondMemory;
      addresses[2] = second.byteOffset + (other as Tensor).start * secondSize;
    }
    // Places are asked for when all are ready.
    addresses[0] = storage.byteOffset + result.start * size;
    addresses[1] = from.byteOffset + x.start * firstSize;
    runDense(kernel, x.size, other === null ? 0b0101 : 0b010101);
    if (out !== null) bumpVersion(out);
    return result;
  }
}
