/**
 * User-defined tensor classes. An instance intercepts every op that it is an argument of, and wraps the results in the same class. A mode
 * does this for a section of code, a wrapper for a tensor.
 *
 * A wrapper shares the memory, shape, names and gradients of the tensor that it wraps (`value`), so it can be read and printed like any
 * other. `call` receives ops before they are decomposed, batched or recorded; `next` runs them on the values. Inside `call`, wrappers are
 * plain tensors. If the arguments have several wrapper classes, the first one is called, but subclasses come before their base classes;
 * `next` passes the call to the others.
 */
import { once } from "../../base/lazy.ts";
import { Storage } from "../../storage/storage.ts";
import { describeValue } from "../describe-value.ts";
import type { DisposedSource } from "../disposed.ts";
import { keepUntil } from "../scope.ts";
import { Tensor } from "../tensor.ts";
import { assignAt, at } from "../views/view-ops.ts";
import { type KeySet, keySet, keyShift } from "./keys.ts";
import { type Arguments, DispatchError, type Operator, type OpKernel, setFallback, withKeys } from "./operator.ts";

const key = /* @__PURE__ */ keySet("function");
const keyBit = /* @__PURE__ */ keySet("function") << keyShift;

type Held = { readonly value: Tensor & Record<string, unknown> };

/** Returns accessors for the fields that a wrapper shares with its value. */
function sharedFields(): PropertyDescriptorMap {
  const fields = "type start rank size s0 s1 s2 s3 s4 d0 d1 d2 d3 d4 form counter root extras history".split(" ");
  const all: PropertyDescriptorMap = {};
  for (const name of fields)
    all[name] = {
      get(this: Held): unknown {
        return this.value[name];
      },
      set(this: Held, now: unknown): void {
        (this.value as Record<string, unknown>)[name] = now;
      },
    };
  all["bits"] = {
    get(this: Held): number {
      return this.value.bits | keyBit;
    },
    set(this: Held, bits: number): void {
      this.value.bits = bits & ~keyBit;
    },
  };
  return all;
}

/** The shared fields. The first call installs the handler of the key. */
const shared = /* @__PURE__ */ once(() => {
  install();
  return sharedFields();
});

/** Throws unless `value` is a tensor that is not disposed. */
function checked(value: Tensor): Tensor {
  if (!(value instanceof Tensor) || value.isDisposed)
    throw new DispatchError(
      `WrapperTensor: wraps a tensor, got ${value instanceof Tensor ? "a disposed one" : describeValue(value)}. Example: new MyTensor(tensor(...))`,
    );
  shared();
  return value;
}

function install(): void {
  setFallback("function", throughWrapper, true);
  // The fast paths of these two do not search lists for tensors. A kernel other than the built-in one disables them.
  for (const { operator } of [at, assignAt]) {
    const usual = operator.kernelFor("cpu") as OpKernel;
    operator.setKernel("cpu", (...args) => usual(...args));
  }
}

/** A tensor that intercepts every op it is an argument of. Extend it and override `call`. */
export class WrapperTensor extends Tensor {
  /** The wrapped tensor. */
  declare readonly value: Tensor;
  /** @internal */ readonly isStandIn = true;
  /** @internal The value was created for this wrapper and is disposed with it. */ ownsValue = false;

  constructor(value: Tensor) {
    super(checked(value).source, null, 0, 0, 0, 0, null, null, null);
    this.value = value;
    if (value.source instanceof Storage) value.source.retain();
    keepUntil(value, null);
    Object.defineProperties(this, shared());
  }

  /** Runs in place of an op with this tensor among its arguments; `next` runs the op, by default with the same arguments. */
  call(_op: Operator, _args: Arguments, next: (args?: Arguments) => unknown): unknown {
    return next();
  }

  /** Wraps a result in this class. Override it if the constructor has other parameters. */
  wrap(value: Tensor): WrapperTensor {
    return new (this.constructor as new (value: Tensor) => WrapperTensor)(value);
  }

  override dispose(): void {
    super.dispose();
    if (this.ownsValue) this.value.dispose();
  }

  override [Symbol.dispose](): void {
    this.dispose();
  }

  override endWith(reason: string | DisposedSource): void {
    super.endWith(reason);
    if (this.ownsValue) this.value.endWith(reason);
  }
}

const classOf = (t: WrapperTensor): typeof WrapperTensor => t.constructor as typeof WrapperTensor;

function throughWrapper(op: Operator, keys: KeySet, args: Arguments): unknown {
  const wrappers: WrapperTensor[] = [];
  mapTensors(args, (t) => t instanceof WrapperTensor && wrappers.push(t));
  const [leftmost] = wrappers;
  if (leftmost === undefined) return op.callBelow("function", keys, args);
  const first = wrappers.reduce((a, b) => (classOf(b).prototype instanceof classOf(a) ? b : a), leftmost);
  const next = (changed: Arguments = args): unknown => {
    const before = new Map<Tensor, Tensor>();
    const values = mapTensors(changed, (t) => {
      const value = t instanceof WrapperTensor && first instanceof classOf(t) ? t.value : t;
      before.set(value, t);
      return value;
    });
    const result = withKeys({ allow: key }, () => op.call(values));
    return mapTensors(result, (t) => {
      // An argument that is returned, as by in-place ops, stays the same tensor.
      const known = before.get(t);
      return known === undefined ? owning(first.wrap(t), t) : moved(known);
    });
  };
  return withKeys({ exclude: key }, () => first.call(op, args, next));
}

/** Marks the wrapper of a result as the owner of its value. */
function owning(wrapper: WrapperTensor, value: Tensor): WrapperTensor {
  if (wrapper.value === value) wrapper.ownsValue = true;
  return wrapper;
}

/** Updates the memory of a wrapper to that of its value, which resize_ and set_ change. */
function moved(t: Tensor): Tensor {
  if (!(t instanceof WrapperTensor) || t.source === t.value.source || t.isDisposed) return t;
  const [old, now] = [t.source, t.value.source];
  if (now instanceof Storage) now.retain();
  t.source = now;
  if (old instanceof Storage) old.release();
  return t;
}

/** Returns a copy of nested arguments with every tensor replaced by `change(t)`. */
export function mapTensors<T>(value: T, change: (t: Tensor) => unknown): T {
  if (value instanceof Tensor) return change(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapTensors(each, change)) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const result: Record<string, unknown> = {};
  for (const key in value) result[key] = mapTensors(value[key], change);
  return result as T;
}
