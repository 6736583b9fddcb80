/**
 * The numbers of a program as formulas over sizes. A program is lowered for several sizes; a number that differs is fitted: a polynomial, its
 * reciprocal or root, a multiple of another number, or another number rounded to pieces or limited by a constant. A formula has the exact value
 * at every size that was lowered; `variants.ts` checks it at further ones.
 */
import { constantFormula, type Formula, fitPolynomial, type Points } from "./polynomials.ts";

/** The values of one number at all points. */
type Column = readonly number[];

interface Fitted {
  readonly values: Column;
  readonly formula: Formula;
}

const same = (a: Column, b: Column): boolean => a.every((value, k) => Object.is(value, b[k]));

const isConstant = (values: Column): boolean => values.every((value) => Object.is(value, values[0]));

const isWhole = (values: Column): boolean => values.every(Number.isSafeInteger);

/** Returns the text, in parentheses if it has several terms. */
const inner = (text: string): string => (/ /.test(text) ? `(${text})` : text);

/** Returns a formula for each column; or the index of the first one that has none. */
export function fitColumns(columns: readonly Column[], points: Points): readonly Formula[] | number {
  const result: (Formula | undefined)[] = columns.map((values) =>
    isConstant(values) ? constantFormula(values[0]) : undefined,
  );
  const constants = new Set(columns.filter((values) => isConstant(values) && values[0] > 1).map(([value]) => value));
  const known: Fitted[] = [];
  const fitted = (values: Column, tryOne: (values: Column) => Formula | null): Formula | undefined => {
    const before = known.find((each) => same(each.values, values));
    if (before !== undefined) return before.formula;
    const formula = tryOne(values);
    if (formula === null || !points.sizes.every((sizes, k) => Object.is(formula.at(sizes), values[k])))
      return undefined;
    known.push({ values, formula });
    return formula;
  };
  const pass = (tryOne: (values: Column) => Formula | null): void => {
    columns.forEach((values, k) => {
      result[k] ??= fitted(values, tryOne);
    });
  };
  pass((values) => fitPolynomial(values, points));
  pass((values) => fitRoot(values, points));
  const limits = [...constants].filter(Number.isSafeInteger);
  // Repeated, because a number of pieces may depend on another number of pieces.
  for (let before = -1; before !== known.length; ) {
    before = known.length;
    pass((values) => fitPieces(values, known, limits));
    pass((values) => fitMultiple(values, known));
    pass((values) => fitQuotient(values, known));
    pass((values) => fitBlocks(values, known));
  }
  const missing = result.indexOf(undefined);
  return missing < 0 ? (result as Formula[]) : missing;
}

/** Reciprocals and roots of polynomials: factors of means and of attention. */
const roots: readonly { readonly text: string; of(x: number): number; inverse(y: number): number }[] = [
  { text: "1 / #", of: (x) => 1 / x, inverse: (y) => 1 / y },
  { text: "Math.sqrt(#)", of: Math.sqrt, inverse: (y) => y * y },
  { text: "1 / Math.sqrt(#)", of: (x) => 1 / Math.sqrt(x), inverse: (y) => 1 / (y * y) },
];

function fitRoot(values: Column, points: Points): Formula | null {
  for (const { text, of, inverse } of roots) {
    const whole = values.map((value) => Math.round(inverse(value)));
    if (!isWhole(whole) || !same(whole.map(of), values)) continue;
    const base = fitPolynomial(whole, points);
    if (base === null) continue;
    const [open, close] = text.endsWith("#)") ? ["", ""] : ["(", ")"];
    return { text: text.replace("#", `${open}${base.text}${close}`), at: (sizes) => of(base.at(sizes)) };
  }
  return null;
}

/** Fits a known number that is limited by a constant, or divided into pieces of a constant size. */
function fitPieces(values: Column, known: readonly Fitted[], constants: readonly number[]): Formula | null {
  if (!isWhole(values)) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  for (const { values: base, formula } of known) {
    if (!isWhole(base)) continue;
    const { at, text } = formula;
    if (
      same(
        values,
        base.map((x) => Math.min(x, high)),
      )
    )
      return { text: `Math.min(${text}, ${high})`, at: (sizes) => Math.min(at(sizes), high) };
    if (
      same(
        values,
        base.map((x) => Math.max(x, low)),
      )
    )
      return { text: `Math.max(${text}, ${low})`, at: (sizes) => Math.max(at(sizes), low) };
    const up = pieceOf(base, values, constants, Math.ceil);
    if (up !== null) return { text: `Math.ceil(${inner(text)} / ${up})`, at: (sizes) => Math.ceil(at(sizes) / up) };
    const down = pieceOf(base, values, constants, Math.floor);
    if (down !== null)
      return { text: `Math.floor(${inner(text)} / ${down})`, at: (sizes) => Math.floor(at(sizes) / down) };
    const rest = constants.find((piece) =>
      same(
        values,
        base.map((x) => x % piece),
      ),
    );
    if (rest !== undefined) return { text: `${inner(text)} % ${rest}`, at: (sizes) => at(sizes) % rest };
  }
  return null;
}

