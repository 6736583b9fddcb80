/**
 * `checkpoint(fn, ...inputs)` trades time for memory: it saves only the arguments of a function. The calls of the function are recorded without
 * their saved tensors, and its intermediate tensors are freed. The first node that needs a saved tensor in the backward pass runs the function
 * again, and all nodes take their tensors from that run.
 *
 * The function must do the same each time. The state of the default generator is restored for the second run; a function that uses another
 * generator must restore its state itself.
 */
import { checkFunction } from "../base/arguments.ts";
import { defaultGenerator } from "../tensor/create/generator.ts";
import { detach } from "../tensor/in-place.ts";
import { createdIn, outsideScopes, scope } from "../tensor/scope.ts";
import { Tensor } from "../tensor/tensor.ts";
import { setRequiresGrad } from "./api.ts";
import { currentLevel } from "./batching/batched.ts";
import { AutogradError } from "./error.ts";
import { isForward } from "./forward-level.ts";
import { requiresGrad } from "./history.ts";
import { SavedTensor, savedTensorHooks } from "./saved.ts";
import { enableGrad, isGradEnabled } from "./scopes.ts";

/** Returns the value of a function whose intermediate tensors are freed, and computed again in the backward pass. */
export function checkpoint<A extends readonly unknown[]>(fn: (...args: A) => Tensor, ...args: A): Tensor {
  checkFunction("checkpoint", fn);
  // Tangents come with the values, and are not computed again.
  if (isForward() || !isGradEnabled()) return fn(...args);
  // A sample of a batch ends with its vmap and cannot be computed again later.
  if (currentLevel() !== null) return fn(...args);
  const forgotten = new RecomputedTensors(fn as (...args: readonly unknown[]) => Tensor, args);
  const hooks = { pack: () => forgotten.count++, unpack: (k: number) => forgotten.at(k), frees: true };
  return scope(() => savedTensorHooks(hooks, () => fn(...args)));
}

/** A saved argument. */
interface Argument {
  readonly value: unknown;
  readonly tensor: SavedTensor | null;
  readonly requiresGrad: boolean;
}

/** The tensors that the calls of a function would have saved. */
class RecomputedTensors {
  /** The number of these tensors. */
  count = 0;
  readonly #fn: (...args: readonly unknown[]) => Tensor;
  readonly #args: readonly Argument[];
  /** The state of the generator at the start. */
  readonly #generatorState = defaultGenerator().getState();
  /** The tensors, after the function has run again. */
  #tensors: Tensor[] | null = null;
  /** Indices of those that were unpacked since. */
  readonly #unpacked = new Set<number>();

  constructor(fn: (...args: readonly unknown[]) => Tensor, args: readonly unknown[]) {
    this.#fn = fn;
    this.#args = args.map((value) =>
      value instanceof Tensor
        ? { value: null, tensor: new SavedTensor(value, null), requiresGrad: requiresGrad(value) }
        : { value, tensor: null, requiresGrad: false },
    );
  }

  /** Returns one of them as a new tensor. */
  at(k: number): Tensor {
    this.#tensors ??= this.#again();
    const t = detach(this.#tensors[k]);
    this.#unpacked.add(k);
    if (this.#unpacked.size === this.count) {
      // All were unpacked: another backward pass runs the function once more.
      for (const each of this.#tensors) each.endWith("freed after a checkpoint");
      this.#tensors = null;
      this.#unpacked.clear();
    }
    return t;
  }

  /** Runs the function again and returns the tensors that its calls save. */
  #again(): Tensor[] {
    const generator = defaultGenerator();
    const now = generator.getState();
    const saved: Tensor[] = [];
    const recomputed: Tensor[] = [];
    const collect = {
      pack: (t: Tensor) => saved.push(outsideScopes(() => detach(t))) - 1,
      unpack: (k: number) => saved[k],
    };
    generator.setState(this.#generatorState);
    try {
      createdIn(() => {
        const args = this.#args.map(({ value, tensor, requiresGrad }) => {
          if (tensor === null) return value;
          const leaf = detach(tensor.unpack());
          return requiresGrad ? setRequiresGrad(leaf, true, "checkpoint") : leaf;
        });
        return enableGrad(() => savedTensorHooks(collect, () => this.#fn(...args)));
      }, recomputed);
    } finally {
      generator.setState(now);
      for (const t of recomputed) t.endWith("freed after a checkpoint");
    }
    if (saved.length !== this.count)
      throw new AutogradError(
        `checkpoint: the function saved ${this.count} tensors for the backward pass, but ${saved.length} when it was recomputed. It must be deterministic`,
      );
    return saved;
  }
}
