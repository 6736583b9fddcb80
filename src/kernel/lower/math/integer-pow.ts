/**
 * pow of integers by squaring: one step for each bit of the dtype, or of a constant power.
 * Products wrap around. A negative power is 1 / base^-power, truncated: 0 except for bases 1 and -1.
 */
import { dtypes } from "../../../storage/dtype.ts";
import { constantScalar, type Scalar } from "../../ir/scalar.ts";
import { and, eq, lt, mul, ne, select } from "./arithmetic.ts";

/** base^power of one integer dtype. */
export function integerPow(base: Scalar, power: Scalar): Scalar {
  const { dtype } = base;
  const wide = dtypes[dtype].itemsize === 8;
  const number = (value: bigint): Scalar => constantScalar(dtype, wide ? value : Number(value));
  const one = number(1n);
  const signed = dtype.startsWith("int");
  const known = power.kind === "constant" ? BigInt(power.value as number | bigint | boolean) : undefined;
  const bits = dtypes[dtype].itemsize * 8 - (signed ? 1 : 0);

  let result = one;
  let square = base;
  for (let bit = 0; bit < bits; bit++) {
    const mask = 1n << BigInt(bit);
    if (known === undefined) result = select(ne(and(power, number(mask)), number(0n)), mul(result, square), result);
    else if (known >= 0n && (known & mask) !== 0n) result = result === one ? square : mul(result, square);
    if (known !== undefined && known >> BigInt(bit + 1) <= 0n) break;
    if (bit + 1 < bits) square = mul(square, square);
  }
  if (!signed || (known !== undefined && known >= 0n)) return result;
  const minusOne = number(-1n);
  const alternating = select(eq(and(power, one), number(0n)), one, minusOne);
  const inverse = select(eq(base, one), one, select(eq(base, minusOne), alternating, number(0n)));
  return select(lt(power, number(0n)), inverse, result);
}
