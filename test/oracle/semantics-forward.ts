/**
 * PyTorch's recorded snippets about forward mode, each transcribed by its name. A level is a scope here, so what happens inside one is
 * the function that it is given.
 */
import * as api from "../../src/index.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";

const { dualLevel, makeDual, ones, unpackDual, zeros } = api;
const floats = (...values: number[]): Tensor => api.tensor(values);

/** Each snippet by its name: what it computes for `r`, or what it does that is refused. */
export const forwardSnippets: Readonly<Record<string, () => Tensor | null | readonly Tensor[]>> = {
  "no level error": () => makeDual(floats(1), floats(1)),
  "tangent shape mismatch": () => dualLevel(() => makeDual(floats(1), floats(1, 2))),
  "tangent None if not dual": () => dualLevel(() => unpackDual(ones([1])).tangent),
  "tangent dropped at level exit": () => {
    const x = dualLevel(() => makeDual(ones([1]), ones([1])));
    return dualLevel(() => unpackDual(x).tangent);
  },
  "in-place propagates to base via view": () =>
    dualLevel(() => {
      const b: Tensor = zeros([3]);
      const v = b.slice(0, 0, 1);
      v.copy_(makeDual(ones([1]), api.full([1], 5)));
      return unpackDual(b).tangent;
    }),
  "nested level error": () => dualLevel(() => dualLevel(() => null)),
  "functional jvp": () => {
    const { value, tangent } = api.jvp((x) => x.square(), floats(1, 2), floats(1, 1));
    return [value, tangent];
  },
  "functional hessian": () => api.hessian((x) => x.pow(3).sum(), floats(1, 2)),
};
