/**
 * L-BFGS: Newton's method with the curvature estimated from recent moves. One step makes up to `maxIter` moves and calls the closure, which
 * computes the loss and its gradients, at least once for each.
 * All parameters are one flat vector; its dot products are kernels, and their results control the loop here.
 *
 * `Curvature` holds the recent moves and the changes of the gradient along them, and computes the direction of the next move. It owns the
 * tensors that it receives, and frees them when it drops a move.
 */
import { cat, elementwise, noGrad, outsideScopes, scope, stack, Tensor, zeros } from "../index.ts";
import { checkNumber, OptimError, shown } from "./checks.ts";
import { evaluated, type GroupInput, type GroupOptions, Optimizer, type Params } from "./optimizer.ts";
import type { OptimizerState, ParamState } from "./state-dict.ts";
import { strongWolfe, type Trial } from "./strong-wolfe.ts";

export interface LBFGSOptions extends Partial<GroupOptions> {
  /** The largest number of moves in a step. */
  maxIter?: number;
  /** The largest number of calls of the closure in a step; 1.25 times `maxIter` if null. */
  maxEval?: number | null;
  /** The step ends if no gradient is larger in absolute value. */
  toleranceGrad?: number;
  /** The step ends if the loss or the parameters change by less. */
  toleranceChange?: number;
  /** The number of moves that the curvature is estimated from. */
  historySize?: number;
  /** "strongWolfe" searches for the length of each move; with null the length is `lr`. */
  lineSearch?: "strongWolfe" | null;
}

type Options = LBFGSOptions & GroupOptions;

/** Newton's method with the curvature estimated from recent moves (limited-memory BFGS). */
export class LBFGS extends Optimizer<Options> {
  #curvature = new Curvature();
  #direction: Tensor | null = null;
  #gradient: Tensor | null = null;
  #length = 0;
  #iterations = 0;
  #evaluations = 0;

  constructor(params: Params<Options>, options: LBFGSOptions = {}) {
    const { lr = 1, maxIter = 20, maxEval = null, toleranceGrad = 1e-7, toleranceChange = 1e-9 } = options;
    const { historySize = 100, lineSearch = null } = options;
    super(params, { lr, maxIter, maxEval, toleranceGrad, toleranceChange, historySize, lineSearch }, options);
  }

  protected override check(who: string, options: Required<Options>): void {
    super.check(who, options);
    const { maxIter, maxEval, toleranceGrad, toleranceChange, historySize, lineSearch } = options;
    checkNumber(who, "maxIter", maxIter, { min: 1, integer: true });
    if (maxEval !== null) checkNumber(who, "maxEval", maxEval, { min: 1 });
    checkNumber(who, "toleranceGrad", toleranceGrad);
    checkNumber(who, "toleranceChange", toleranceChange);
    checkNumber(who, "historySize", historySize, { min: 1, integer: true });
    if (lineSearch !== null && lineSearch !== "strongWolfe")
      throw new OptimError(`${who}: lineSearch must be "strongWolfe" or null, got ${shown(lineSearch)}`);
  }

  override addParamGroup(group: GroupInput<Options>): void {
    if (this.paramGroups.length > 0)
      throw new OptimError("LBFGS: groups of parameters are not supported. Pass a plain list of tensors");
    super.addParamGroup(group);
    const dtypes = [...new Set(this.paramGroups.flatMap(({ params }) => params.map((t) => t.dtype)))];
    if (dtypes.length > 1 || !/^b?float/.test(dtypes[0] as string))
      throw new OptimError(
        `LBFGS: all parameters must have one real floating dtype, got ${dtypes.join(", ")}. Convert the model: to("float32")`,
      );
  }

