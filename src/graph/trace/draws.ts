/**
 * Random draws in a trace. A program draws from generators as the calls of its random ops follow each other. So a function may change the state of
 * a generator in one way only: it may go back to a state of the same call and draw the same numbers again, as `checkpoint` does to compute tensors
 * again. Such a draw is not a node: it has the result of the earlier one.
 *
 * While a function is traced, generators have states that occur nowhere else: an offset for each draw of the trace. Thus a state that the
 * function sets itself is noticed.
 */
import { isRecord } from "../../autograd/arguments.ts";
import { defaultGenerator, Generator, type GeneratorState, generatorUses } from "../../tensor/create/generator.ts";
import { type Argument, GraphError, type Node, Value } from "../ir.ts";

/** The offset of the first draw of the first generator. Each generator has its own offsets. */
const firstOffset = 2 ** 52;
const offsetsEach = 2 ** 32;

/** A draw: a node, in the trace of the graph or of a region. */
export interface Draw {
  readonly trace: object;
  readonly node: Node;
}

/** A generator in a trace. */
interface Track {
  /** The state outside of the trace. */
  real: GeneratorState;
  /** The seed in the trace, and the offset of the first draw. */
  readonly seed: bigint;
  readonly first: number;
  /** True if the function created the generator. */
  readonly isNew: boolean;
  readonly draws: (Draw | null)[];
}

/** Returns the generator that a random op draws from. */
export function generatorIn(args: readonly unknown[]): Generator {
  const find = (arg: unknown): Generator | null => {
    if (arg instanceof Generator) return arg;
    if (!isRecord(arg)) return null;
    for (const each of Object.values(arg)) {
      const result = find(each);
      if (result !== null) return result;
    }
    return null;
  };
  for (const arg of args) {
    const result = find(arg);
    if (result !== null) return result;
  }
  return defaultGenerator();
}

/** The draws of one trace. */
export class Draws {
  readonly #tracks = new Map<Generator, Track>();

