/**
 * The affine primitives of mllm: `const f = ap.create("i * 128 + 64"); ap["i"] = 3; f() // 448`.
 * A symbol is an accessor on a cell of its own, an affine is a closure over such cells.
 * Promises: f() is the exact value for the integers assigned last, or an error that names what is missing.
 */
import { ExprError } from "../base/errors.ts";
import { affineForm, codeOf } from "./compile.ts";
import { evaluate } from "./evaluate.ts";
import type { Expr } from "./expr.ts";
import { parse } from "./parse.ts";

/** A compiled expression over the symbols of its AffinePrimitives. */
export interface Affine {
  (): number;
  readonly expr: Expr;
  /** True if and only if the value depends on no symbol. */
  readonly isStatic: boolean;
  toString(): string;
}

/** Expressions that share symbols, which are assigned as properties: `ap["i"] = 3`. */
export type AffinePrimitives = { [symbol: string]: number } & {
  /** The function of an expression, given as text or built. */
  create(expression: string | Expr): Affine;
};

/** A value in memory of its own; NaN until it is assigned. A typed array keeps it an unboxed double. */
type Cell = Float64Array;

/**
 * The object stays empty. Its prototype, which is its own, holds `create` and one accessor for each known symbol; behind
 * that, a proxy meets names that are not known yet. Why not accessors on the object itself: V8 shares the hidden class of
 * objects made alike, and a second object whose accessors are other functions becomes a dictionary, where assigning and
 * calling took 98 ns. So it takes 2 ns in a loop of one affine (hand-written 1.2), 10 ns where the call site has seen
 * others, and 42 ns on average for 50 affines of 7 shapes, divisions among them, called in turn.
 */
function makeAffinePrimitives(): AffinePrimitives {
  const cells = new Map<string, Cell>();
  const strangers = new Proxy(Object.prototype, {
    set: (_, name, value) => {
      if (typeof name === "string") assign(name, declare(name), value);
      return typeof name === "string";
    },
  });
  const known: object = Object.create(strangers, { create: { value: create } });

  function create(expression: string | Expr): Affine {
    const expr = typeof expression === "string" ? parse(expression) : expression;
    const names = [...expr.symbols.keys()];
    const own = names.map(declare);
    const slow = (): number => evaluate(expr, Object.fromEntries(assigned(names, own)));
    const f = closureOf(expr, names, own, slow);
    return Object.assign(f, { expr, isStatic: names.length === 0, toString: () => `${expr}` });
  }

  function declare(name: string): Cell {
    const existing = cells.get(name);
    if (existing) return existing;
    if (name === "create")
      throw new ExprError('AffinePrimitives: "create" is the method. Use another name for the symbol.');
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
    throw new ExprError(`AffinePrimitives: ${name} = ${value} is not an integer below 2^53. Assign an integer.`);
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
