/**
 * The gradients of tensors from outside in a trace. A trace has no side effects: changes of gradients are undone at its end, and become effects of
 * each call. A gradient that the function reads is an input: each call reads the current one. Its existence is guarded.
 */
import { ensureHistory, type History } from "../../autograd/history.ts";
import { Storage } from "../../storage/storage.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Value } from "../ir.ts";

/** A value of JavaScript that the trace depends on. */
export interface Guard {
  readonly compute: () => unknown;
  readonly value: unknown;
}

/** A gradient that the function stores in a tensor from outside; null if it clears the gradient. */
export interface GradientEffect {
  readonly history: History;
  readonly value: Value | null;
}

/** The gradient of a tensor before the trace. */
interface GradientState {
  readonly grad: Tensor | null;
  readonly ownsGrad: boolean;
}

export class TracedGradients {
  readonly #before = new Map<History, GradientState>();
  readonly #guards: Guard[];
  /** The tensors of inputs that are gradients, with the histories that have them. */
  readonly inputs = new Map<Tensor, History>();

  constructor(guards: Guard[]) {
    this.#guards = guards;
  }

  /** Saves the gradient of a tensor before the function changes it. Storages after `last` are those of the trace. */
  note(t: Tensor, last: number): void {
    if (!(t.source instanceof Storage) || t.source.isScratch || t.source.number > last) return;
    const history = ensureHistory(t);
    if (this.#before.has(history)) return;
    const { grad, ownsGrad } = history;
    this.#before.set(history, { grad, ownsGrad });
    this.#guards.push({ compute: () => history.grad === null, value: grad === null });
  }

  /** Returns true if a captured tensor is such a gradient. `input` is the tensor of the graph's input, or null if that differs in its geometry. */
  capture(t: Tensor, input: Tensor | null): boolean {
    for (const [history, { grad }] of this.#before) {
      if (grad !== t) continue;
      if (input !== null) this.inputs.set(input, history);
      else this.#guards.push({ compute: () => history.grad, value: t });
      return true;
    }
    return false;
  }

  /** Restores the gradients. */
  restore(): void {
    for (const [history, { grad, ownsGrad }] of this.#before) Object.assign(history, { grad, ownsGrad });
  }

  /** Returns the gradients that the function has stored, and restores the earlier ones. */
  takeEffects(valueOf: (t: Tensor) => Value): GradientEffect[] {
    const effects = [...this.#before].flatMap(([history, { grad: before }]): GradientEffect[] => {
      const { grad } = history;
      if (grad === before) return [];
      return [{ history, value: grad === null ? null : valueOf(grad) }];
    });
    this.restore();
    return effects;
  }
}
