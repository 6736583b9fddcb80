/**
 * The memory of a trace as values: the present value of each storage, and the value of each tensor. A write to a tensor makes a new value of its
 * storage; a tensor that is read after a write to its storage by another view is a view of that value.
 */
import { asStridedScatter } from "../../ops/movement/part-scatter.ts";
import type { Storage } from "../../storage/storage.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { asStrided } from "../../tensor/views/view-ops.ts";
import type { Graph, Value } from "../ir.ts";
import { isGeometry, partOf, type StorageState, typeOf } from "./traced.ts";

/** The value of a tensor, after this number of writes to its storage. */
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

  /** Starts the history of the storage of a tensor, whose value is that of the tensor. `input` is the input of the graph that it is, if any. */
  begin(t: Tensor, value: Value, input: Value | null = null): StorageState {
    const state = { sizes: sizesOf(t), strides: flatStrides(t), start: t.start, value, writes: 0, input };
    this.#storages.set(t.source as Storage, state);
    this.#tensors.set(t, { value, writes: 0 });
    return state;
  }

  /** The state of a storage; undefined if the trace does not know it. */
  stateOf(storage: Storage): StorageState | undefined {
    return this.#storages.get(storage);
  }

  /** The value that a tensor had when it was computed or read last; undefined for a tensor that the trace does not know. */
  knownValue(t: Tensor): Value | undefined {
    return this.#tensors.get(t)?.value;
  }

  /** Makes a value that of a tensor, after the writes so far to its storage. */
  define(t: Tensor, value: Value): void {
    this.#tensors.set(t, { value, writes: this.#storages.get(t.source as Storage)?.writes ?? 0 });
  }

  /** Returns the present value of a tensor of a storage: a view of the value of the storage, if that was written. */
  read(state: StorageState, t: Tensor): Value {
    const known = this.#tensors.get(t);
    if (known !== undefined && known.writes === state.writes) return known.value;
    const value = isGeometry(state, t)
      ? state.value
      : this.#graph.add(asStrided.operator, [state.value, ...partOf(state, t)], [typeOf(t)]).results[0];
    this.#tensors.set(t, { value, writes: state.writes });
    return value;
  }

  /** Makes a value the present one of a tensor, and of its storage. */
  write(state: StorageState, t: Tensor, value: Value): void {
    state.writes++;
    if (isGeometry(state, t)) {
      state.value = value;
      this.#tensors.set(t, { value, writes: state.writes });
      return;
    }
    // The tensor is a view of the new value from now on.
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
