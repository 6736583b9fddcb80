/**
 * Copy atoms: what one copy instruction moves, as plain data. Three layouts map (thread, value) to the place of a value: as the
 * source is read, as the destination is written, and the reference order in which thread-value layouts count.
 * `universalCopy` is a single thread that moves one run of bits; a user's own atom is any object of this form.
 *
 * MMA atoms: what one matrix instruction multiplies, as plain data. D = A * B + C with A (M,K), B (N,K) and C (M,N); each operand has a
 * layout from (thread, value) to the 1-D coordinate in its tile. `universalFma` is one thread and one product; the two
 * others are published facts of the hardware. A user's own atom is any object of this form.
 */
import { LayoutError, StridewiseError } from "../../base/errors.ts";
import { recastLayout } from "../../layout/algebra/recast.ts";
import { formatLayout, formatTuple } from "../../layout/format.ts";
import { int } from "../../layout/int.ts";
import { type Layout, makeLayout } from "../../layout/layout.ts";
import { type IntTuple, mapLeaves, type Nested } from "../../layout/tuple.ts";
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

/** One matrix multiply instruction. */
export interface MmaAtom {
  readonly shapeMNK: IntTuple;
  /** Threads of the instruction to thread indices. */
  readonly threadId: Layout;
  /** (thread, value) to 1-D coordinate of A's tile (M,K). */
  readonly layoutA: Layout;
  /** (thread, value) to 1-D coordinate of B's tile (N,K). */
  readonly layoutB: Layout;
  /** (thread, value) to 1-D coordinate of C's tile (M,N). */
  readonly layoutC: Layout;
  /** The dtypes of the fragments; without them a fragment has the dtype of its tensor. */
  readonly dtypes?: { readonly a: DType; readonly b: DType; readonly c: DType };
}

type Numbers = Nested<number>;
const fixed = (t: Numbers): IntTuple => mapLeaves(t, (n) => int(n));
const layout = (shape: Numbers, stride: Numbers): Layout => makeLayout(fixed(shape), fixed(stride) as never);

/** One thread, one product: c += a * b. */
export function universalFma(a: DType = "float32", b: DType = a, c: DType = a): MmaAtom {
  const one = layout([1, 1], [0, 0]);
  const threadId = makeLayout(int(1));
  return { shapeMNK: fixed([1, 1, 1]), threadId, layoutA: one, layoutB: one, layoutC: one, dtypes: { a, b, c } };
}

const half = { a: "float16", b: "float16", c: "float32" } as const;

/** The documented instructions, made when asked for. */
const atoms = {
  // A quadpair: threads 0-3 and 16-19 of a warp.
  SM70_8x8x4_F32F16F16F32_NT: (): MmaAtom => ({
    shapeMNK: fixed([8, 8, 4]),
    threadId: layout([4, 2], [1, 16]),
    layoutA: layout([[4, 2], 4], [[8, 4], 1]),
    layoutB: layout([[4, 2], 4], [[8, 4], 1]),
    layoutC: layout(
      [
        [2, 2, 2],
        [2, 2, 2],
      ],
      [
        [1, 16, 4],
        [8, 2, 32],
      ],
    ),
    dtypes: half,
  }),
  SM80_16x8x16_F32F16F16F32_TN: (): MmaAtom => ({
    shapeMNK: fixed([16, 8, 16]),
    threadId: layout(32, 1),
    layoutA: layout(
      [
        [4, 8],
        [2, 2, 2],
      ],
      [
        [32, 1],
        [16, 8, 128],
      ],
    ),
    layoutB: layout(
      [
        [4, 8],
        [2, 2],
      ],
      [
        [16, 1],
        [8, 64],
      ],
    ),
    layoutC: layout(
      [
        [4, 8],
        [2, 2],
      ],
      [
        [32, 1],
        [16, 8],
      ],
    ),
    dtypes: half,
  }),
} as const;

/** The instructions whose layouts are known here. */
export type MmaAtomName = keyof typeof atoms;
/** Their names, to ask `mmaAtom` for. */
export const mmaAtomNames: readonly MmaAtomName[] = /* @__PURE__ */ Object.keys(atoms) as MmaAtomName[];

/** The atom of a documented instruction. */
export function mmaAtom(name: MmaAtomName): MmaAtom {
  if (!Object.hasOwn(atoms, name))
    throw new StridewiseError(
      `mmaAtom: ${String(name)} is not known here; known are ${mmaAtomNames.join(", ")}. Any other is plain data: { shapeMNK, threadId, layoutA, layoutB, layoutC }`,
    );
  return atoms[name]();
}

/** An MMA atom as CuTe prints it. */
export function formatMmaAtom(atom: MmaAtom): string {
  return [
    "MMA_Atom",
    `  ThrID:      ${formatLayout(atom.threadId)}`,
    `  Shape_MNK:  ${formatTuple(atom.shapeMNK)}`,
    `  LayoutA_TV: ${formatLayout(atom.layoutA)}`,
    `  LayoutB_TV: ${formatLayout(atom.layoutB)}`,
    `  LayoutC_TV: ${formatLayout(atom.layoutC)}`,
  ].join("\n");
}
