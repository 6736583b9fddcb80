/** Arguments as trees: lists and plain objects, whose leaves are all other values, including tensors and other instances of classes. */
import { Tensor } from "../tensor/tensor.ts";

export const isPlainRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Returns the same structure with the results of `fn` in place of the leaves. */
export function mapLeaves(tree: unknown, fn: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(tree)) return tree.map((each) => mapLeaves(each, fn));
  if (isPlainRecord(tree))
    return Object.fromEntries(Object.entries(tree).map(([name, each]) => [name, mapLeaves(each, fn)]));
  return fn(tree);
}

/** Calls `visit` with each leaf, in order. */
export function eachLeaf(tree: unknown, visit: (leaf: unknown) => void): void {
  if (Array.isArray(tree)) for (const each of tree) eachLeaf(each, visit);
  else if (isPlainRecord(tree)) for (const each of Object.values(tree)) eachLeaf(each, visit);
  else visit(tree);
}

/** Returns arguments with the results of `fn` in place of tensors. */
export const mapTensors = (args: readonly unknown[], fn: (t: Tensor) => unknown): unknown[] =>
  mapLeaves(args, (leaf) => (leaf instanceof Tensor ? fn(leaf) : leaf)) as unknown[];
