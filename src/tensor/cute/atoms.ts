/**
 * Copy atoms describe one copy instruction as plain data. Three layouts map (thread, value) to the index of a value: in the source, in the
 * destination, and in the reference order of thread-value layouts. `universalCopy` is a single thread that moves one run of bits; a
 * user-defined atom is any object of this form.
 *
 * MMA atoms describe one matrix instruction as plain data: D = A * B + C with A (M,K), B (N,K) and C (M,N). Each operand has a layout from
 * (thread, value) to the 1-D coordinate in its tile. `universalFma` is one thread and one product; the other two are documented hardware
 * instructions. A user-defined atom is any object of this form.
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
  /** (thread, value) to index of the value. */
  readonly layoutSrc: Layout;
  readonly layoutDst: Layout;
  readonly layoutRef: Layout;
  readonly valueBits: number;
}

/** Returns the atom of one thread that copies `width` bits at once; the default is one value of the dtype. */
export function universalCopy(dtype: DType = "float32", width?: number): CopyAtom {
  const valueBits = 8 * dtypes[checkDType("universalCopy", dtype)].itemsize;
  const bits = width ?? valueBits;
  if (!Number.isInteger(bits) || bits < valueBits || bits % valueBits !== 0)
    throw new LayoutError(
      `universalCopy: ${bits} bits are not a multiple of the ${valueBits} bits of ${dtype}; pass a multiple, such as ${4 * valueBits}`,
    );
  const values = recastLayout(makeLayout([int(1), int(bits)]), 1, valueBits);
  return { threadId: makeLayout(int(1)), layoutSrc: values, layoutDst: values, layoutRef: values, valueBits };
}

/** Formats a copy atom as CuTe prints it. */
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
  /** The dtypes of the fragments; the default is the dtype of each tensor. */
  readonly dtypes?: { readonly a: DType; readonly b: DType; readonly c: DType };
}

type Numbers = Nested<number>;
const fixed = (t: Numbers): IntTuple => mapLeaves(t, (n) => int(n));
const layout = (shape: Numbers, stride: Numbers): Layout => makeLayout(fixed(shape), fixed(stride) as never);

/** Returns the atom of one thread and one product: c += a * b. */
export function universalFma(a: DType = "float32", b: DType = a, c: DType = a): MmaAtom {
  const one = layout([1, 1], [0, 0]);
  const threadId = makeLayout(int(1));
  return { shapeMNK: fixed([1, 1, 1]), threadId, layoutA: one, layoutB: one, layoutC: one, dtypes: { a, b, c } };
}

const half = { a: "float16", b: "float16", c: "float32" } as const;

/** The documented instructions, created on request. */
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

/** The names of the predefined instructions. */
export type MmaAtomName = keyof typeof atoms;
/** All names that `mmaAtom` accepts. */
export const mmaAtomNames: readonly MmaAtomName[] = /* @__PURE__ */ Object.keys(atoms) as MmaAtomName[];

/** Returns the atom of a documented instruction. */
export function mmaAtom(name: MmaAtomName): MmaAtom {
  if (!Object.hasOwn(atoms, name))
    throw new StridewiseError(
      `mmaAtom: unknown atom ${String(name)}. Known: ${mmaAtomNames.join(", ")}. Others are plain data: { shapeMNK, threadId, layoutA, layoutB, layoutC }`,
    );
  return atoms[name]();
}

/** Formats an MMA atom as CuTe prints it. */
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
