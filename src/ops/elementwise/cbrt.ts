/**
 * The cube root, which PyTorch has not. A function only, no method.
 */
import { DTypeError } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "./map.ts";
import type { SpecialUnary } from "./special-functions.ts";

// A root by logarithms in float64, and one step of Newton's method, which makes it right in float64, too.
const root =
  "let v = x * 1.0; let a = float64(abs(v)); let r = exp2(log2(a) / 3); let c = r - (r - a / (r * r)) / 3; (a == 0) | (a == inf) ? v : like(v < 0 ? -c : c, v)";

/** The cube root of x, negative where x is. */
export const cbrt: SpecialUnary = /* @__PURE__ */ map(
  "cbrt(x)",
  ({ x }) => {
    if (/^complex/.test((x as Tensor).dtype))
      throw new DTypeError("cbrt: complex numbers have three cube roots, and it takes none. Write pow(x, 1 / 3)");
    return root;
  },
  { x: "g / (3 * y * y)" },
);
