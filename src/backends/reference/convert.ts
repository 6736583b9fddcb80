/**
 * Values from dtype to dtype, by writing them as one and reading them as the other: what an element of a tensor would become.
 * int64 and uint64 are bigints here.
 */
import { reader, writer } from "../../kernel/element.ts";
import { windowsOver } from "../../kernel/windows.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";

export type Convert = (value: Value) => Value;

/** The function that gives the value `to` makes of any value. */
export const converter = (to: DType): Convert => through(to, to);

/** The function that gives the value whose bits as `to` are those of a value as `from`. */
export const bitConverter = (from: DType, to: DType): Convert => through(from, to);

function through(from: DType, to: DType): Convert {
  const cell = windowsOver(new ArrayBuffer(16));
  const [target, source] = [cell.array(dtypes[from].array), cell.array(dtypes[to].array)];
  const [write, read] = [writer(from), reader(to, "bigint")];
  return (value) => {
    write(target, 0, value);
    return read(source, 0);
  };
}
