/**
 * One notation for all elements that are shown together, chosen as PyTorch 2.6 chooses it, and one element written in it.
 * Complex numbers have two notations, one for each part.
 *
 * Only finite values other than zero determine the notation: floats that are all whole are written `1.`, others with the digits
 * of the precision, and scientifically when max / min > 1000, max > 1e8, or min < 1e-4. Without such values, the width is 1.
 *
 * Floats as C's printf and Python's format write them: `%.4f` and `%.4e`.
 * The text is the exact value rounded to nearest, ties to the even digit (toFixed and toExponential round ties up), zero keeps its sign
 * and an exponent has at least two digits. `digits` is an integer from 0 to 99.
 */
import { type Complex, type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { PrintOptions } from "./print-options.ts";

/** The format of a real number; `width` is the width to which elements are padded, and by which lines are broken. */
interface Notation {
  readonly kind: "plain" | "whole" | "fixed" | "scientific";
  readonly precision: number;
  readonly width: number;
}

/** The format of the elements of one text. */
export interface ElementNotation {
  readonly real: Notation;
  /** For complex numbers only. */
  readonly imaginary: Notation | undefined;
  /** The width of one element. */
  readonly width: number;
}

/** The notation for these values, all of one dtype. */
export function chooseNotation(dtype: DType, values: readonly Value[], options: PrintOptions): ElementNotation {
  const { category } = dtypes[dtype];
  if (category === "complex") {
    const parts = values as readonly Complex[];
    const real = notationOfFloats(
      parts.map(({ re }) => re),
      options,
    );
    const imaginary = notationOfFloats(
      parts.map(({ im }) => im),
      options,
    );
    return { real, imaginary, width: real.width + imaginary.width + 1 };
  }
  const real =
    category === "float" ? notationOfFloats(values as readonly number[], options) : notationOfPlain(values, options);
  return { real, imaginary: undefined, width: real.width };
}

function notationOfPlain(values: readonly Value[], { precision }: PrintOptions): Notation {
  let width = 1;
  for (const value of values) width = Math.max(width, formatPlain(value).length);
  return { kind: "plain", precision, width };
}

function notationOfFloats(values: readonly number[], { precision, sciMode }: PrintOptions): Notation {
  const counted = values.filter((value) => Number.isFinite(value) && value !== 0);
  if (counted.length === 0) return { kind: "whole", precision, width: 1 };
  let [min, max, isWhole] = [Infinity, 0, true];
  for (const value of counted) {
    const size = Math.abs(value);
    if (size < min) min = size;
    if (size > max) max = size;
    isWhole &&= Number.isInteger(size);
  }
  const isWide = max / min > 1000 || max > 1e8 || min < 1e-4;
  const unscientific = isWhole ? "whole" : "fixed";
  const chosen: Notation = { kind: isWide ? "scientific" : unscientific, precision, width: 0 };
  let width = 1;
  for (const value of counted) width = Math.max(width, formatReal(value, chosen).length);
  // A forced notation keeps the width of the notation that the values would have, as in PyTorch 2.6.
  const kind = sciMode === null ? chosen.kind : sciMode ? "scientific" : unscientific;
  return { kind, precision, width };
}

/** One element, padded to its width. */
export function formatElement(value: Value, { real, imaginary }: ElementNotation): string {
  if (imaginary === undefined) return formatReal(value as number, real).padStart(real.width);
  const { re, im } = value as Complex;
  const second = formatReal(im, imaginary);
  return `${formatReal(re, real).padStart(real.width)}${second.startsWith("-") ? "" : "+"}${second}j`;
}

function formatReal(value: number, { kind, precision }: Notation): string {
  switch (kind) {
    case "plain":
      return formatPlain(value);
    case "whole":
      return formatFixed(value, 0) + (Number.isFinite(value) ? "." : "");
    case "fixed":
      return formatFixed(value, precision);
    case "scientific":
      return formatScientific(value, precision);
    default:
      return kind satisfies never;
  }
}

const formatPlain = (value: Value): string =>
  typeof value === "boolean" ? (value ? "True" : "False") : (value as number | bigint).toString();

/** `%.{digits}f`. */
export function formatFixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return formatNonfinite(value);
  const size = Math.abs(value);
  const sign = signOf(value);
  // Past this, toFixed returns an exponent; such values are whole.
  if (size >= 1e21) return sign + BigInt(size).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
  // A tie has exactly digits + 1 binary, hence decimal, digits.
  if ((size * 2 ** (digits + 1)) % 2 === 1) {
    const below = withoutLastDigit(size.toFixed(digits + 1));
    if (endsEven(below)) return sign + below;
  }
  return sign + size.toFixed(digits);
}

/** `%.{digits}e`. */
export function formatScientific(value: number, digits: number): string {
  if (!Number.isFinite(value)) return formatNonfinite(value);
  const size = Math.abs(value);
  let text = size.toExponential(digits);
  const longer = size.toExponential(digits + 1);
  const end = longer.indexOf("e");
  if (longer[end - 1] === "5") {
    const mantissa = longer.slice(0, end);
    const power = Number(longer.slice(end + 1)) - digits - 1;
    const below = withoutLastDigit(mantissa);
    if (endsEven(below) && isExactly(size, BigInt(mantissa.replace(".", "")), power)) text = below + longer.slice(end);
  }
  const at = text.indexOf("e") + 2;
  return signOf(value) + text.slice(0, at) + text.slice(at).padStart(2, "0");
}

const formatNonfinite = (value: number): string => (value > 0 ? "inf" : value < 0 ? "-inf" : "nan");
const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? "-" : "");
const withoutLastDigit = (text: string): string => (text.at(-2) === "." ? text.slice(0, -2) : text.slice(0, -1));
const endsEven = (text: string): boolean => Number(text.at(-1)) % 2 === 0;

/** True if and only if size = digits * 10^power. */
function isExactly(size: number, digits: bigint, power: number): boolean {
  if (power >= 0) return Number.isInteger(size) && BigInt(size) === digits * 10n ** BigInt(power);
  const scaled = size * 2 ** -power;
  return Number.isInteger(scaled) && BigInt(scaled) * 5n ** BigInt(-power) === digits;
}
