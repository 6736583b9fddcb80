/**
 * The zip engine: several tensors read and written together. Its offset is the 1-D index (the first mode varies fastest) that they
 * have in common, so they may have any layouts and engines as long as they have one shape.
 */

import { knownValue } from "../../layout/int.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { offsetOfIndex, readAt, writeAt } from "../elements.ts";
import type { Engine } from "../engine.ts";
import { bumpVersion, checkWritable } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { engineOf } from "./storage-engine.ts";

/** The elements of several tensors, as lists. */
export interface ZipEngine extends Engine<readonly Value[]> {
  readonly kind: "zip";
  readonly valueType: "tuple";
  readonly tensors: readonly Tensor[];
}

/** The engine whose element i is the list of the tensors' elements i. */
export function zipEngine(tensors: readonly Tensor[], start = 0): ZipEngine {
  const index = (offset: IntTuple): number => start + (knownValue(offset as number) as number);
  return {
    kind: "zip",
    valueType: "tuple",
    space: "none",
    tensors,
    read: (offset) => tensors.map((t) => readAt(t, offsetOfIndex(t, index(offset)))),
    write(offset, values) {
      for (const t of tensors) if (computedEngine(t, "set") === null) checkWritable(t, "set");
      for (const [k, t] of tensors.entries()) {
        writeAt(t, offsetOfIndex(t, index(offset)), values[k] as Value);
        if (t.source instanceof Storage) bumpVersion(t);
      }
    },
    advance: (offset) => zipEngine(tensors, index(offset)),
    describe: () =>
      `zip_iter(${tensors.map((t) => engineOf(t).describe()).join(",")})${start === 0 ? "" : `+${start}`}`,
  };
}
