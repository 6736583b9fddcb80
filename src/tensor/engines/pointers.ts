/**
 * Pointers: memory with a dtype and a space, as `makeTensor` takes them. `gmem(x)`, `smem(x)` and `rmem(x)` tag typed arrays, buffers,
 * tensors and engines as CuTe's make_gmem_ptr and its kin tag addresses; the memory is shared, never copied.
 * What lies where stays the owner's: a pointer holds nothing and frees nothing.
 */
import { StridewiseError } from "../../base/errors.ts";
import { checkDType, type DType, DTypeError, dtypeOfArray, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { isBuffer } from "../../storage/memory.ts";
import { StorageError } from "../../storage/storage.ts";
import { type Engine, isEngine } from "../engine.ts";
import type { Space } from "../identity.ts";
import { Tensor } from "../tensor.ts";

/** What a pointer may point to. */
export type PointerTarget = TypedArray | ArrayBufferLike | Tensor | Engine;

export interface PointerOptions<D extends DType = DType> {
  /** How the bytes are read: needed for a buffer, otherwise the dtype of the target. */
  readonly dtype?: D;
  /** True: tensors over this pointer refuse writes, as they always do over a const view. */
  readonly const?: boolean;
}

/** Memory with a dtype and a space. */
export interface TaggedPointer<D extends DType = DType, P extends Space = Space> {
  readonly kind: "pointer";
  readonly target: PointerTarget;
  /** Null where the elements are no numbers. */
  readonly dtype: D | null;
  readonly space: P;
  readonly isConst: boolean;
}

/** What can stand where a pointer is asked for; untagged memory has the space "none". */
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

/** The dtype behind a pointer, as a type. */
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

/** The space behind a pointer, as a type: "none" for plain memory. */
export type SpaceBehind<X> = X extends { readonly space: infer P extends Space }
  ? P
  : X extends TypedArray | ArrayBufferLike
    ? "none"
    : Space;

/** True of what gmem, smem, rmem, pointer and constPtr give. */
export const isPointer = (value: unknown): value is TaggedPointer =>
  typeof value === "object" && value !== null && (value as TaggedPointer).kind === "pointer";

/** A pointer that keeps the space of its target: to give a dtype or to forbid writes without a tag. */
export function pointer<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, SpaceBehind<X>> {
  return tagged("pointer", target, spaceOf(target), options) as TaggedPointer<D, SpaceBehind<X>>;
}

/** A pointer through which nothing is written. */
export function constPtr<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: Omit<PointerOptions<D>, "const"> = {},
): TaggedPointer<D, SpaceBehind<X>> {
  return pointer(target, { ...options, const: true });
}

/** A pointer to global memory. */
export function gmem<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, "gmem"> {
  return tagged("gmem", target, "gmem", options);
}

/** A pointer to memory that a group of threads shares. */
export function smem<const X extends PointerTarget, D extends DType = DTypeBehind<X>>(
  target: X,
  options: PointerOptions<D> = {},
): TaggedPointer<D, "smem"> {
  return tagged("smem", target, "smem", options);
}

/** A pointer to the registers of one thread. */
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

/** The dtype of a target, or the one asked for where its bytes can be read so. */
function dtypeFor(who: string, target: PointerTarget, asked: DType | undefined): DType | null {
  const dtype = asked === undefined ? undefined : checkDType(who, asked);
  if (isBuffer(target)) {
    if (dtype !== undefined) return dtype;
    throw new DTypeError(
      `${who}: a buffer has no dtype of its own. Give one: ${who === "makeTensor" ? "pointer" : who}(buffer, { dtype: "float32" })`,
    );
  }
  const own = target instanceof Tensor ? target.type : dtypeOfArray(target);
  if (own === undefined) {
    if (!isEngine(target)) throw noTarget(who, target);
    const { valueType } = target;
    if (dtype !== undefined && dtype !== valueType)
      throw new DTypeError(`${who}: the engine has elements of the type ${valueType}, asked for ${dtype}`);
    return Object.hasOwn(dtypes, valueType) ? (valueType as DType) : null;
  }
  if (dtype === undefined || dtype === own) return own;
  if (target instanceof Tensor)
    throw new DTypeError(
      `${who}: the tensor has dtype ${own}, asked for ${dtype}. View it first: tensor.view("${dtype}")`,
    );
  const { itemsize } = dtypes[dtype];
  const { byteOffset, byteLength } = target as TypedArray;
  if (byteOffset % itemsize !== 0)
    throw new StorageError(
      `${who}: a ${dtype} has ${itemsize} bytes, and the array starts at byte ${byteOffset} of its buffer, no multiple. Copy it first: array.slice()`,
    );
  if (byteLength % itemsize !== 0)
    throw new StorageError(`${who}: ${byteLength} bytes are no whole number of ${dtype} elements of ${itemsize} bytes`);
  return dtype;
}

function noTarget(who: string, target: unknown): StridewiseError {
  return new StridewiseError(
    `${who}: ${Array.isArray(target) ? "an array" : String(target)} is no memory; give a typed array, a buffer with a dtype, a tensor or an engine`,
  );
}

/** Any pointer-like value as a pointer. */
export function asPointer(who: string, value: PointerLike): TaggedPointer {
  return isPointer(value) ? value : tagged(who, value, spaceOf(value), {});
}
