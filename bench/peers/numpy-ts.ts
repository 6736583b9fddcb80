/**
 * numpy-ts with a heap that holds the rows (its own 256 MB would make it leave WebAssembly), and each result disposed. No op writes to
 * memory that exists. It asks for Node 22 and runs on 20; npm skips an optional dependency that does so, hence it is a plain one.
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
