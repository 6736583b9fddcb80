/**
 * The affine primitives of mllm: `const f = ap.create("i * 128 + 64"); ap["i"] = 3; f() // 448`.
 * Each symbol is an accessor to its own cell; an affine is a closure over cells.
 * Postconditions: f() returns the exact value for the integers assigned last, or throws an error that names the missing symbol.
 */
import { ExprError } from "../base/errors.ts";
import { affineForm, codeOf } from "./compile.ts";
import { evaluateFor } from "./evaluate.ts";
import type { Expr } from "./expr.ts";
import { parse } from "./parse.ts";

/** A compiled expression over the symbols of an AffinePrimitives object. */
export interface Affine {
  (): number;
  readonly expr: Expr;
  /** True if and only if the expression has no symbols. */
  readonly isStatic: boolean;
  toString(): string;
}

/** Expressions that share symbols. Symbols are assigned as properties: `ap["i"] = 3`. */
export type AffinePrimitives = { [symbol: string]: number } & {
  /** Compiles an expression, passed as text or as an Expr. */
  create(expression: string | Expr): Affine;
};

/** The value of one symbol; NaN until it is assigned. A typed array keeps it an unboxed double. */
type Cell = Float64Array;

/**
 * The object stays empty. Its private prototype holds `create` and one accessor for each known symbol. The prototype of
 * that prototype is a proxy that catches unknown names. Accessors on the object itself are slow: V8 shares one hidden class
 * among such objects, and a second object with different accessors becomes a dictionary, where assigning and calling took
 * 98 ns. This form takes 2 ns in a loop of one affine (hand-written 1.2), 10 ns where the call site has seen other affines,
 * and 42 ns on average for 50 affines of 7 shapes, some with divisions, called in turn.
 */
function makeAffinePrimitives(): AffinePrimitives {
  const cells = new Map<string, Cell>();
  const unknown = new Proxy(Object.prototype, {
    set: (_, name, value) => {
      if (typeof name === "string") assign(name, declare(name), value);
      return typeof name === "string";
    },
  });
  const known: object = Object.create(unknown, { create: { value: create } });

  function create(expression: string | Expr): Affine {
    const expr = typeof expression === "string" ? parse(expression) : expression;
    const names = [...expr.symbols.keys()];
    const own = names.map(declare);
    const remedy = (name: string): string => `Assign it: primitives.${name} = 8`;
    const slow = (): number => evaluateFor("AffinePrimitives", remedy, expr, Object.fromEntries(assigned(names, own)));
    const f = closureOf(expr, names, own, slow);
    return Object.assign(f, { expr, isStatic: names.length === 0, toString: () => `${expr}` });
  }

  function declare(name: string): Cell {
    const existing = cells.get(name);
    if (existing) return existing;
    if (name === "create")
      throw new ExprError('AffinePrimitives: "create" is a method. Use another name for the symbol.');
    const cell = new Float64Array(1).fill(NaN);
    Object.defineProperty(known, name, {
      get: () => (Number.isNaN(cell[0]) ? undefined : cell[0]),
      set: (value: number) => assign(name, cell, value),
    });
    cells.set(name, cell);
    return cell;
  }

  return Object.create(known) as AffinePrimitives;
}

function assign(name: string, cell: Cell, value: number): void {
  if (!Number.isSafeInteger(value))
    throw new ExprError(
      `AffinePrimitives: ${name} = ${value} is not an integer from -(2^53 - 1) to 2^53 - 1. Assign an integer.`,
    );
  cell[0] = value;
}

export const AffinePrimitives = makeAffinePrimitives as unknown as new () => AffinePrimitives;

const assigned = (names: readonly string[], cells: readonly Cell[]) =>
  names.flatMap((name, i) => (Number.isNaN(cells[i]?.[0]) ? [] : [[name, cells[i]?.[0]] as const]));

function closureOf(expr: Expr, names: readonly string[], cells: readonly Cell[], slow: () => number): () => number {
  const affine = names.length <= 3 && affineForm(expr, names);
  if (!affine) {
    const code = codeOf<undefined>(expr, (name) => {
      const cell = cells[names.indexOf(name)];
      return () => cell[0];
    });
    return () => {
      const value = code(undefined);
      return Number.isSafeInteger(value) ? value + 0 : slow();
    };
  }
  const { coefficients, constant: c, limit } = affine;
  const [x, y, z] = coefficients as [number, number, number];
  const [i, j, k] = cells as [Cell, Cell, Cell];
  switch (names.length) {
    case 0:
      return () => c;
    case 1:
      return () => {
        const a = i[0] * x;
        return Math.abs(a) <= limit ? a + c : slow();
      };
    case 2:
      return () => {
        const a = i[0] * x;
        const b = j[0] * y;
        return Math.abs(a) <= limit && Math.abs(b) <= limit ? a + b + c : slow();
      };
    default:
      return () => {
        const a = i[0] * x;
        const b = j[0] * y;
        const d = k[0] * z;
        return Math.abs(a) <= limit && Math.abs(b) <= limit && Math.abs(d) <= limit ? a + b + d + c : slow();
      };
  }
}
