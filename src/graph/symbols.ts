/**
 * Graphs with symbolic sizes. Traces of one function at several sizes have the same ops; the numbers in them differ. A size of an argument that
 * differs is a symbol, and every other number that differs is fitted: the expression over the symbols that has its value in each trace. Such
 * expressions describe a function to people and to the memory plan; a call takes its numbers from its own trace.
 */
import { isRecord } from "../autograd/arguments.ts";
import { asExpr, type Expr, sym } from "../expr/index.ts";
import type { Int } from "../layout/int.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { Dim, type InputShape } from "./dims.ts";
import { type Argument, Graph, type TensorType, Value } from "./ir.ts";

/** A symbol with its value in each trace. */
interface Column {
  readonly symbol: Expr;
  readonly values: readonly number[];
}

/** Names of symbols without a declared name. */
const letters = ["n", "m", "k", "l"];

/** Divisors of rounded quotients that are tried: strides of windows. */
const maxDivisor = 8;

/** Returns a graph with an expression for each number that differs between the graphs, which have one skeleton. */
export function symbolize(graphs: readonly Graph[], shapes: readonly InputShape[] | null): Graph {
  const columns = columnsOf(graphs, shapes);
  const expressions = new Map<string, Int>();
  const names = columns.length;
  let unknown = 0;
  const expressionOf = (values: readonly number[]): Int => {
    const [value] = values;
    const symbol = columns.find((column) => `${column.values}` === `${values}`);
    if (symbol === undefined && values.every((each) => Object.is(each, value))) return value;
    const key = `${values}`;
    const expression =
      expressions.get(key) ?? symbol?.symbol ?? fitColumns(values, columns) ?? sym(`a${names + unknown++}`);
    expressions.set(key, expression);
    return expression;
  };
  return copyOf(graphs, expressionOf);
}

/** Returns the common graph of several, with expressions for their numbers. */
function copyOf(graphs: readonly Graph[], expressionOf: (values: readonly number[]) => Int): Graph {
  const [first] = graphs;
  const result = new Graph(first.name);
  const values = new Map<Value, Value>();
  const typeOf = (types: readonly TensorType[]): TensorType => {
    const [{ dtype, shape }] = types;
    const isRowMajor = types.every(({ strides }) => strides === null);
    const steps = types.map(({ shape: sizes, strides }) => strides ?? rowMajorStrides(sizes as number[]));
    return {
      dtype,
      shape: shape.map((_, axis) => expressionOf(types.map((type) => Number(type.shape[axis])))),
      strides: isRowMajor ? null : shape.map((_, axis) => expressionOf(steps.map((each) => Number(each[axis])))),
    };
  };
  const argument = (all: readonly Argument[]): Argument => {
    const [arg] = all;
    if (arg instanceof Value) return valueOf(arg);
    if (typeof arg === "number") return expressionOf(all as number[]);
    if (Array.isArray(arg)) return arg.map((_, k) => argument(all.map((each) => (each as Argument[])[k])));
    if (isRecord(arg))
      return Object.fromEntries(
        Object.keys(arg).map((name) => [
          name,
          argument(all.map((each) => (each as Readonly<Record<string, Argument>>)[name])),
        ]),
      );
    return arg;
  };
  /** Constants that are created again, because they differ between the graphs: each before the first node that uses it. */
  const created = new Map<Value, () => Value>();
  const valueOf = (value: Value): Value => {
    if (!values.has(value)) values.set(value, (created.get(value) as () => Value)());
    return values.get(value) as Value;
  };
  first.inputs.forEach(({ kind, name, tensor, value, creation }, k) => {
    const inputs = graphs.map((graph) => graph.inputs[k]);
    const types = inputs.map((input) => input.value.type);
    const calls = inputs.flatMap((input) => (input.creation === undefined ? [] : [input.creation.args]));
    if (creation !== undefined && calls.length === graphs.length && areAlike(calls) && !areEqual(calls))
      created.set(value, () => {
        const args = creation.args.map((_, i) => argument(calls.map((each) => each[i])));
        return result.add(creation.op, args, [typeOf(types)]).results[0];
      });
    else values.set(value, result.addInput(typeOf(types), kind, name, tensor));
  });
  first.nodes.forEach((node, k) => {
    const nodes = graphs.map((graph) => graph.nodes[k]);
    const args = node.args.map((_, i) => argument(nodes.map((each) => each.args[i])));
    const types = node.results.map((_, i) => typeOf(nodes.map((each) => each.results[i].type)));
    const regions = node.regions.map((_, i) =>
      copyOf(
        nodes.map((each) => each.regions[i]),
        expressionOf,
      ),
    );
    const copy = result.add(node.op, args, types, regions);
    for (const [i, value] of node.results.entries()) values.set(value, copy.results[i]);
  });
  result.outputs = first.outputs.map(valueOf);
  result.writes = first.writes.map(({ to, value }) => ({
    to: valueOf(to),
    value: valueOf(value),
  }));
  return result;
}

