/**
 * The public API of files: reads and writes tensors in .npy, .npz and .safetensors. `load...` and `save...` work on paths, Blobs and responses;
 * `parse...` and `encode...` work synchronously on bytes.
 */
export { FileError } from "./file-error.ts";
export { decodeGraph, type EncodedGraph, encodeGraph, loadGraph, saveGraph } from "./graph-files.ts";
export type { ReadLimits } from "./limits.ts";
export {
  type LoadedSafetensors,
  loadNpy,
  loadNpz,
  loadSafetensors,
  type NpzSaveOptions,
  type OpenedSafetensors,
  openSafetensors,
  saveNpy,
  saveNpz,
  saveSafetensors,
} from "./load.ts";
export type { NpyOptions } from "./npy.ts";
export type { NpzReadOptions } from "./npz.ts";
export type { Metadata, SafetensorsEntry, SafetensorsReadOptions, SafetensorsSaveOptions } from "./safetensors.ts";
export type { ByteSource, FileInput } from "./source.ts";
export type { FileTensor, Tensors } from "./tensor-arrays.ts";
export {
  encodeNpy,
  encodeNpz,
  encodeNpzCompressed,
  encodeSafetensors,
  type FileBytes,
  npzNames,
  parseNpy,
  parseNpySequence,
  parseNpz,
  parseSafetensors,
} from "./tensor-bytes.ts";
export type { FileProgress, TransferOptions } from "./watch.ts";
