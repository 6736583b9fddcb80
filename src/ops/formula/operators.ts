/**
 * The operators of formulas, their functions and their precedence, as in Python. Comparisons have the lowest precedence of the binary
 * operators and do not chain; only `c ? a : b` is lower. Parser and printer use the same table.
 */
export const levels = { choice: 0, comparison: 1, unary: 8, power: 9, value: 10 } as const;

export interface FormulaOperator {
  readonly symbol: string;
  readonly fn: string;
  readonly level: number;
}

const table: readonly (readonly [symbol: string, fn: string, level: number])[] = [
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

export const operators: readonly FormulaOperator[] = /* @__PURE__ */ table.map(([symbol, fn, level]) => ({
  symbol,
  fn,
  level,
}));

/** Returns the binary operator of a symbol. */
export const operatorOf = (symbol: string): FormulaOperator | undefined =>
  operators.find((operator) => operator.symbol === symbol);

/** Prefix operators. */
export const prefixes: Readonly<Record<string, string>> = { "-": "neg", "~": "not" };

/** Names of constants, which cannot be operands. */
export const constants: Readonly<Record<string, number | boolean>> = {
  pi: Math.PI,
  inf: Infinity,
  nan: NaN,
  true: true,
  false: false,
};
