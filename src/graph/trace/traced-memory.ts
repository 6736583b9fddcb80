/**
 * The values of the storages and tensors of a trace. A write to a tensor defines a new value of its storage. If a tensor is read after a write
 * through another view of its storage, its value is a view of the new value of the storage.
 */
import { asStridedScatter } from "../../ops/movement/part-scatter.ts";
import type { Storage } from "../../storage/storage.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { asStrided } from "../../tensor/views/view-ops.ts";
import type { Graph, Value } from "../ir.ts";
import { isGeometry, partOf, type StorageState, typeOf } from "./traced.ts";

/** The value of a tensor after the given number of writes to its storage. */
interface TensorState {
  readonly value: Value;
  readonly writes: number;
}

export class TracedMemory {
  readonly #graph: Graph;
  readonly #storages = new Map<Storage, StorageState>();
  readonly #tensors = new WeakMap<Tensor, TensorState>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Registers the storage of a tensor, with the value of the tensor. If the tensor is an input of the graph, `input` is that input. */
  begin(t: Tensor, value: Value, input: Value | null = null): StorageState {
    const state = { sizes: sizesOf(t), strides: flatStrides(t), start: t.start, value, writes: 0, input };
    this.#storages.set(t.source as Storage, state);
    this.#tensors.set(t, { value, writes: 0 });
    return state;
  }

  /** The state of a storage; undefined if it is not part of the trace. */
  stateOf(storage: Storage): StorageState | undefined {
    return this.#storages.get(storage);
  }

  /** The value of a tensor when it was last computed or read; undefined if the tensor is not part of the trace. */
  knownValue(t: Tensor): Value | undefined {
    return this.#tensors.get(t)?.value;
  }

  /** Sets the value of a tensor, after the writes so far to its storage. */
  define(t: Tensor, value: Value): void {
    this.#tensors.set(t, { value, writes: this.#storages.get(t.source as Storage)?.writes ?? 0 });
  }

  /** Returns the current value of a tensor: if its storage was written since, a view of the value of the storage. */
  read(state: StorageState, t: Tensor): Value {
    const known = this.#tensors.get(t);
    if (known !== undefined && known.writes === state.writes) return known.value;
    const value = isGeometry(state, t)
      ? state.value
      : this.#graph.add(asStrided.operator, [state.value, ...partOf(state, t)], [typeOf(t)]).results[0];
    this.#tensors.set(t, { value, writes: state.writes });
    return value;
  }

  /** Sets the value of a tensor after a write to it, and the value of its storage. */
  write(state: StorageState, t: Tensor, value: Value): void {
    state.writes++;
    if (isGeometry(state, t)) {
      state.value = value;
      this.#tensors.set(t, { value, writes: state.writes });
      return;
    }
    // From now on, the tensor is a view of the new value of the storage.
    state.value = this.#graph.add(
      asStridedScatter.operator,
      [state.value, value, ...partOf(state, t)],
      [state.value.type],
    ).results[0];
    this.#tensors.delete(t);
  }

  /** The inputs that were written, with their last values. */
  get written(): readonly { readonly input: Value; readonly value: Value }[] {
    return [...this.#storages.values()].flatMap(({ input, value }) =>
      input !== null && input !== value ? [{ input, value }] : [],
    );
  }
}
