/**
 * numpy-ts with a heap that is large enough for the rows (with its default of 256 MB it would leave WebAssembly); each
 * result is disposed. No op writes to existing memory. It declares Node 22 but runs on 20. npm skips such a package if
 * it is an optional dependency, so it is a regular one.
 */
import type { NDArray } from "numpy-ts";
import { arraysOf } from "../rows/row.ts";
import { entryOf, keepingLast, type Prepare } from "./peer.ts";

export const prepare: Prepare = async (row) => {
  const np = await import("numpy-ts");
  np.configureWasm({ maxMemory: 2 ** 30 });
  const arrays = arraysOf(row, (values, shape) => {
    const array = np.zeros(shape, "float32") as NDArray;
    (array.data as Float32Array).set(values);
    return array;
  });
  const body = entryOf(row, "numpy-ts")(np, arrays) as () => NDArray;
  const results = keepingLast(body, (result) => result.dispose());
  return { version: np.__version__, call: results.call, read: () => results.last().data as Float32Array };
};
