/**
 * Pointers: memory with a dtype and a space, the first argument of `makeTensor`. `gmem(x)`, `smem(x)` and `rmem(x)` tag typed arrays,
 * buffers, tensors and engines, like CuTe's make_gmem_ptr and related functions. The memory is shared, never copied.
 * A pointer does not own its memory: it neither retains nor frees it.
 */
import { StridewiseError } from "../../base/errors.ts";
import { checkDType, type DType, DTypeError, dtypeOfArray, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { isBuffer } from "../../storage/memory.ts";
import { StorageError } from "../../storage/storage.ts";
import { type Engine, isEngine } from "../engine.ts";
import type { Space } from "../identity.ts";
import { Tensor } from "../tensor.ts";

/** The targets of a pointer. */
export type PointerTarget = TypedArray | ArrayBufferLike | Tensor | Engine;

export interface PointerOptions<D extends DType = DType> {
  /** The dtype of the elements. Required for a buffer; the default is the dtype of the target. */
  readonly dtype?: D;
  /** If true, writes to tensors over this pointer throw. Always true for a const view. */
  readonly const?: boolean;
}

/** Memory with a dtype and a space. */
export interface TaggedPointer<D extends DType = DType, P extends Space = Space> {
  readonly kind: "pointer";
  readonly target: PointerTarget;
  /** Null if the elements are not numbers. */
  readonly dtype: D | null;
  readonly space: P;
  readonly isConst: boolean;
}

/** A pointer, or a target for an untagged one; untagged memory has the space "none". */
export type PointerLike = TaggedPointer | PointerTarget;

interface DTypeByTag {
  readonly Int8Array: "int8";
  readonly Uint8Array: "uint8";
  readonly Uint8ClampedArray: "uint8";
  readonly Int16Array: "int16";
  readonly Uint16Array: "uint16";
  readonly Int32Array: "int32";
  readonly Uint32Array: "uint32";
  readonly Float16Array: "float16";
  readonly Float32Array: "float32";
  readonly Float64Array: "float64";
  readonly BigInt64Array: "int64";
  readonly BigUint64Array: "uint64";
}

/** The dtype of a pointer's elements, as a type. */
export type DTypeBehind<X> =
  X extends TaggedPointer<infer D>
    ? D
    : X extends Tensor<infer _S, infer D>
      ? D
      : X extends { readonly [Symbol.toStringTag]: infer Tag extends keyof DTypeByTag }
        ? DTypeByTag[Tag]
        : X extends { readonly valueType: infer D extends DType }
          ? D
          : DType;

/** The space of a pointer, as a type: "none" for plain memory. */
export type SpaceBehind<X> = X extends { readonly space: infer P extends Space }
  ? P
  : X extends TypedArray | ArrayBufferLike
    ? "none"
    : Space;

/** Returns true for the results of gmem, smem, rmem, pointer and constPtr. */
export const isPointer = (value: unknown): value is TaggedPointer =>
  typeof value === "object" && value !== null && (value as TaggedPointer).kind === "pointer";

/** Returns a pointer with the space of its target, to set a dtype or forbid writes without a tag. */
export function pointer<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, SpaceBehind<X>> {
  return tagged("pointer", target, spaceOf(target), options) as TaggedPointer<D, SpaceBehind<X>>;
}

/** Returns a read-only pointer. */
export function constPtr<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: Omit<PointerOptions<D>, "const"> = {},
): TaggedPointer<D, SpaceBehind<X>> {
  return pointer(target, { ...options, const: true });
}

/** Returns a pointer to global memory. */
export function gmem<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, "gmem"> {
  return tagged("gmem", target, "gmem", options);
}

/** Returns a pointer to memory that a group of threads shares. */
export function smem<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, "smem"> {
  return tagged("smem", target, "smem", options);
}

/** Returns a pointer to the registers of one thread. */
export function rmem<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, "rmem"> {
  return tagged("rmem", target, "rmem", options);
}

const spaceOf = (target: PointerTarget): Space =>
  target instanceof Tensor || isEngine(target) ? target.space : "none";

function tagged<D extends DType, P extends Space>(
  who: string,
  target: PointerTarget,
  space: P,
  options: PointerOptions<D>,
): TaggedPointer<D, P> {
  const dtype = dtypeFor(who, target, options.dtype) as D | null;
  const isConst = options.const === true || (target instanceof Tensor && target.ownership === "const");
  return { kind: "pointer", target, dtype, space, isConst };
}

/** Returns the dtype of a target, or the requested dtype. Throws if the target cannot be read with that dtype. */
function dtypeFor(who: string, target: PointerTarget, requested: DType | undefined): DType | null {
  const dtype = requested === undefined ? undefined : checkDType(who, requested);
  if (isBuffer(target)) {
    if (dtype !== undefined) return dtype;
    throw new DTypeError(
      `${who}: a buffer has no dtype. Pass one: ${who === "makeTensor" ? "pointer" : who}(buffer, { dtype: "float32" })`,
    );
  }
  const own = target instanceof Tensor ? target.type : dtypeOfArray(target);
  if (own === undefined) {
    if (!isEngine(target)) throw noTarget(who, target);
    const { valueType } = target;
    if (dtype !== undefined && dtype !== valueType)
      throw new DTypeError(`${who}: the engine has elements of type ${valueType}, not ${dtype}`);
    return Object.hasOwn(dtypes, valueType) ? (valueType as DType) : null;
  }
  if (dtype === undefined || dtype === own) return own;
  if (target instanceof Tensor)
    throw new DTypeError(`${who}: the tensor has dtype ${own}, not ${dtype}. View it first: tensor.view("${dtype}")`);
  const { itemsize } = dtypes[dtype];
  const { byteOffset, byteLength } = target as TypedArray;
  if (byteOffset % itemsize !== 0)
    throw new StorageError(
      `${who}: the array starts at byte ${byteOffset} of its buffer, which is not a multiple of the ${itemsize} bytes of ${dtype}. Copy it first: array.slice()`,
    );
  if (byteLength % itemsize !== 0)
    throw new StorageError(`${who}: ${byteLength} bytes are not a multiple of the ${itemsize} bytes of ${dtype}`);
  return dtype;
}

function noTarget(who: string, target: unknown): StridewiseError {
  return new StridewiseError(
    `${who}: ${Array.isArray(target) ? "an array" : String(target)} is not memory; pass a typed array, a buffer with a dtype, a tensor or an engine`,
  );
}

/** Converts any pointer-like value to a pointer. */
export function asPointer(who: string, value: PointerLike): TaggedPointer {
  return isPointer(value) ? value : tagged(who, value, spaceOf(value), {});
}
