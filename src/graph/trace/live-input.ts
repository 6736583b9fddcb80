/** Live numbers in traces and calls: each number is a 0-d tensor, which receives its value before each call. */
import { Storage } from "../../storage/storage.ts";
import { writeAt } from "../../tensor/elements.ts";
import type { LiveNumbers } from "../../tensor/live.ts";
import { outsideScopes } from "../../tensor/scope.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";

/** Live numbers as inputs. */
export interface LiveInput {
  readonly compute: () => LiveNumbers;
  /** The numbers when the function was traced. */
  readonly numbers: LiveNumbers;
  /** Null for one number. */
  readonly names: readonly string[] | null;
  readonly tensors: readonly Tensor[];
}

/** Returns live numbers as an input, with tensors that hold them. */
export function liveInput(compute: () => LiveNumbers, numbers: LiveNumbers): LiveInput {
  const isOne = typeof numbers === "number";
  const tensors = outsideScopes(() =>
    (isOne ? [numbers] : Object.values(numbers)).map(() => tensorOver(Storage.allocate(8), "float64", 0, [], [])),
  );
  const input = { compute, numbers, names: isOne ? null : Object.keys(numbers), tensors };
  writeNumbers(input, numbers);
  return input;
}

/** Writes numbers to the tensors of an input. */
export function writeNumbers({ names, tensors }: LiveInput, numbers: LiveNumbers): void {
  for (const [k, t] of tensors.entries())
    writeAt(t, 0, typeof numbers === "number" ? numbers : numbers[(names as readonly string[])[k]]);
}

/** Returns the argument that a traced function receives instead of numbers: a tensor, or several tensors by name. */
export const tensorsByName = ({ names, tensors }: LiveInput): unknown =>
  names === null ? tensors[0] : Object.fromEntries(names.map((name, k) => [name, tensors[k]]));
