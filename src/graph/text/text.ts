/**
 * The printer of graphs; `parse.ts` is its inverse, and docs/graphs.md has the grammar.
 *
 * Guarantees: `printGraph(parseGraph(text))` is `text` for every text that it prints, and graphs that differ only in the identity of their objects
 * print equally. Values are numbered in the order in which they are defined. The elements of tensors are not part of the text: `graphData` returns
 * the tensors of a graph by the names under which the text refers to them.
 */
import { shown, wrongKind } from "../../base/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { isUnderscore } from "../../layout/coord.ts";
import { isStaticInt, isSymbolic } from "../../layout/int.ts";
import type { Generator } from "../../tensor/create/generator.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { isPlainRecord } from "../leaves.ts";
import { formatType, type TensorType } from "../tensor-type.ts";

/** Thrown for a graph that is malformed, or a function that cannot be traced. */
export class GraphError extends StridewiseError {
  override readonly name = "GraphError";
}

interface PrintedValue {
  readonly type: TensorType;
}

interface PrintedInput {
  readonly value: PrintedValue;
  readonly kind: string;
  readonly name: string | null;
  readonly tensor: Tensor | null;
}

interface PrintedNode {
  readonly op: { readonly name: string; readonly facts: { readonly id?: string } };
  readonly args: readonly unknown[];
  readonly results: readonly PrintedValue[];
  readonly regions: readonly PrintedGraph[];
}

/** A graph as the printer sees it; `ir.ts` has the classes. */
export interface PrintedGraph {
  readonly name: string;
  readonly inputs: readonly PrintedInput[];
  readonly nodes: readonly PrintedNode[];
  readonly outputs: readonly PrintedValue[];
  readonly writes: readonly { readonly to: PrintedValue; readonly value: PrintedValue }[];
}

/** Words that are values in texts, and therefore not names of symbols. */
export const reservedWords: ReadonlySet<string> = new Set(
  "null undefined true false NaN Infinity _ by layout".split(" "),
);

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);

const nameText = (name: string): string => (isName(name) ? name : JSON.stringify(name));

/** Returns the name of an op in texts. */
export const opName = ({ op }: { readonly op: PrintedNode["op"] }): string => op.facts.id ?? op.name;

/** Returns a key for the tensor of each input that has one: its name, or its number if it has none or an earlier input has the same name. */
export function inputKeys<I extends PrintedInput>(graph: { readonly inputs: readonly I[] }): ReadonlyMap<I, string> {
  const keys = new Map<I, string>();
  const taken = new Set<string>();
  graph.inputs.forEach((input, k) => {
    if (input.kind === "argument") return;
    const key = input.name === null || taken.has(input.name) ? `%${k}` : input.name;
    taken.add(key);
    keys.set(input, key);
  });
  return keys;
}

/** Returns the tensors of a graph: captured tensors, constants and live numbers, by the keys that `parseGraph` takes. */
export function graphData(graph: PrintedGraph): ReadonlyMap<string, Tensor> {
  checkIsGraph("graphData", graph);
  const entries = [...inputKeys(graph)].flatMap(([{ tensor }, key]): [string, Tensor][] =>
    tensor === null ? [] : [[key, tensor]],
  );
  return new Map(entries);
}

/** Throws unless a value is a graph. */
export function checkIsGraph(who: string, graph: unknown): void {
  const { inputs, nodes } = Object(graph) as { readonly inputs?: unknown; readonly nodes?: unknown };
  if (!Array.isArray(inputs) || !Array.isArray(nodes)) throw wrongKind(who, "a graph", graph);
}

/** Prints a graph. */
export function printGraph(graph: PrintedGraph): string {
  checkIsGraph("printGraph", graph);
  return textOf(graph, false).lines.join("\n");
}

/** The lines of a graph, with the number of the line of each input, node and region. */
export interface GraphText {
  readonly lines: readonly string[];
  readonly lineOf: ReadonlyMap<object, number>;
  readonly nameOf: ReadonlyMap<object, string>;
}

/** Returns the lines of the text, for messages that refer to them. Parts without a text are `?`. */
export function graphText(graph: PrintedGraph): GraphText {
  return textOf(graph, true);
}

function textOf(graph: PrintedGraph, isLenient: boolean): GraphText {
  const printer = new Printer(isLenient);
  printer.print(graph, "");
  return { lines: printer.lines, lineOf: printer.lineOf, nameOf: printer.names };
}

class Printer {
  readonly lines: string[] = [];
  readonly lineOf = new Map<object, number>();
  readonly names = new Map<object, string>();
  readonly #generators = new Map<Generator, string>();
  readonly #isLenient: boolean;

  constructor(isLenient: boolean) {
    this.#isLenient = isLenient;
  }