  get #params(): readonly Tensor[] {
    return this.paramGroups[0]?.params;
  }

  override step(): never;
  override step<T extends Tensor | number>(closure: () => T): T;
  override step<T extends Tensor | number>(closure?: () => T): T {
    if (typeof closure !== "function")
      throw new OptimError(
        "LBFGS.step: needs a closure that computes the loss and its gradients: step(() => { ... return loss })",
      );
    const first = evaluated(closure) as T;
    this.#evaluations++;
    noGrad(() => this.#move(closure, lossOf(first)));
    return first;
  }

  /** Moves until a limit or tolerance is reached. `loss` is the initial loss, whose gradients are computed. */
  #move(closure: () => Tensor | number, loss: number): void {
    const options = this.paramGroups[0] as Required<Options>;
    const { lr, maxIter, toleranceGrad, toleranceChange, historySize, lineSearch } = options;
    const maxCalls = options.maxEval ?? Math.floor(maxIter * 1.25);
    const callsBefore = this.#evaluations - 1;
    let gradient = this.#flatGradient();
    if (largest(gradient) <= toleranceGrad) return;
    for (let count = 1; ; count++) {
      // The state belongs to the optimizer, so no scope around the step disposes it.
      const direction = outsideScopes(() => this.#nextDirection(gradient, historySize));
      const slope = dot(gradient, direction);
      this.#length = this.#iterations === 1 ? Math.min(1, 1 / scope(() => gradient.abs().sum().item())) * lr : lr;
      if (slope > -toleranceChange) break;
      const from = this.#params.map((t) => t.detach().clone());
      const at = (length: number): Trial<Tensor> => {
        this.#setParams(from, direction, length);
        const trialLoss = this.#evaluate(closure);
        const trialGradient = this.#flatGradient();
        return { length, loss: trialLoss, slope: dot(trialGradient, direction), gradient: trialGradient };
      };
      const before = loss;
      if (lineSearch === "strongWolfe") {
        const start: Trial<Tensor> = { length: 0, loss, slope, gradient };
        const end = strongWolfe(start, this.#length, at, { maxDirection: largest(direction), toleranceChange });
        this.#length = end.length;
        this.#setParams(from, direction, end.length);
        ({ loss, gradient } = end);
      } else if (count < maxIter) ({ loss, gradient } = at(this.#length));
      else this.#setParams(from, direction, this.#length);
      for (const t of from) t.dispose();
      const calls = this.#evaluations - callsBefore;
      if (count >= maxIter || calls >= maxCalls || largest(gradient) <= toleranceGrad) break;
      if (largest(direction) * Math.abs(this.#length) <= toleranceChange) break;
      if (Math.abs(loss - before) < toleranceChange) break;
    }
  }

  /** Records the last move and returns the direction of the next. */
  #nextDirection(gradient: Tensor, historySize: number): Tensor {
    this.#iterations++;
    const [last, lastGradient] = [this.#direction, this.#gradient];
    if (last !== null && lastGradient !== null) {
      this.#curvature.add(last.mul(this.#length) as Tensor, gradient.sub(lastGradient) as Tensor, historySize);
      last.dispose();
      lastGradient.dispose();
    }
    this.#direction = this.#curvature.direction(gradient);
    this.#gradient = gradient.clone();
    return this.#direction;
  }

  #evaluate(closure: () => Tensor | number): number {
    const loss = evaluated(closure) as Tensor | number;
    this.#evaluations++;
    return lossOf(loss);
  }

  /** All gradients as one vector, with zeros for parameters without one. */
  #flatGradient(): Tensor {
    return scope(() =>
      cat(
        this.#params.map((t) =>
          t.grad === null ? zeros([t.size], { dtype: t.dtype }) : t.grad.detach().reshape([-1]),
        ),
      ),
    );
  }

  /** Sets the parameters to `from` + `length` * `direction`. */
  #setParams(from: readonly Tensor[], direction: Tensor, length: number): void {
    let start = 0;
    for (const [k, t] of this.#params.entries()) {
      const part = direction.narrow(0, start, t.size).view(t.shape as readonly number[]) as Tensor;
      addScaled(from[k], part, length, t);
      part.dispose();
      start += t.size;
    }
  }

  /** Options and state as plain objects. All state is stored under parameter 0. */
  override stateDict(): OptimizerState {
    const { moves, scale } = this.#curvature;
    const state: ParamState = { nIter: this.#iterations, funcEvals: this.#evaluations, t: this.#length, scale };
    // Separate handles, because the next move frees these tensors.
    if (this.#direction !== null) state["d"] = this.#direction.detach();
    if (this.#gradient !== null) state["prevFlatGrad"] = this.#gradient.detach();
    if (moves.length > 0) {
      state["oldSteps"] = stack(moves.map(({ step }) => step));
      state["oldChanges"] = stack(moves.map(({ change }) => change));
    }
    return { ...super.stateDict(), state: { 0: state } };
  }

  override loadStateDict(saved: OptimizerState): void {
    const state = saved?.state?.[0] ?? {};
    const moves = this.#checkedMoves(state);
    super.loadStateDict({ ...saved, state: saved?.state && {} });
    const { dtype } = this.#params[0];
    const number = (name: string, other: number): number => Number(state[name] ?? other);
    this.#iterations = number("nIter", 0);
    this.#evaluations = number("funcEvals", 0);
    this.#length = number("t", 0);
    this.#curvature = new Curvature();
    outsideScopes(() => {
      const copied = (t: Tensor): Tensor => t.detach().to(dtype).clone();
      const tensor = (name: string): Tensor | null => (state[name] instanceof Tensor ? copied(state[name]) : null);
      this.#direction = tensor("d");
      this.#gradient = tensor("prevFlatGrad");
      for (let k = 0; k < moves; k++) {
        const [step, change] = [state["oldSteps"] as Tensor, state["oldChanges"] as Tensor].map((t) =>
          copied(t.select(0, k)),
        ) as [Tensor, Tensor];
        this.#curvature.add(step, change, Infinity);
      }
    });
    this.#curvature.scale = number("scale", 1);
  }

  /** Returns the number of moves in a saved state; throws if its tensors do not fit the parameters. */
  #checkedMoves(state: Readonly<ParamState>): number {
    const moves = state["oldSteps"] instanceof Tensor ? state["oldSteps"].shape[0] : 0;
    const shapes = { d: [this.#size], prevFlatGrad: [this.#size], oldSteps: [moves, this.#size] };
    for (const [name, shape] of Object.entries({ ...shapes, oldChanges: shapes.oldSteps })) {
      const t = state[name];
      if (t === undefined && !(name === "oldChanges" && moves > 0)) continue;
      if (!(t instanceof Tensor) || t.isDisposed || t.shape.join() !== shape.join())
        throw new OptimError(
          `LBFGS.loadStateDict: ${name} must be a tensor of shape [${shape}], got ${t instanceof Tensor && !t.isDisposed ? `shape [${t.shape}]` : String(t)}`,
        );
    }
    return moves;
  }

  get #size(): number {
    return this.#params.reduce((sum, t) => sum + t.size, 0);
  }
}

/** The loss as a number; throws if the closure did not return one. */
function lossOf(loss: unknown): number {
  if (typeof loss !== "number" && !(loss instanceof Tensor))
    throw new OptimError(
      `LBFGS.step: the closure must return the loss, a tensor or a number, got ${shown(loss)}. Write return loss`,
    );
  return Number(loss instanceof Tensor ? loss.item() : loss);
}

/** A move, the change of the gradient along it, and the reciprocal of their dot product. */
interface Move {
  readonly step: Tensor;
  readonly change: Tensor;
  readonly inverse: number;
}

/** The dot product of two vectors, as a number. */
const dot = (a: Tensor, b: Tensor): number => scope(() => a.dot(b as never).item() as number);

/** The largest absolute value of an element. */
const largest = (t: Tensor): number => scope(() => t.abs().max().item() as number);

/** Writes x + factor * y to `out`. */
const addScaled = (x: Tensor, y: Tensor, factor: number, out: Tensor): Tensor =>
  elementwise("x + factor * y", { x, y, factor }, { out });

/** The inverse Hessian, estimated from recent moves. */
class Curvature {
  moves: Move[] = [];
  /** The initial estimate, a multiple of the identity. */
  scale = 1;

  /** Adds a move, unless the curvature along it is not positive; drops the oldest above `max`. */
  add(step: Tensor, change: Tensor, max: number): void {
    const product = dot(change, step);
    if (product <= 1e-10) {
      step.dispose();
      change.dispose();
      return;
    }
    while (this.moves.length >= max) {
      const { step: oldStep, change: oldChange } = this.moves.shift() as Move;
      oldStep.dispose();
      oldChange.dispose();
    }
    this.moves.push({ step, change, inverse: 1 / product });
    this.scale = product / dot(change, change);
  }

  /** The direction of descent: minus the inverse Hessian times the gradient, by the two-loop recursion. */
  direction(gradient: Tensor): Tensor {
    const { moves, scale } = this;
    const vector = gradient.neg() as Tensor;
    const coefficients: number[] = [];
    for (let k = moves.length - 1; k >= 0; k--) {
      const { step, change, inverse } = moves[k];
      const part = dot(step, vector) * inverse;
      coefficients[k] = part;
      addScaled(vector, change, -part, vector);
    }
    vector.mul_(scale);
    for (const [k, { step, change, inverse }] of moves.entries())
      addScaled(vector, step, coefficients[k] - dot(change, vector) * inverse, vector);
    return vector;
  }
}
