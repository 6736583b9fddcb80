/**
 * The operators of formulas: which function each one is, and how tightly it binds, as in Python. Comparisons bind loosest of the
 * binary ones and do not chain; only `c ? a : b` is looser. Parser and printer read the same table.
 */
export const levels = { choice: 0, comparison: 1, unary: 8, power: 9, value: 10 } as const;

export interface Operator {
  readonly symbol: string;
  readonly fn: string;
  readonly level: number;
}

const list: readonly (readonly [symbol: string, fn: string, level: number])[] = [
  ["==", "eq", 1],
  ["!=", "ne", 1],
  ["<", "lt", 1],
  ["<=", "le", 1],
  [">", "gt", 1],
  [">=", "ge", 1],
  ["|", "or", 2],
  ["^", "xor", 3],
  ["&", "and", 4],
  ["<<", "shiftLeft", 5],
  [">>", "shiftRight", 5],
  ["+", "add", 6],
  ["-", "sub", 6],
  ["*", "mul", 7],
  ["/", "div", 7],
  ["//", "floorDiv", 7],
  ["%", "floorMod", 7],
  ["**", "pow", levels.power],
];

export const operators: readonly Operator[] = /* @__PURE__ */ list.map(([symbol, fn, level]) => ({
  symbol,
  fn,
  level,
}));

const bySymbol: ReadonlyMap<string, Operator> = /* @__PURE__ */ new Map(operators.map((one) => [one.symbol, one]));

/** The operator that a symbol is between two values. */
export const operatorOf = (symbol: string): Operator | undefined => bySymbol.get(symbol);

/** Prefix operators. */
export const prefixes: Readonly<Record<string, string>> = { "-": "neg", "~": "not" };

/** Names that are numbers and no operands. */
export const constants: Readonly<Record<string, number | boolean>> = {
  pi: Math.PI,
  inf: Infinity,
  nan: NaN,
  true: true,
  false: false,
};
