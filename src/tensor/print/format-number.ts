/**
 * Floats as C's printf and Python's format write them: `%.4f` and `%.4e`.
 * The text is the exact value rounded to nearest, ties to the even digit (toFixed and toExponential round ties up), zero keeps its sign
 * and an exponent has at least two digits. `digits` is a whole number from 0 to 99.
 */

/** `%.{digits}f`. */
export function formatFixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return formatNonfinite(value);
  const size = Math.abs(value);
  const sign = signOf(value);
  // From here on toFixed answers with an exponent; such values are whole.
  if (size >= 1e21) return sign + BigInt(size).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
  // A tie has exactly digits + 1 binary, hence decimal, places.
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