/** True if arguments differ in numbers only. */
function areAlike(all: readonly Argument[]): boolean {
  const [first] = all;
  if (typeof first === "number") return all.every((arg) => typeof arg === "number");
  if (first instanceof Value) return all.every((arg) => arg instanceof Value && arg.node?.op === first.node?.op);
  if (Array.isArray(first)) {
    const lists = all.filter(Array.isArray) as readonly (readonly Argument[])[];
    const haveOneLength = lists.length === all.length && lists.every((list) => list.length === first.length);
    return haveOneLength && first.every((_, k) => areAlike(lists.map((list) => list[k])));
  }
  if (isRecord(first)) {
    const names = Object.keys(first).join();
    const records = all.filter(isRecord) as readonly Readonly<Record<string, Argument>>[];
    const haveSameNames = records.length === all.length && records.every((each) => Object.keys(each).join() === names);
    return haveSameNames && Object.keys(first).every((name) => areAlike(records.map((each) => each[name])));
  }
  return all.every((arg) => Object.is(arg, first));
}

/** True if arguments that are alike have the same numbers. */
function areEqual(all: readonly Argument[]): boolean {
  const [first] = all;
  if (typeof first === "number") return all.every((arg) => Object.is(arg, first));
  if (Array.isArray(first)) return first.every((_, k) => areEqual(all.map((arg) => (arg as readonly Argument[])[k])));
  if (isRecord(first))
    return Object.keys(first).every((name) =>
      areEqual(all.map((arg) => (arg as Readonly<Record<string, Argument>>)[name])),
    );
  // A constant in the form of another tensor differs if that tensor does.
  if (first instanceof Value) return all.every((arg) => `${(arg as Value).type.shape}` === `${first.type.shape}`);
  return true;
}

/** The symbols: declared dimensions, and sizes of arguments that differ. Sizes that are equal in all traces share a symbol. */
function columnsOf(graphs: readonly Graph[], shapes: readonly InputShape[] | null): Column[] {
  const columns: Column[] = [];
  const taken = new Set(shapes?.flatMap((shape) => shape.flatMap((size) => (size instanceof Dim ? [size.name] : []))));
  const argumentsOf = ({ inputs }: Graph): TensorType[] =>
    inputs.flatMap(({ kind, value }) => (kind === "argument" ? [value.type] : []));
  const types = graphs.map(argumentsOf);
  types[0].forEach(({ shape }, k) => {
    shape.forEach((_, axis) => {
      const values = types.map((each) => Number(each[k].shape[axis]));
      const declared = shapes?.[k]?.[axis];
      const isKnown = (column: Column): boolean =>
        `${column.values}` === `${values}` && (!(declared instanceof Dim) || `${column.symbol}` === declared.name);
      if (columns.some(isKnown)) return;
      if (declared instanceof Dim) columns.push({ symbol: declared.symbol, values });
      else if (values.some((value) => value !== values[0])) {
        const name = [...letters, ...values.map((__, i) => `n${columns.length + i}`)].find((each) => !taken.has(each));
        taken.add(name as string);
        columns.push({ symbol: sym(name as string, { min: 0 }), values });
      }
    });
  });
  return columns;
}

/** Returns the simplest expression over the symbols with these values; null if none is found. */
export function fitColumns(values: readonly number[], columns: readonly Column[]): Expr | null {
  if (!values.every(Number.isSafeInteger)) return null;
  const subsets = subsetsOf(columns).sort((a, b) => a.length - b.length);
  for (const subset of subsets) {
    const product = values.map((_, i) => subset.reduce((total, column) => total * column.values[i], 1));
    const expr = subset.reduce((total: Expr, { symbol }) => total.mul(symbol), asExpr(1));
    const line = lineThrough(product, values);
    if (line !== null) return expr.mul(line.slope).add(line.start);
  }
  // Parts of products: (slope * n * m + start) / divisor, without a remainder in any trace.
  for (const subset of subsets)
    for (let divisor = 2; divisor <= maxDivisor; divisor++) {
      const products = values.map((_, i) => subset.reduce((total, column) => total * column.values[i], 1));
      const line = lineThrough(
        products,
        values.map((value) => value * divisor),
      );
      if (line === null) continue;
      const product = subset.reduce((total: Expr, { symbol }) => total.mul(symbol), asExpr(1));
      return product.mul(line.slope).add(line.start).floorDiv(divisor);
    }
  // Sizes of windows: (n + start) / divisor, rounded down.
  for (const { symbol, values: sizes } of columns)
    for (let divisor = 2; divisor <= maxDivisor; divisor++) {
      const low = Math.max(...values.map((value, i) => value * divisor - sizes[i]));
      const high = Math.min(...values.map((value, i) => value * divisor - sizes[i] + divisor - 1));
      if (low <= high) return symbol.add(low <= 0 && high >= 0 ? 0 : low > 0 ? low : high).floorDiv(divisor);
    }
  return null;
}

/** Returns slope and start of the line with integers through all points; null if there is none. */
function lineThrough(
  xs: readonly number[],
  ys: readonly number[],
): { readonly slope: number; readonly start: number } | null {
  const other = xs.findIndex((x) => x !== xs[0]);
  if (other < 0) return null;
  const slope = (ys[other] - ys[0]) / (xs[other] - xs[0]);
  const start = ys[0] - slope * xs[0];
  const isExact = Number.isInteger(slope) && xs.every((x, i) => slope * x + start === ys[i]);
  return isExact ? { slope, start } : null;
}

/** All nonempty subsets of up to four columns. */
function subsetsOf(columns: readonly Column[]): (readonly Column[])[] {
  const subsets: Column[][] = [[]];
  for (const column of columns.slice(0, 4)) subsets.push(...subsets.map((subset) => [...subset, column]));
  return subsets.filter((subset) => subset.length > 0);
}
