/** The kernels that copy elements, unchanged or cast to a different dtype. */
import { getOrCompute } from "../../base/lazy.ts";
import type { DType } from "../../storage/dtype.ts";
import { cast } from "../ir/scalar.ts";
import { MapKernel } from "./map.ts";
import { shortName } from "./short-name.ts";

/** The integer dtype of each size in bytes, except 16. */
export const bitTypes: Readonly<Record<number, DType>> = { 1: "uint8", 2: "int16", 4: "int32", 8: "int64" };

const copies = new Map<string, MapKernel>();

/** Returns the kernel that copies elements of one dtype to another. */
export function copyKernel(from: DType, to: DType): MapKernel {
  return getOrCompute(
    copies,
    `${from} ${to}`,
    () =>
      new MapKernel({
        name: from === to ? `${shortName(to)}_copy` : `${shortName(to)}_from_${shortName(from)}`,
        outputs: [to],
        inputs: [from],
        scalars: [],
        isCopy: from === to,
        body: ([x]) => [cast(to, x)],
      }),
  );
}
