/**
 * The entry `stridewise/cute`, for designing kernels: tiled copies and tiled matrix products over atoms, which are plain data, and functions
 * on the modes of tensors. Functions on tensors (makeTensor, tiles, partitions, copy and the other algorithms) are in the main entry.
 */
export {
  type CopyAtom,
  type MmaAtom,
  type MmaAtomName,
  mmaAtom,
  mmaAtomNames,
  universalCopy,
  universalFma,
} from "./atoms.ts";
export { coalesce, domainOffset, filter, flatten, groupModes, recast } from "./tensor-modes.ts";
export { makeTiledCopy, type ThreadCopy, type TiledCopy } from "./tiled-copy.ts";
export {
  makeTiledCopyA,
  makeTiledCopyB,
  makeTiledCopyC,
  makeTiledMma,
  type ThreadMma,
  type TiledMma,
} from "./tiled-mma.ts";
