/**
 * The source of randomness of distributions: Philox by index, as in `tensor/create/random-draw.ts`. Element i of a draw depends only on
 * the seed, the draw's number and i, never on other elements.
 * `fillFromUniform` uses one number per element; an `ElementStream` supplies any number of them. All lie strictly between 0 and 1, so that
 * their logarithms are finite.
 */
import { computeBlock, type IntegerTarget, type RandomDraw, word } from "../../tensor/create/random-draw.ts";

/** One number for all elements, or one for each. */
export type Parameter = number | ArrayLike<number>;

/** Returns the parameter of element i. */
export const valueAt = (parameter: Parameter, i: number): number =>
  typeof parameter === "number" ? parameter : parameter[i];

/** A number in (0, 1) from 52 bits of the words 2 * lane and 2 * lane + 1, plus half a step. */
const double = (lane: number): number =>
  ((word(2 * lane) >>> 6) * 2 ** 26 + (word(2 * lane + 1) >>> 6) + 0.5) * 2 ** -52;

/** target[i] = f(u, i), each with its own u uniform in (0, 1): of 52 bits in a Float64Array, else of 32. */
export function fillFromUniform(target: IntegerTarget, draw: RandomDraw, f: (u: number, i: number) => number): void {
  const isDouble = target.BYTES_PER_ELEMENT === 8;
  const perBlock = isDouble ? 2 : 4;
  for (let i = 0; i < target.length; i++) {
    const lane = i % perBlock;
    if (lane === 0) computeBlock(draw, i / perBlock, 0, (target.length - i) / perBlock);
    target[i] = f(isDouble ? double(lane) : (word(lane) + 0.5) * 2 ** -32, i);
  }
}

/** The random numbers of one element at a time. */
export class ElementStream {
  #draw: RandomDraw;
  #element = 0;
  #next = 0;
  #spare = 0;

  constructor(draw: RandomDraw) {
    this.#draw = draw;
  }

  /** Restarts the stream at the numbers of element i. */
  start(i: number): void {
    this.#element = i;
    this.#next = 0;
  }

  /** Returns the next number, uniform in (0, 1). */
  uniform(): number {
    const index = this.#next++;
    if (index % 2 === 1) return this.#spare;
    // An element has 8192 numbers before they repeat, far more than any method here takes.
    computeBlock(this.#draw, this.#element, index / 2);
    this.#spare = double(1);
    return double(0);
  }

  /** Returns a number of the standard normal distribution. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }
}

/** target[i] = sample(stream, i), with the stream at the start of element i. */
export function fillFromStream(
  target: IntegerTarget,
  draw: RandomDraw,
  sample: (stream: ElementStream, i: number) => number,
): void {
  const stream = new ElementStream(draw);
  for (let i = 0; i < target.length; i++) {
    stream.start(i);
    target[i] = sample(stream, i);
  }
}
