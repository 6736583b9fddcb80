/**
 * States of control flow: tensors, and lists and plain objects of tensors. `leavesOf` lists the tensors in their order, `withLeaves` returns the same
 * structure with other tensors, and `checkSameState` compares dtypes, shapes and structure.
 */
import { isRecord } from "../../autograd/arguments.ts";
import { wrongKind } from "../../base/arguments.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { GraphError } from "../ir.ts";

/** A tensor with its path: `[0].weight`. */
export interface Leaf {
  readonly path: string;
  readonly tensor: Tensor;
}

const pathTo = (path: string, name: string): string =>
  /^[a-zA-Z_]\w*$/.test(name) ? `${path}.${name}` : `${path}[${name}]`;

/** Calls `visit` with each entry that is not a container, in order, and returns the structure with the results. */
function mapEntries(value: unknown, path: string, visit: (entry: unknown, path: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each, k) => mapEntries(each, `${path}[${k}]`, visit));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, mapEntries(each, pathTo(path, name), visit)]),
    );
  return visit(value, path);
}

/** Returns the tensors of a state. Throws for values other than tensors, null and undefined; `name` stands for the state in the error. */
export function leavesOf(who: string, name: string, state: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  mapEntries(state, name, (entry, path) => {
    if (entry instanceof Tensor) leaves.push({ path, tensor: entry });
    else if (entry !== null && entry !== undefined)
      throw wrongKind(
        who,
        `${path} to be a tensor, or a list or plain object of tensors${typeof entry === "number" ? "; wrap numbers: tensor(0)" : ""}`,
        entry,
      );
    return null;
  });
  return leaves;
}

/** Returns the structure with other tensors, in the order of `leavesOf`. */
export function withLeaves(structure: unknown, tensors: readonly Tensor[]): unknown {
  let next = 0;
  return mapEntries(structure, "", (entry) => (entry instanceof Tensor ? tensors[next++] : entry));
}

const typeText = (entry: unknown): string =>
  entry instanceof Tensor ? `${entry.dtype}${showShape(entry)}` : describeValue(entry);

const entriesOf = (value: unknown, name: string): Map<string, unknown> => {
  const entries = new Map<string, unknown>();
  mapEntries(value, name, (entry, path) => {
    entries.set(path, entry);
    return null;
  });
  return entries;
};

/**
 * Throws unless two containers have the same structure, and their tensors the same dtypes and shapes. `difference` is the text between the two types,
 * `remedy` the last sentence.
 */
export function checkSame(
  who: string,
  name: string,
  before: unknown,
  after: unknown,
  difference: string,
  remedy: string,
): void {
  const [first, second] = [entriesOf(before, name), entriesOf(after, name)];
  for (const path of new Set([...first.keys(), ...second.keys()])) {
    const [one, other] = [first, second].map((entries) =>
      entries.has(path) ? typeText(entries.get(path)) : "nothing",
    );
    if (one !== other) throw new GraphError(`${who}: ${path} is ${one}${difference}${other}. ${remedy}`);
  }
}

/** Throws unless the next state has the dtypes and shapes of the one before. */
export const checkSameState = (who: string, name: string, before: unknown, after: unknown): void =>
  checkSame(
    who,
    name,
    before,
    after,
    ", but the next one is ",
    "A state keeps its structure, dtypes and shapes: convert it with to(dtype), or use the initial value that the loop ends with",
  );
