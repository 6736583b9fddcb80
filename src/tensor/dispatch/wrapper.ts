/**
 * Tensors of the user's own class, which see every op that they take part in, and whose results are of the class again. What a mode is
 * for a piece of code, a wrapper is for a tensor.
 *
 * A wrapper stands for the tensor that it was made of (`value`): it has its memory, shape, names and gradients, so it can be read and
 * printed like any other. Ops come to its `call` as they were called, before they are taken apart, batched or recorded; `next` does them
 * with the values. Inside `call` wrappers count as plain tensors. If several classes take part, the first decides, and one that extends
 * another comes before it; the others see what it hands on.
 */
import { once } from "../../base/remember.ts";
import { Storage } from "../../storage/storage.ts";
import { describeValue } from "../describe-value.ts";
import type { Ended } from "../ended.ts";
import { keepUntil } from "../scope.ts";
import { Tensor } from "../tensor.ts";
import { assignAt, at } from "../views/view-ops.ts";
import { type KeySet, keySet, keyShift } from "./keys.ts";
import { type Arguments, DispatchError, type Operator, type OpKernel, setFallback, withKeys } from "./operator.ts";

const key = /* @__PURE__ */ keySet("function");
const keyBit = /* @__PURE__ */ keySet("function") << keyShift;

type Held = { readonly value: Tensor & Record<string, unknown> };

/** What a wrapper has from its value, whatever becomes of that. */
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

/** The fields that wrappers share; the key is served from the first time on. */
const shared = /* @__PURE__ */ once(() => {
  install();
  return sharedFields();
});

/** The tensor to wrap. */
function checked(value: Tensor): Tensor {
  if (!(value instanceof Tensor) || value.isDisposed)
    throw new DispatchError(
      `WrapperTensor: wraps a tensor, got ${value instanceof Tensor ? "one that was disposed" : describeValue(value)}. Give one: new MyTensor(tensor(...))`,
    );
  shared();
  return value;
}

function install(): void {
  setFallback("function", throughWrapper, true);
  // Their short ways do not look for tensors in lists; with another kernel than the usual one they take the long way.
  for (const { operator } of [at, assignAt]) {
    const usual = operator.kernelFor("cpu") as OpKernel;
    operator.setKernel("cpu", (...args) => usual(...args));
  }
}

/** A tensor that sees every op it takes part in; extend it, and write `call`. */
export class WrapperTensor extends Tensor {
  /** The tensor that this one stands for. */
  declare readonly value: Tensor;
  /** @internal */ readonly isStandIn = true;
  /** @internal The value was made for it, and ends with it. */ ownsValue = false;

  constructor(value: Tensor) {
    super(checked(value).source, null, 0, 0, 0, 0, null, null, null);
    this.value = value;
    if (value.source instanceof Storage) value.source.retain();
    keepUntil(value, null);
    Object.defineProperties(this, shared());
  }

  /** Runs instead of an op with this tensor among its arguments; `next` does it, with other arguments if they are given. */
  call(_op: Operator, _args: Arguments, next: (args?: Arguments) => unknown): unknown {
    return next();
  }

  /** A result as a tensor of this class: to write where the constructor takes more than the value. */
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

  override endWith(reason: string | Ended): void {
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
  const next = (given: Arguments = args): unknown => {
    const before = new Map<Tensor, Tensor>();
    const values = mapTensors(given, (t) => {
      const value = t instanceof WrapperTensor && first instanceof classOf(t) ? t.value : t;
      before.set(value, t);
      return value;
    });
    const result = withKeys({ allow: key }, () => op.call(values));
    return mapTensors(result, (t) => {
      // What comes out as it went in, as writes do, is the tensor that was given.
      const known = before.get(t);
      return known === undefined ? owning(first.wrap(t), t) : moved(known);
    });
  };
  return withKeys({ exclude: key }, () => first.call(op, args, next));
}

/** A wrapper of a result. */
function owning(wrapper: WrapperTensor, value: Tensor): WrapperTensor {
  if (wrapper.value === value) wrapper.ownsValue = true;
  return wrapper;
}

/** The same tensor, in the memory that its value has now: resize_ and set_ change it. */
function moved(t: Tensor): Tensor {
  if (!(t instanceof WrapperTensor) || t.source === t.value.source || t.isDisposed) return t;
  const [old, now] = [t.source, t.value.source];
  if (now instanceof Storage) now.retain();
  t.source = now;
  if (old instanceof Storage) old.release();
  return t;
}

/** The same with other tensors. */
export function mapTensors<T>(value: T, change: (t: Tensor) => unknown): T {
  if (value instanceof Tensor) return change(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapTensors(each, change)) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const result: Record<string, unknown> = {};
  for (const key in value) result[key] = mapTensors(value[key], change);
  return result as T;
}
