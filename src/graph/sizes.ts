/**
 * Symbolic sizes of a graph: lists the symbols, solves for their values from the shapes of a call's tensors, and evaluates expressions with
 * those values.
 */
import { ShapeError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { evaluate } from "../expr/evaluate.ts";
import type { Expr } from "../expr/expr.ts";
import type { SymbolAtom } from "../expr/polynomial.ts";
import { type Int, isStaticInt, isSymbolic } from "../layout/int.ts";
import { type Argument, type Graph, isConcrete, type TensorType, Value } from "./ir.ts";
import { eachLeaf, mapLeaves } from "./leaves.ts";

/** Values of symbols by name. */
export type SymbolValues = Readonly<Record<string, number>>;

/** Returns a size as a number. */
export const numberOf = (size: Int, symbols: SymbolValues): number =>
  typeof size === "number" ? size : isStaticInt(size) ? size.value : evaluate(size, symbols);

/** A type whose sizes are numbers. */
export interface ConcreteType extends TensorType {
  readonly shape: readonly number[];
  readonly strides: readonly number[] | null;
}

/** Returns a type with numbers in place of expressions. */
export const concreteType = ({ dtype, shape, strides }: TensorType, symbols: SymbolValues): ConcreteType => ({
  dtype,
  shape: shape.map((size) => numberOf(size, symbols)),
  strides: strides?.map((step) => numberOf(step, symbols)) ?? null,
});

/** Returns an argument with numbers in place of expressions, and with the results of `fn` in place of values. */
export const concreteArgument = (arg: Argument, symbols: SymbolValues, fn: (value: Value) => unknown): unknown =>
  mapLeaves(arg, (leaf) => {
    if (leaf instanceof Value) return fn(leaf);
    return isSymbolic(leaf) ? evaluate(leaf, symbols) : leaf;
  });

/** Calls `visit` with every expression of an argument. */
export const eachExpression = (arg: unknown, visit: (expr: Expr) => void): void =>
  eachLeaf(arg, (leaf) => {
    if (isSymbolic(leaf)) visit(leaf);
  });

/** True if neither the types nor the arguments of a graph have symbols. */
export function isConcreteGraph(graph: Graph): boolean {
  return symbolsOf(graph).size === 0;
}

/** Returns the symbols of a graph and its regions, by name. */
export function symbolsOf(graph: Graph, into: Map<string, SymbolAtom> = new Map()): Map<string, SymbolAtom> {
  const add = (expr: Expr): void => {
    for (const [name, symbol] of expr.symbols) into.set(name, symbol);
  };
  const addType = ({ type: { shape, strides } }: Value): void => {
    eachExpression(shape, add);
    eachExpression(strides, add);
  };
  for (const { value } of graph.inputs) addType(value);
  for (const { args, results, regions } of graph.nodes) {
    eachExpression(args, add);
    results.forEach(addType);
    for (const region of regions) symbolsOf(region, into);
  }
  return into;
}

/** The symbols whose values follow from the sizes of the inputs. */
export function solvableSymbols({ inputs }: Graph): ReadonlySet<string> {
  const solvable = new Set<string>();
  const open = inputs.flatMap(({ value }) => value.type.shape.filter(isSymbolic));
  for (let before = -1; before < solvable.size; ) {
    before = solvable.size;
    for (const size of open) {
      const name = onlyUnknown(size, solvable);
      if (name !== null && linearIn(size, name)) solvable.add(name);
    }
  }
  return solvable;
}

/** Returns the symbols of a graph whose values do not follow from the sizes of its inputs; a graph with such symbols cannot be run for other sizes. */
export function unboundSymbols(graph: Graph): readonly string[] {
  const bound = solvableSymbols(graph);
  return [...symbolsOf(graph).keys()].filter((name) => !bound.has(name));
}

/** The only symbol of an expression that is not solved; null if there is none, or several. */
function onlyUnknown(size: Expr, solved: { has(name: string): boolean }): string | null {
  const unknown = [...size.symbols.keys()].filter((name) => !solved.has(name));
  return unknown.length === 1 ? unknown[0] : null;
}

/** True if an expression is a sum of products of symbols, each with the given symbol at most once. */
const linearIn = ({ terms }: Expr, name: string): boolean =>
  terms.every(({ atoms }) => {
    const factors = atoms.filter((atom) => atom.kind !== "symbol" || atom.name === name);
    return factors.length <= 1 && factors.every(({ kind }) => kind === "symbol");
  });

/** Returns the values of the symbols for shapes of the inputs. Throws if a shape does not fit. */
export function solveSymbols(
  who: string,
  graph: Graph,
  shapes: readonly (readonly number[])[],
  labels: readonly string[],
): SymbolValues {
  const symbols: Record<string, number> = {};
  const solved = { has: (name: string): boolean => Object.hasOwn(symbols, name) };
  const open: { readonly size: Expr; readonly value: number }[] = [];
  graph.inputs.forEach(({ value: { type } }, k) => {
    const fits = type.shape.length === shapes[k].length;
    if (!fits) throw misfit(who, labels[k], type, shapes[k]);
    type.shape.forEach((size, axis) => {
      if (isSymbolic(size)) open.push({ size, value: shapes[k][axis] });
    });
  });
  for (let before = -1; before < Object.keys(symbols).length; ) {
    before = Object.keys(symbols).length;
    for (const { size, value } of open) {
      const name = onlyUnknown(size, solved);
      if (name === null || !linearIn(size, name)) continue;
      const solution = solve(size, name, value, symbols);
      if (solution !== null) symbols[name] = solution;
    }
  }
  graph.inputs.forEach(({ value: { type } }, k) => {
    const isFit = type.shape.every((size, axis) => {
      const isKnown = !isSymbolic(size) || [...size.symbols.keys()].every((name) => solved.has(name));
      return !isKnown || numberIn(who, size, symbols) === shapes[k][axis];
    });
    if (!isFit) throw misfit(who, labels[k], type, shapes[k], symbols);
  });
  return symbols;
}

/** Evaluates a size; a value outside of the bounds of a symbol is an error of the shapes. */
function numberIn(who: string, size: Int, symbols: SymbolValues): number {
  try {
    return numberOf(size, symbols);
  } catch (error) {
    throw new ShapeError(`${who}: ${(error as Error).message.replace(/^\w+: /, "")}`);
  }
}

/** Solves size(name) = value for an expression that is linear in the symbol; null if no integer does it. */
function solve({ constant, terms }: Expr, name: string, value: number, symbols: SymbolValues): number | null {
  let [rest, slope] = [value - constant, 0];
  for (const { num, den, atoms } of terms) {
    let product = num;
    let isOwn = false;
    for (const atom of atoms)
      if (atom.kind === "symbol" && atom.name !== name) product *= symbols[atom.name];
      else isOwn = true;
    if (isOwn) slope += product / den;
    else rest -= product / den;
  }
  const solution = slope === 0 ? NaN : rest / slope;
  return Number.isSafeInteger(solution) ? solution : null;
}

function misfit(
  who: string,
  label: string,
  type: TensorType,
  shape: readonly number[],
  symbols: SymbolValues = {},
): ShapeError {
  const names = Object.entries(symbols).map(([name, value]) => `${name} = ${value}`);
  const where = isConcrete(type) || names.length === 0 ? "" : ` where ${names.join(", ")}`;
  const remedy = label.startsWith("the constant")
    ? ". It was created for other sizes: run the graph with those, or compile the function for these"
    : "";
  return new ShapeError(`${who}: ${label} must have shape ${show(type.shape)}${where}, got ${show(shape)}${remedy}`);
}
