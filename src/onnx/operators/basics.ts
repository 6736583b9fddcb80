/** Constants, identity and shapes of tensors. */
import * as sw from "../../index.ts";
import type { OperatorTable } from "../operator.ts";

export const basics: OperatorTable = {
  Identity: (call) => call.inputs[0] ?? null,
  Shape: {
    readsShapes: true,
    run(call) {
      const { shape } = call.tensor(0);
      return sw.tensor(shape.slice(call.int("start", 0), call.int("end", shape.length)), { dtype: "int64" });
    },
  },
  Size: { readsShapes: true, run: (call) => sw.tensor(call.tensor(0).size, { dtype: "int64" }) },
  Reshape(call) {
    const x = call.tensor(0);
    const target = call.numbers(1);
    const keepsZero = call.int("allowzero", 0) !== 0;
    return x.reshape(target.map((size, k) => (size === 0 && !keepsZero ? x.shape[k] : size)));
  },
};