/** Returns the piece size p with round(base / p) = values: a constant of the program if one fits, otherwise the only integer, or a power of two. */
function pieceOf(
  base: Column,
  values: Column,
  constants: readonly number[],
  round: (x: number) => number,
): number | null {
  const fits = (piece: number): boolean => values.every((value, k) => round(base[k] / piece) === value);
  const constant = constants.find(fits);
  if (constant !== undefined) return constant;
  // The largest quotient bounds the piece most closely.
  const at = values.indexOf(Math.max(...values));
  if (values[at] < 2 || base[at] < values[at]) return null;
  const first = Math.max(2, Math.floor(base[at] / (values[at] + 1)));
  const last = Math.ceil(base[at] / (values[at] - 1));
  if (last - first > 4096) return null;
  const pieces = Array.from({ length: last - first + 1 }, (_, k) => first + k).filter(fits);
  return pieces.length === 1 ? pieces[0] : (pieces.find((piece) => Number.isInteger(Math.log2(piece))) ?? null);
}

/** Fits a multiple of a known number, plus a constant; or the product of two known numbers. */
function fitMultiple(values: Column, known: readonly Fitted[]): Formula | null {
  if (!isWhole(values)) return null;
  for (const { values: base, formula } of known) {
    const other = base.findIndex((x) => x !== base[0]);
    if (other < 0 || !isWhole(base)) continue;
    const slope = (values[other] - values[0]) / (base[other] - base[0]);
    const start = values[0] - slope * base[0];
    if (
      !Number.isInteger(slope) ||
      slope === 0 ||
      !same(
        values,
        base.map((x) => slope * x + start),
      )
    )
      continue;
    const text = `${slope} * ${inner(formula.text)}${start === 0 ? "" : ` + ${start}`}`;
    return { text, at: (sizes) => slope * formula.at(sizes) + start };
  }
  for (const [k, a] of known.entries())
    for (const b of known.slice(k)) {
      if (
        !same(
          values,
          a.values.map((x, i) => x * b.values[i]),
        )
      )
        continue;
      const text = `${inner(a.formula.text)} * ${inner(b.formula.text)}`;
      return { text, at: (sizes) => a.formula.at(sizes) * b.formula.at(sizes) };
    }
  return null;
}

/** Fits the rounded quotient of two known numbers, or of a constant by a known number, which may be limited by another number. */
function fitQuotient(values: Column, known: readonly Fitted[]): Formula | null {
  if (!isWhole(values)) return null;
  const whole = known.filter(({ values: base }) => isWhole(base) && base.every((x) => x > 0));
  for (const a of whole) {
    const share = shareOf(
      a,
      values,
      values.map(() => true),
    );
    if (share !== null) return share;
    for (const b of whole)
      for (const round of ["ceil", "floor"] as const) {
        const of = Math[round];
        if (
          !same(
            values,
            a.values.map((x, k) => of(x / b.values[k])),
          )
        )
          continue;
        const text = `Math.${round}(${inner(a.formula.text)} / ${inner(b.formula.text)})`;
        return { text, at: (sizes) => of(a.formula.at(sizes) / b.formula.at(sizes)) };
      }
  }
  for (const limit of whole) {
    const isLimited = values.map((value, k) => value === limit.values[k]);
    if (!isLimited.includes(true) || values.some((value, k) => value > limit.values[k])) continue;
    for (const a of whole) {
      const share = shareOf(
        a,
        values,
        isLimited.map((each) => !each),
      );
      if (share === null) continue;
      const text = `Math.min(${limit.formula.text}, ${share.text})`;
      return { text, at: (sizes) => Math.min(limit.formula.at(sizes), share.at(sizes)) };
    }
  }
  return null;
}

/** Fits a constant divided by a number, rounded down, at the points of `isOpen`. The constant is a power of two, or the only one that fits. */
function shareOf({ values: base, formula }: Fitted, values: Column, isOpen: readonly boolean[]): Formula | null {
  let [low, high] = [1, Infinity];
  values.forEach((value, k) => {
    if (!isOpen[k]) return;
    low = Math.max(low, value * base[k]);
    high = Math.min(high, (value + 1) * base[k] - 1);
  });
  if (low > high || high === Infinity) return null;
  const power = 2 ** Math.ceil(Math.log2(low));
  const total = power <= high ? power : low === high ? low : 0;
  if (total === 0) return null;
  return {
    text: `Math.floor(${total} / ${inner(formula.text)})`,
    at: (sizes) => Math.floor(total / formula.at(sizes)),
  };
}

/** The limits of blocks, and the multiples that they are rounded to, of packed products. */
const blockLimits = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
const blockSteps = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32];

/** Fits the size of about equal blocks of a known number: at most a limit, and a multiple of a step. */
function fitBlocks(values: Column, known: readonly Fitted[]): Formula | null {
  if (!isWhole(values)) return null;
  const sizeOf = (x: number, limit: number, step: number): number =>
    Math.min(x, Math.ceil(x / Math.ceil(x / limit) / step) * step);
  for (const { values: base, formula } of known) {
    if (!isWhole(base) || values.some((value, k) => value > base[k])) continue;
    for (const limit of blockLimits)
      for (const step of blockSteps) {
        if (!values.every((value, k) => sizeOf(base[k], limit, step) === value)) continue;
        const x = inner(formula.text);
        const text = `Math.min(${formula.text}, Math.ceil(${x} / Math.ceil(${x} / ${limit}) / ${step}) * ${step})`;
        return { text, at: (sizes) => sizeOf(formula.at(sizes), limit, step) };
      }
  }
  return null;
}
