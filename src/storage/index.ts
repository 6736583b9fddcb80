/**
 * `stridewise/storage`: bytes and their ownership. Data pointers with deleters, allocators and their registry, storages, version counters,
 * dtypes and their conversions. Programs that only use tensors do not need it.
 */
export {
  type Allocator,
  cloneData,
  copyData,
  getAllocator,
  rawAllocate,
  rawDeallocate,
  setAllocator,
} from "./allocator.ts";
export { DataPtr, type Deleter } from "./data-ptr.ts";
export type * from "./default-dtype.ts";
export { cpu, type Device, equalDevice, formatDevice, meta } from "./device.ts";
export {
  type ArrayKind,
  type Category,
  type Complex,
  complex,
  type DType,
  DTypeError,
  type DTypeInfo,
  dtypeNames,
  dtypes,
  isDType,
  type TypedArray,
  type Value,
  type ValueOf,
} from "./dtype.ts";
export { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "./half.ts";
export { type Memory, memoryOf } from "./memory.ts";
export {
  type Bucket,
  canCast,
  getDefaultDType,
  promoteTypes,
  resultType,
  setDefaultDType,
  type TypedOperand,
} from "./promotion.ts";
export {
  type MemoryStatistics,
  memoryStatistics,
  type Pointer,
  Storage,
  StorageError,
  type StorageOptions,
  type WrapOptions,
} from "./storage.ts";
export { VersionCounter } from "./version.ts";
