/**
 * The names of the C++ notation that make and part tensors: engines, pointers, partitions, tiled copies and MMAs. One row each, in the
 * tables that `cpp-names.ts` joins with its own.
 */
import type * as lib from "../../src/layout/index.ts";
import { DataPtr } from "../../src/storage/data-ptr.ts";
import { BufferMemory } from "../../src/storage/memory.ts";
import { Storage } from "../../src/storage/storage.ts";
import {
  type CopyAtom,
  type MmaAtom,
  mmaAtom,
  mmaAtomNames,
  universalCopy,
  universalFma,
} from "../../src/tensor/cute/atoms.ts";
import {
  makeCoordTensor,
  makeFragmentLike,
  makeIdentityTensor,
  makeTensorLike,
  makeZipTensor,
} from "../../src/tensor/cute/make-like.ts";
import { makeTensor } from "../../src/tensor/cute/make-tensor.ts";
import { innerPartition, localPartition, localTile, outerPartition } from "../../src/tensor/cute/partition.ts";
import { withLayout } from "../../src/tensor/cute/tensor-modes.ts";
import { makeTiledCopy, type ThreadCopy, type TiledCopy } from "../../src/tensor/cute/tiled-copy.ts";
import { makeTiledMma, type ThreadMma, type TiledMma } from "../../src/tensor/cute/tiled-mma.ts";
import { counting } from "../../src/tensor/engines/computed-engines.ts";
import { gmem, type PointerLike, smem } from "../../src/tensor/engines/pointers.ts";
import { StorageEngine } from "../../src/tensor/engines/storage-engine.ts";
import { printTensor } from "../../src/tensor/print/print.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import {
  type Call,
  type CppType,
  type CppValue,
  type Fn,
  isAnyLayout,
  isMajor,
  isTensor,
  type Method,
} from "./cpp-values.ts";
import { asNumber, asTiler, asTuple } from "./values.ts";

const number = (value: CppValue | undefined): number => asNumber(value as never);
const slice = (value: CppValue | undefined): lib.SliceCoord => value as lib.SliceCoord;
const tiler = (value: CppValue | undefined): lib.Tiler => asTiler(value as never);
const plain = (value: CppValue | undefined): lib.Layout => value as lib.Layout;
const tensor = (value: CppValue | undefined): Tensor => value as Tensor;
const optional = (value: CppValue | undefined): lib.SliceCoord | undefined =>
  value === undefined ? undefined : slice(value);

/** make_tensor<T>(layout) owns; make_tensor(iterator, layout) does not. */
function fromArguments({ args, template }: Call): Tensor {
  const [where, ...rest] = template.length > 0 ? [(template[0] as CppType).dtype, ...args] : args;
  const [first, second] = rest as readonly CppValue[];
  const over = where as PointerLike;
  if (isAnyLayout(first)) return makeTensor(over, first);
  const shape = asTuple(first as never);
  if (second === undefined) return makeTensor(over, shape);
  return makeTensor(over, shape, (isMajor(second) ? second.major : asTuple(second as never)) as never);
}

/** Memory that starts at an address of the program text. */
function pointerTo({ args: [address], template: [type] }: Call): CppValue {
  const memory = new BufferMemory("external", new ArrayBuffer(4096));
  Object.defineProperty(memory, "baseAddress", { value: number(address) });
  const storage = Storage.wrap(new DataPtr({ memory, byteOffset: 0 }), 4096);
  return new StorageEngine("view", storage, 0, (type as CppType).dtype ?? "float32", "none");
}

/** A partition of a tensor is a tensor, of a layout the layout and its offset. */
const parted = (part: Tensor | lib.Partition): CppValue => (isTensor(part) ? part : ([...part] as never));
type Either = Tensor & lib.AnyLayout;

export const tensorTypes: Readonly<Record<string, Fn>> = {
  counting_iterator: ({ args }) => counting(args[0] === undefined ? 0 : number(args[0])),
  UniversalCopy: ({ template: [type] }) => type as CppType,
  Copy_Atom: ({ template: [operation, type] }) =>
    universalCopy((type as CppType).dtype ?? "float32", (operation as CppType).bits),
  UniversalFMA: () => universalFma(),
  MMA_Atom: ({ template: [atom] }) => atom as MmaAtom,
  MMA_Traits: ({ template: [atom] }) => atom as MmaAtom,
  ...Object.fromEntries(mmaAtomNames.map((name) => [name, (): CppValue => mmaAtom(name)])),
};

