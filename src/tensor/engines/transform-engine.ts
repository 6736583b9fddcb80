/**
 * The transform engine: the elements of another engine or tensor, each seen through a function when it is read. Nothing is
 * computed before that and nothing is kept. It cannot be written.
 */
import { checkFunction, checkObject } from "../../base/arguments.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { Value } from "../../storage/dtype.ts";
import { readAt } from "../elements.ts";
import type { Engine } from "../engine.ts";
import { Tensor } from "../tensor.ts";
import { engineOf } from "./storage-engine.ts";

/** The elements of another engine, seen through a function. */
export interface TransformEngine<V = unknown> extends Engine<V> {
  readonly kind: "transform";
}

/** An engine whose elements are f of another's; of a tensor, of the elements from its element 0 on. */
export function transformEngine<V, X = Value>(
  source: Engine<X> | Tensor,
  f: (value: X) => V,
  valueType = "float32",
): TransformEngine<V> {
  checkFunction("transformEngine", f);
  checkObject("transformEngine", "a tensor or an engine", source);
  if (source instanceof Tensor) {
    const engine = engineOf(source) as Engine<X>;
    // The tensor itself is asked, so that a disposed one says so.
    return through(engine, (offset) => f(readAt(source, offset) as X), f, valueType);
  }
  return through(source, (offset) => f(source.read(offset)), f, valueType);
}

function through<V, X>(
  source: Engine<X>,
  read: (offset: IntTuple) => V,
  f: (value: X) => V,
  valueType: string,
): TransformEngine<V> {
  return {
    kind: "transform",
    valueType,
    space: source.space,
    read,
    advance: (offset) => transformEngine<V, X>(source.advance(offset), f, valueType),
    describe: () => `transform_iter(${source.describe()})`,
  };
}
