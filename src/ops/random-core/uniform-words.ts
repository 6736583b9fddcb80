/**
 * Where distributions take their randomness from: Philox by position, as in `tensor/create/random-draw.ts`, so that element i of a
 * draw depends on the seed, the draw's number and i alone, not on threads, pieces or other elements.
 * `fillFromUniform` gives each element one number; an `ElementStream` gives an element as many as it asks for. All numbers lie
 * strictly between 0 and 1, so that their logarithms are finite.
 */
import { computeBlock, type IntegerTarget, type RandomDraw, word } from "../../tensor/create/random-draw.ts";

/** One number for all elements, or one for each. */
export type Parameter = number | ArrayLike<number>;

/** The parameter of element i. */
export const valueAt = (parameter: Parameter, i: number): number =>
  typeof parameter === "number" ? parameter : parameter[i];

/** 52 bits and a half of the words 2 * lane and 2 * lane + 1. */
const double = (lane: number): number =>
  ((word(2 * lane) >>> 6) * 2 ** 26 + (word(2 * lane + 1) >>> 6) + 0.5) * 2 ** -52;

/**
 * target[i] = f(u, i) for begin <= i < end, each with its own u uniform in (0, 1): of 52 bits in a Float64Array, else of 32.
 */
export function fillFromUniform(
  target: IntegerTarget,
  draw: RandomDraw,
  f: (u: number, i: number) => number,
  begin = 0,
  end = target.length,
): void {
  const isDouble = target.BYTES_PER_ELEMENT === 8;
  const perBlock = isDouble ? 2 : 4;
  for (let i = begin; i < end; i++) {
    const lane = i % perBlock;
    if (lane === 0 || i === begin) computeBlock(draw, (i - lane) / perBlock, 0, (end - i) / perBlock);
    target[i] = f(isDouble ? double(lane) : (word(lane) + 0.5) * 2 ** -32, i);
  }
}

/** The random numbers of one element after another. */
export class ElementStream {
  #draw: RandomDraw;
  #element = 0;
  #taken = 0;
  #spare = 0;

  constructor(draw: RandomDraw) {
    this.#draw = draw;
  }

  /** Begins the numbers of element i. */
  start(i: number): void {
    this.#element = i;
    this.#taken = 0;
  }

  /** The next number, uniform in (0, 1). */
  uniform(): number {
    const taken = this.#taken++;
    if (taken % 2 === 1) return this.#spare;
    // An element has 8192 numbers before they repeat, which no method here comes near.
    computeBlock(this.#draw, this.#element, taken / 2);
    this.#spare = double(1);
    return double(0);
  }

  /** A number of the standard normal distribution. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }
}

/** target[i] = sample(stream, i) for begin <= i < end, with the stream at the beginning of element i. */
export function fillFromStream(
  target: IntegerTarget,
  draw: RandomDraw,
  sample: (stream: ElementStream, i: number) => number,
  begin = 0,
  end = target.length,
): void {
  const stream = new ElementStream(draw);
  for (let i = begin; i < end; i++) {
    stream.start(i);
    target[i] = sample(stream, i);
  }
}
