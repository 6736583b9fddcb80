/**
 * The design of kernels: `stridewise/cute`. Tiled copies and tiled matrix products over atoms that are plain data, and functions on the
 * modes of tensors. What works on tensors as such (makeTensor, tiles, partitions, copy and the other algorithms) is in the main entry.
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
