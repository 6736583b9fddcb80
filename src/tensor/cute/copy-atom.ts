/**
 * Copy atoms: what one copy instruction moves, as plain data. Three layouts map (thread, value) to the place of a value: as the
 * source is read, as the destination is written, and the reference order in which thread-value layouts count.
 * `universalCopy` is a single thread that moves one run of bits; a user's own atom is any object of this form.
 */
import { LayoutError } from "../../base/errors.ts";
import { recastLayout } from "../../layout/algebra/recast.ts";
import { formatLayout } from "../../layout/format.ts";
import { int } from "../../layout/int.ts";
import { type Layout, makeLayout } from "../../layout/layout.ts";
import { checkDType, type DType, dtypes } from "../../storage/dtype.ts";

/** One copy instruction. */
export interface CopyAtom {
  /** Threads of the instruction to thread indices. */
  readonly threadId: Layout;
  /** (thread, value) to place, in values. */
  readonly layoutSrc: Layout;
  readonly layoutDst: Layout;
  readonly layoutRef: Layout;
  readonly valueBits: number;
}

/** One thread that copies `bits` bits at once: as many values of the dtype as fit into them. */
export function universalCopy(dtype: DType = "float32", given?: number): CopyAtom {
  const valueBits = 8 * dtypes[checkDType("universalCopy", dtype)].itemsize;
  const bits = given ?? valueBits;
  if (!Number.isInteger(bits) || bits < valueBits || bits % valueBits !== 0)
    throw new LayoutError(
      `universalCopy: ${bits} bits hold no whole number of ${dtype} values of ${valueBits} bits; give a multiple, such as ${4 * valueBits}`,
    );
  const values = recastLayout(makeLayout([int(1), int(bits)]), 1, valueBits);
  return { threadId: makeLayout(int(1)), layoutSrc: values, layoutDst: values, layoutRef: values, valueBits };
}

/** A copy atom as CuTe prints it. */
export function formatCopyAtom(atom: CopyAtom): string {
  return [
    "Copy_Atom",
    `  ThrID:        ${formatLayout(atom.threadId)}`,
    `  ValLayoutSrc: ${formatLayout(atom.layoutSrc)}`,
    `  ValLayoutDst: ${formatLayout(atom.layoutDst)}`,
    `  ValLayoutRef: ${formatLayout(atom.layoutRef)}`,
    `  ValueType:    ${atom.valueBits}b`,
  ].join("\n");
}
