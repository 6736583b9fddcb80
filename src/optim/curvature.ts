/**
 * What L-BFGS knows of the curvature: the last moves and how the gradient changed along them, and from these the direction of the next
 * move. It owns the tensors that it is given, and frees them when they are forgotten.
 */
import { elementwise, scope, type Tensor } from "../index.ts";

/** A move, the change of the gradient along it, and 1 over their product. */
export interface Move {
  readonly step: Tensor;
  readonly change: Tensor;
  readonly inverse: number;
}

/** The product of two vectors, as a number. */
export const dot = (a: Tensor, b: Tensor): number => scope(() => a.dot(b as never).item() as number);

/** The largest distance of an element from 0. */
export const largest = (t: Tensor): number => scope(() => t.abs().max().item() as number);

/** Writes x + factor * y to `out`. */
export const addScaled = (x: Tensor, y: Tensor, factor: number, out: Tensor): Tensor =>
  elementwise("x + factor * y", { x, y, factor }, { out });

/** The last moves, at most so many. */
export class Curvature {
  moves: Move[] = [];
  /** What turns a gradient into a step before the moves are looked at. */
  scale = 1;

  /** Notes a move, unless the loss bends the wrong way along it. */
  note(step: Tensor, change: Tensor, most: number): void {
    const product = dot(change, step);
    if (product <= 1e-10) {
      step.dispose();
      change.dispose();
      return;
    }
    while (this.moves.length >= most) {
      const { step: oldStep, change: oldChange } = this.moves.shift() as Move;
      oldStep.dispose();
      oldChange.dispose();
    }
    this.moves.push({ step, change, inverse: 1 / product });
    this.scale = product / dot(change, change);
  }

  /** The direction to go where this is the gradient: the gradient through the inverse of the curvature, downwards. */
  direction(gradient: Tensor): Tensor {
    const { moves, scale } = this;
    const vector = gradient.neg() as Tensor;
    const along: number[] = [];
    for (let k = moves.length - 1; k >= 0; k--) {
      const { step, change, inverse } = moves[k] as Move;
      const part = dot(step, vector) * inverse;
      along[k] = part;
      addScaled(vector, change, -part, vector);
    }
    vector.mul_(scale);
    for (const [k, { step, change, inverse }] of moves.entries())
      addScaled(vector, step, (along[k] as number) - dot(change, vector) * inverse, vector);
    return vector;
  }
}