  print(graph: PrintedGraph, indent: string): void {
    const { name, inputs, nodes, outputs, writes } = graph;
    this.lineOf.set(graph, this.lines.length);
    this.lines.push(`${indent}graph ${nameText(name)} {`);
    const inner = `${indent}  `;
    if (indent === "") this.#declare(graph, inner);
    for (const input of inputs) {
      this.lineOf.set(input, this.lines.length);
      const label = input.name === null ? "" : ` ${JSON.stringify(input.name)}`;
      this.lines.push(`${inner}${input.kind} ${this.#define(input.value)}${label}`);
    }
    for (const node of nodes) this.#printNode(node, inner);
    for (const { to, value } of writes) this.lines.push(`${inner}write ${this.#nameOf(to)} = ${this.#nameOf(value)}`);
    this.lines.push(
      `${inner}return${outputs.length === 0 ? "" : ` ${outputs.map((each) => this.#nameOf(each)).join(", ")}`}`,
    );
    this.lines.push(`${indent}}`);
  }

  #printNode(node: PrintedNode, indent: string): void {
    const { op, args, results, regions } = node;
    this.lineOf.set(node, this.lines.length);
    const texts = args.map((arg) => this.#argument(arg, op.name));
    const defined = results.map((value) => this.#define(value)).join(", ");
    const name = opName(node);
    const call = `${/^[A-Za-z_$][\w$.]*$/.test(name) ? name : JSON.stringify(name)}(${texts.join(", ")})`;
    this.lines.push(`${indent}${defined}${defined === "" ? "" : " = "}${call}${regions.length === 0 ? "" : " {"}`);
    if (regions.length === 0) return;
    for (const region of regions) this.print(region, `${indent}  `);
    this.lines.push(`${indent}}`);
  }

  /** Adds a line for each symbol and generator of a graph and its regions. */
  #declare(graph: PrintedGraph, indent: string): void {
    const symbols = new Map<string, string>();
    const visit = (value: unknown): void => {
      if (isSymbolic(value)) {
        for (const [name, { min, max, divisor }] of value.symbols) {
          const line = symbolText(name, min, max, divisor);
          const earlier = symbols.get(name);
          if (this.#isLenient) symbols.set(name, earlier ?? line);
          else if (earlier !== undefined && earlier !== line)
            throw new GraphError(
              `printGraph: two symbols are named ${name}, with different bounds. Create the symbol once and reuse it`,
            );
          else if (reservedWords.has(name))
            throw new GraphError(`printGraph: a symbol is named ${name}, which has a meaning in texts. Rename it`);
          else symbols.set(name, line);
        }
      } else if (isGenerator(value)) {
        if (this.#generators.has(value)) return;
        const name = `@${this.#generators.size}`;
        this.#generators.set(value, name);
      } else if (Array.isArray(value)) value.forEach(visit);
      else if (isPlainRecord(value)) Object.values(value).forEach(visit);
    };
    const visitType = ({ type: { shape, strides } }: PrintedValue): void => {
      shape.forEach(visit);
      strides?.forEach(visit);
    };
    const visitGraph = ({ inputs, nodes }: PrintedGraph): void => {
      for (const { value } of inputs) visitType(value);
      for (const { args, results, regions } of nodes) {
        args.forEach(visit);
        results.forEach(visitType);
        regions.forEach(visitGraph);
      }
    };
    visitGraph(graph);
    for (const name of [...symbols.keys()].sort()) this.lines.push(`${indent}${symbols.get(name)}`);
    for (const [{ seed, offset }, name] of this.#generators)
      this.lines.push(`${indent}generator ${name}: seed ${seed}, offset ${offset}`);
  }

  #define(value: PrintedValue): string {
    const name = `%${this.names.size}`;
    if (this.names.has(value)) return `${this.names.get(value)}: ${formatType(value.type)}`;
    this.names.set(value, name);
    return `${name}: ${formatType(value.type)}`;
  }

  /** The name of a value; `%?` if nothing defines it, which the verifier reports. */
  #nameOf(value: object): string {
    return this.names.get(value) ?? "%?";
  }

  #argument(arg: unknown, op: string): string {
    switch (typeof arg) {
      case "number":
        return Object.is(arg, -0) ? "-0" : String(arg);
      case "bigint":
        return `${arg}n`;
      case "string":
        return JSON.stringify(arg);
      case "boolean":
      case "undefined":
        return String(arg);
      case "object":
        return arg === null ? "null" : this.#object(arg, op);
      default:
        return this.#withoutText(op, arg);
    }
  }

  #withoutText(op: string, arg: unknown): string {
    if (this.#isLenient) return "?";
    throw noText(op, arg);
  }

  #object(arg: object, op: string): string {
    const name = this.names.get(arg) ?? (isGenerator(arg) ? this.#generators.get(arg) : undefined);
    if (name !== undefined) return name;
    if (isStaticInt(arg) || isSymbolic(arg) || isUnderscore(arg)) return String(arg);
    if (Array.isArray(arg)) return `[${arg.map((each) => this.#argument(each, op)).join(", ")}]`;
    if (isPlainRecord(arg)) {
      const fields = Object.entries(arg).map(([key, each]) => `${nameText(key)}: ${this.#argument(each, op)}`);
      return `{${fields.join(", ")}}`;
    }
    // A value that is not defined in the graph.
    if ("type" in arg && "node" in arg) return "%?";
    return this.#withoutText(op, arg);
  }
}

/** True for a generator. Not by its class, because this file is a part of programs that draw no numbers. */
const isGenerator = (value: unknown): value is Generator =>
  typeof value === "object" && value !== null && "nextDraw" in value;

const noText = (op: string, arg: unknown): GraphError =>
  new GraphError(
    `printGraph: an argument of ${op} has no text: ${typeof arg === "function" ? "a function" : shown(arg)}. Values, numbers, strings, lists, plain objects and generators have one`,
  );

/** The line of a symbol: `symbol n: 1..256, multiple of 8`. */
function symbolText(name: string, min: number, max: number, divisor: number): string {
  const bounds =
    min === -Infinity && max === Infinity ? [] : [`${min === -Infinity ? "" : min}..${max === Infinity ? "" : max}`];
  const facts = [...bounds, ...(divisor === 1 ? [] : [`multiple of ${divisor}`])];
  return `symbol ${name}${facts.length === 0 ? "" : `: ${facts.join(", ")}`}`;
}