  /** Runs a function, in which the states of generators are those of the trace. */
  run<T>(fn: () => T): T {
    const noted = generatorUses.note;
    for (const [generator, track] of this.#tracks) toEnd(generator, track);
    generatorUses.note = (generator, isNew) => this.#note(generator, isNew);
    try {
      const result = fn();
      for (const [generator, track] of this.#tracks)
        if (!track.isNew && drawsUntil(generator, track) !== track.draws.length)
          throw new GraphError(
            `compile: the function leaves a generator in another state than its draws do: it sets the state or the seed (setState, manualSeed, offset), or draws numbers without tensors. ${remedy}`,
          );
      this.#checkResult(result);
      return result;
    } finally {
      generatorUses.note = null;
      for (const [generator, { real }] of this.#tracks) generator.setState(real);
      generatorUses.note = noted;
    }
  }

  /** Returns the draw that the function made at the current state of a generator; null if it is the next one. */
  earlier(name: string, generator: Generator): Draw | null {
    const track = this.#trackOf(generator);
    if (track.isNew)
      throw new GraphError(
        `compile: ${name} draws from a generator that the function creates, but a program draws from the same one in every call. Create it outside of the compiled function`,
      );
    const count = drawsUntil(generator, track);
    if (count === null || (count < track.draws.length && track.draws[count] === null))
      throw new GraphError(
        `compile: ${name} draws after the function has set the state or the seed of the generator (setState, manualSeed, offset), or has drawn numbers without tensors. ${remedy}`,
      );
    return track.draws[count] ?? null;
  }

  /** Moves a generator to the state after a draw. `draw` is the next one, or null if the function went back to an earlier one. */
  advance(generator: Generator, draw: Draw | null): void {
    const track = this.#trackOf(generator);
    if (draw !== null) {
      track.draws.push(draw);
      toEnd(generator, track);
    } else generator.setState({ seed: track.seed, offset: track.first + (drawsUntil(generator, track) ?? 0) + 1 });
  }

  /** Draws from the real state of a generator, for tensors that exist from now on. */
  real<T>(generator: Generator, draw: () => T): T {
    const track = this.#trackOf(generator);
    const now = generator.getState();
    generator.setState(track.real);
    try {
      return draw();
    } finally {
      track.real = generator.getState();
      generator.setState(now);
    }
  }

  #trackOf(generator: Generator): Track {
    this.#note(generator, false);
    return this.#tracks.get(generator) as Track;
  }

  #note(generator: Generator, isNew: boolean): void {
    if (this.#tracks.has(generator)) return;
    const { note } = generatorUses;
    generatorUses.note = null;
    const real = generator.getState();
    const track = { real, seed: real.seed, first: firstOffset + this.#tracks.size * offsetsEach, isNew, draws: [] };
    this.#tracks.set(generator, track);
    if (!isNew) toEnd(generator, track);
    generatorUses.note = note;
  }

  /** Throws if the function returns an offset: it would be the same in every call. */
  #checkResult(result: unknown): void {
    if (Array.isArray(result)) for (const each of result) this.#checkResult(each);
    else if (isRecord(result)) for (const each of Object.values(result)) this.#checkResult(each);
    else if (typeof result === "number" && result >= firstOffset)
      for (const { first } of this.#tracks.values())
        if (result >= first && result < first + offsetsEach)
          throw new GraphError(
            "compile: the function returns the state of a generator, which differs between calls. Read it outside of the compiled function",
          );
  }
}

const remedy =
  "A compiled function may only go back to a state of the same call, from getState(). Set the state before the call";

const toEnd = (generator: Generator, { seed, first, draws }: Track): unknown =>
  generator.setState({ seed, offset: first + draws.length });

/** The number of draws before the current state of a generator; null if it is not a state of the trace. */
function drawsUntil(generator: Generator, { seed, first, draws }: Track): number | null {
  const count = generator.offset - first;
  return generator.seed === seed && count >= 0 && count <= draws.length ? count : null;
}

/** Throws unless a call draws the numbers of an earlier draw again. */
export function checkSameDraw(earlier: Draw, trace: object, other: Pick<Node, "op" | "args">): void {
  const { op, args } = earlier.node;
  const skipsTensor = op.isInPlace || op.facts.random === "like";
  const isSame =
    earlier.trace === trace &&
    op === other.op &&
    args.length === other.args.length &&
    args.every((arg, k) => (k === 0 && skipsTensor ? haveOneType(arg, other.args[k]) : areSame(arg, other.args[k])));
  if (!isSame)
    throw new GraphError(
      `compile: ${other.op.name} draws from the state of an earlier call of ${op.name}, as in the recomputation of a checkpoint, but not the same numbers: ${earlier.trace === trace ? "the arguments differ" : "one of the calls is in a function of cond, whileLoop or scan"}. Draw them once, and pass them on`,
    );
}

/** True for values of one dtype and shape; their elements are not used. */
const haveOneType = (a: Argument, b: Argument): boolean =>
  a instanceof Value && b instanceof Value
    ? a.type.dtype === b.type.dtype && `${a.type.shape}` === `${b.type.shape}`
    : areSame(a, b);

/** The value whose elements a value has, found by skipping nodes that return their input. */
function origin(value: Value): Value {
  let now = value;
  for (;;) {
    const { node, type } = now;
    const from = node?.args[0];
    if (!(node?.op.name === "detach" || node?.op.name === "clone") || !(from instanceof Value)) return now;
    if (`${from.type.strides}` !== `${type.strides}`) return now;
    now = from;
  }
}

/** True if arguments are equal: values if they are computed by the same calls. */
function areSame(a: Argument, b: Argument, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Value && b instanceof Value) {
    const [one, other] = [origin(a), origin(b)];
    if (one === other) return true;
    const [x, y] = [one.node, other.node];
    if (x === null || y === null || x.op !== y.op || x.op.facts.random !== undefined || x.regions.length > 0)
      return false;
    const index = x.results.indexOf(one);
    return depth < maxDepth && index === y.results.indexOf(other) && areSame(x.args, y.args, depth + 1);
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each: Argument, k) => areSame(each, b[k], depth));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => areSame(a[name] as Argument, b[name] as Argument, depth))
  );
}

/** The maximum number of calls that are compared in sequence; each may double the work. */
const maxDepth = 12;
