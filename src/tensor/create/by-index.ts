/** New tensors of one axis, each element computed from its index by a function of this library. */
import { writer } from "../../kernel/element.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import { fresh, type ShapedOptions } from "./create.ts";
import { checkOptions } from "./options.ts";

/** The tensor of `valueAt(0)`, `valueAt(1)`, ...; its memory is allocated first. The function must allocate none. */
export function fromIndex(
  who: string,
  length: number,
  dtype: DType,
  options: ShapedOptions,
  valueAt: (i: number) => number,
): Tensor {
  checkOptions(who, options);
  if (options.device !== "meta") checkResultBytes(who, length, dtypes[dtype].itemsize);
  const t = fresh(who, [length], dtype, options);
  if (t.device.type === "meta") return t;
  const storage = storageOf(t, who);
  const { array, itemsize } = dtypes[dtype];
  const window = storage.writable().array(array);
  const first = storage.byteOffset / itemsize;
  const write = writer(dtype);
  for (let i = 0; i < length; i++) write(window, first + i, valueAt(i));
  return t;
}
