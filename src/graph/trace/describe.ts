/**
 * Graphs as keys. `skeletonOf` is the sequence of ops without numbers: traces of one function at several sizes have the same skeleton, unless the
 * function branches on a size. `recordOf` has the numbers too: two traces of the same call that differ show state of JavaScript.
 */
import { isRecord } from "../../autograd/arguments.ts";
import type { Storage } from "../../storage/storage.ts";
import { toTypedArray } from "../../tensor/convert/to-array.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { type Argument, type Graph, type Input, Value } from "../ir.ts";
import { isConstantStorage } from "./constants.ts";

/** A line for each input and node, and one for the results. */
function linesOf(
  { inputs, nodes, outputs, writes }: Graph,
  number: (value: number | bigint) => string,
  constant: (input: Input) => string,
): string[] {
  const names = new Map<Value, string>();
  const lines: string[] = [];
  const nameOf = (value: Value): string => names.get(value) ?? "?";
  const define = (value: Value): string => {
    names.set(value, `%${names.size}`);
    const { dtype, shape, strides } = value.type;
    const sizes = shape.map((size) => number(Number(size)));
    const steps = strides?.map((step) => number(Number(step))) ?? [];
    return `${names.get(value)}: ${dtype}[${sizes}]${steps.length === 0 ? "" : `:[${steps}]`}`;
  };
  const text = (arg: Argument): string => {
    if (arg instanceof Value) return nameOf(arg);
    if (typeof arg === "number" || typeof arg === "bigint") return number(arg);
    if (Array.isArray(arg)) return `[${arg.map(text)}]`;
    if (isRecord(arg)) return `{${Object.entries(arg).map(([name, each]) => `${name}: ${text(each as Argument)}`)}}`;
    return typeof arg === "string" ? JSON.stringify(arg) : String(arg);
  };
  for (const input of inputs) {
    const type = define(input.value);
    if (input.kind === "captured")
      lines.push(`captured ${((input.tensor as Tensor).source as Storage).number} ${type}`);
    else lines.push(input.kind === "constant" ? `constant ${constant(input)} ${type}` : `${input.kind} ${type}`);
  }
  for (const { op, args, results, regions } of nodes) {
    lines.push(`${op.name}(${args.map(text)}) -> ${results.map(define)}`);
    for (const region of regions) lines.push(...linesOf(region, number, constant).map((line) => `  ${line}`));
  }
  lines.push(`return ${outputs.map(nameOf)}`);
  for (const { to, value } of writes) lines.push(`write ${nameOf(to)} = ${nameOf(value)}`);
  return lines;
}

/** Returns a text that is equal for graphs with the same ops on the same values, whatever the numbers are. */
export const skeletonOf = (graph: Graph): string =>
  linesOf(
    graph,
    () => "#",
    () => "",
  ).join("\n");

/** Returns the lines of a graph with all numbers. Constants are compared by their elements, or by their storage if it never changes. */
export const recordOf = (graph: Graph): readonly string[] =>
  linesOf(graph, String, ({ tensor }) => (tensor === null ? "" : contentOf(tensor)));

/** The number of elements of a constant that are listed; a checksum stands for further ones. */
const listed = 16;

function contentOf(t: Tensor): string {
  const storage = t.source as Storage;
  if (isConstantStorage(storage)) return `storage ${storage.number} from ${t.start}`;
  const elements = toTypedArray(t);
  const text = `[${elements.slice(0, listed)}]`;
  if (elements.length <= listed) return text;
  let checksum = 0;
  for (const byte of new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength))
    checksum = (Math.imul(checksum, 31) + byte) | 0;
  return `${text}... ${elements.length} elements, checksum ${checksum}`;
}