export const tensorFunctions: Readonly<Record<string, Fn>> = {
  make_tensor: fromArguments,
  make_tensor_like: ({ args }) => makeTensorLike(tensor(args[0])),
  make_fragment_like: ({ args: [of] }) => (isTensor(of) ? makeFragmentLike(of) : makeFragmentLike(plain(of))),
  make_identity_tensor: ({ args }) => makeIdentityTensor(asTuple(args[0] as never)),
  make_coord_tensor: ({ args }) => makeCoordTensor(plain(args[0])),
  make_counting_tensor: ({ args }) => makeTensor(counting(), plain(args[0])),
  make_zip_tensor: ({ args: [first, ...others] }) => makeZipTensor(tensor(first), ...others.map(tensor)),
  make_gmem_ptr: ({ args }) => gmem(args[0] as never),
  make_smem_ptr: ({ args }) => smem(args[0] as never),
  pointer_to: pointerTo,
  decltype: ({ args }) => args[0] as CppValue,
  inner_partition: ({ args: [of, by, coord] }) => parted(innerPartition(of as Either, tiler(by), slice(coord))),
  outer_partition: ({ args: [of, by, coord] }) => parted(outerPartition(of as Either, tiler(by), slice(coord))),
  local_tile: ({ args: [of, by, coord, step] }) =>
    parted(localTile(of as Either, tiler(by), slice(coord), optional(step))),
  local_partition: ({ args: [of, threads, index, step] }) =>
    parted(localPartition(of as Either, plain(threads), index as lib.Int, optional(step))),
  make_tiled_copy: ({ args: [atom, threads, values] }) =>
    makeTiledCopy(atom as CopyAtom, plain(threads), values as lib.Layout | undefined),
  make_tiled_mma: ({ args: [atom, threads, permutation] }) =>
    makeTiledMma(atom as MmaAtom, threads as lib.Layout | undefined, permutation as readonly lib.Tiler[] | undefined),
  print_tensor: ({ args, print }) => {
    print(printTensor(tensor(args[0])));
    return true;
  },
};

const slices =
  (name: "partitionA" | "partitionB" | "partitionC"): Method =>
  (self, { args }) =>
    (self as ThreadMma)[name](tensor(args[0]));
const fragments =
  (name: "thrfrgA" | "thrfrgB" | "thrfrgC"): Method =>
  (self, { args: [of] }) =>
    isTensor(of) ? withLayout(of, (self as TiledMma)[name](of.layout)) : (self as TiledMma)[name](plain(of));

export const tensorMethods: Readonly<Record<string, Method>> = {
  Tiler_MN: (self) => (self as TiledCopy).tilerMN as CppValue,
  ALayout: (self) => (self as MmaAtom).layoutA,
  BLayout: (self) => (self as MmaAtom).layoutB,
  CLayout: (self) => (self as MmaAtom).layoutC,
  get_slice: (self, { args }) => (self as TiledCopy | TiledMma).getSlice(number(args[0])),
  get_thread_slice: (self, { args }) => (self as TiledCopy | TiledMma).getSlice(number(args[0])),
  get_layoutS_TV: (self) => (self as TiledCopy).getLayoutS_TV(),
  get_layoutD_TV: (self) => (self as TiledCopy).getLayoutD_TV(),
  get_layoutA_TV: (self) => (self as TiledMma).getLayoutA_TV(),
  get_layoutB_TV: (self) => (self as TiledMma).getLayoutB_TV(),
  get_layoutC_TV: (self) => (self as TiledMma).getLayoutC_TV(),
  partition_S: (self, { args }) => (self as ThreadCopy).partitionS(tensor(args[0])),
  partition_D: (self, { args }) => (self as ThreadCopy).partitionD(tensor(args[0])),
  retile_S: (self, { args }) => (self as ThreadCopy).retileS(tensor(args[0])),
  retile_D: (self, { args }) => (self as ThreadCopy).retileD(tensor(args[0])),
  partition_A: slices("partitionA"),
  partition_B: slices("partitionB"),
  partition_C: slices("partitionC"),
  thrfrg_A: fragments("thrfrgA"),
  thrfrg_B: fragments("thrfrgB"),
  thrfrg_C: fragments("thrfrgC"),
};
