/** What a value becomes as an element of a dtype: written and read back, or read as another dtype of the same bits. */
import { type DType, dtypes, type Value } from "../storage/dtype.ts";
import { BufferMemory } from "../storage/memory.ts";
import { type IntegerForm, reader, writer } from "./element.ts";

/** The function that rounds a value to a dtype, as storing it and reading it back does; int64 and uint64 come as `form` says. */
export const rounder = (dtype: DType, form: IntegerForm = "bigint"): ((value: Value) => Value) =>
  through(dtype, dtype, form);

/** The function that gives the value whose bits as `to` are those of a value as `from`; int64 and uint64 as bigints. */
export const bitRounder = (from: DType, to: DType): ((value: Value) => Value) => through(from, to, "bigint");

function through(from: DType, to: DType, form: IntegerForm): (value: Value) => Value {
  const cell = new BufferMemory("overflow", new ArrayBuffer(16));
  const [target, source] = [cell.array(dtypes[from].array), cell.array(dtypes[to].array)];
  const [write, read] = [writer(from), reader(to, form)];
  return (value) => {
    write(target, 0, value);
    return read(source, 0);
  };
}
