/** Facts about nodes and values that passes use: the values that a node uses, whether it is pure, and whether two values have the same type. */
import { type Node, type Value, valuesIn } from "../ir.ts";
import { overwritten } from "../lower/aliases.ts";

/** Returns the values that a node uses, in its arguments and in its regions. */
export function usedBy({ args, regions }: Node): Value[] {
  const values = valuesIn(args);
  for (const region of regions) {
    for (const node of region.nodes) values.push(...usedBy(node));
    values.push(...region.outputs, ...region.writes.map(({ value }) => value));
  }
  return values;
}

/** True if a node, or one in its regions, draws random numbers. */
export const isRandom = ({ op, regions }: Node): boolean =>
  op.facts.random !== undefined || regions.some((region) => region.nodes.some(isRandom));

/** True if a node does nothing but compute new values from its arguments. */
export const isPure = (node: Node): boolean =>
  !isRandom(node) && node.regions.length === 0 && overwritten(node) === null;

/** True if two values have the same dtype, sizes and strides. */
export const haveSameType = ({ type: a }: Pick<Value, "type">, { type: b }: Pick<Value, "type">): boolean =>
  a.dtype === b.dtype && `${a.shape}` === `${b.shape}` && `${a.strides}` === `${b.strides}`;
