/**
 * Memory for time: `checkpoint(fn, ...inputs)` keeps only the arguments of a function. Its calls are recorded, but what they would keep is
 * forgotten, and all that the function makes on its way is freed. The first call that needs something on the way back has the function
 * computed again, and all take theirs from that.
 *
 * The function must do the same each time. Random numbers of the default generator are drawn again as they were; a generator of one's own
 * is for the function to set back.
 */
import { checkFunction } from "../base/arguments.ts";
import { defaultGenerator } from "../tensor/create/generator.ts";
import { detach } from "../tensor/in-place.ts";
import { madeIn, outsideScopes, scope } from "../tensor/scope.ts";
import { Tensor } from "../tensor/tensor.ts";
import { setRequiresGrad } from "./api.ts";
import { currentLevel } from "./batching/batched.ts";
import { AutogradError } from "./error.ts";
import { isForward } from "./forward-level.ts";
import { requiresGrad } from "./history.ts";
import { SavedTensor, savedTensorHooks } from "./saved.ts";
import { enableGrad, isGradEnabled } from "./scopes.ts";

/** The value of a function, whose steps are forgotten and done again on the way back. */
export function checkpoint<A extends readonly unknown[]>(fn: (...args: A) => Tensor, ...args: A): Tensor {
  checkFunction("checkpoint", fn);
  // Tangents come with the values, and are not computed again.
  if (isForward() || !isGradEnabled()) return fn(...args);
  // A sample of a batch ends with its vmap, and cannot be computed again later.
  if (currentLevel() !== null) return fn(...args);
  const forgotten = new Forgotten(fn as (...args: readonly unknown[]) => Tensor, args);
  const hooks = { pack: () => forgotten.count++, unpack: (k: number) => forgotten.at(k), frees: true };
  return scope(() => savedTensorHooks(hooks, () => fn(...args)));
}

/** An argument as it is kept. */
interface Argument {
  readonly value: unknown;
  readonly tensor: SavedTensor | null;
  readonly asks: boolean;
}

/** What the calls of a function would have kept. */
class Forgotten {
  /** How many tensors that are. */
  count = 0;
  readonly #fn: (...args: readonly unknown[]) => Tensor;
  readonly #args: readonly Argument[];
  /** The state of the generator at the start. */
  readonly #drawn = defaultGenerator().getState();
  /** They, once the function was computed again. */
  #found: Tensor[] | null = null;
  /** Which of them were asked for since. */
  readonly #asked = new Set<number>();

  constructor(fn: (...args: readonly unknown[]) => Tensor, args: readonly unknown[]) {
    this.#fn = fn;
    this.#args = args.map((value) =>
      value instanceof Tensor
        ? { value: null, tensor: new SavedTensor(value, null), asks: requiresGrad(value) }
        : { value, tensor: null, asks: false },
    );
  }

  /** One of them, as a tensor of its own. */
  at(k: number): Tensor {
    this.#found ??= this.#again();
    const t = detach(this.#found[k]);
    this.#asked.add(k);
    if (this.#asked.size === this.count) {
      // All have theirs: another way back computes the function once more.
      for (const each of this.#found) each.endWith("freed after a checkpoint");
      this.#found = null;
      this.#asked.clear();
    }
    return t;
  }

  /** Computes the function again, and takes what its calls keep. */
  #again(): Tensor[] {
    const generator = defaultGenerator();
    const now = generator.getState();
    const found: Tensor[] = [];
    const made: Tensor[] = [];
    const collect = {
      pack: (t: Tensor) => found.push(outsideScopes(() => detach(t))) - 1,
      unpack: (k: number) => found[k],
    };
    generator.setState(this.#drawn);
    try {
      madeIn(() => {
        const args = this.#args.map(({ value, tensor, asks }) => {
          if (tensor === null) return value;
          const leaf = detach(tensor.unpack());
          return asks ? setRequiresGrad(leaf, true, "checkpoint") : leaf;
        });
        return enableGrad(() => savedTensorHooks(collect, () => this.#fn(...args)));
      }, made);
    } finally {
      generator.setState(now);
      for (const t of made) t.endWith("freed after a checkpoint");
    }
    if (found.length !== this.count)
      throw new AutogradError(
        `checkpoint: the function kept ${this.count} tensors, and ${found.length} when it was run again. It must do the same each time`,
      );
    return found;
  }
}
