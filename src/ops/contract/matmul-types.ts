/**
 * The shapes of matrix products in the type checker. No run-time code.
 */
import type { Broadcast, Rank, Shape, Show } from "../../tensor/types/types.ts";

/** The shape of `a @ b`. */
export type MatmulShape<A extends Shape, B extends Shape> = number extends Rank<A> | Rank<B>
  ? Shape
  : A extends readonly [number]
    ? B extends readonly [number]
      ? []
      : B extends readonly [...infer Batch extends Shape, number, infer N extends number]
        ? [...Batch, N]
        : Shape
    : B extends readonly [number]
      ? A extends readonly [...infer Batch extends Shape, infer M extends number, number]
        ? [...Batch, M]
        : Shape
      : A extends readonly [...infer BatchA extends Shape, infer M extends number, number]
        ? B extends readonly [...infer BatchB extends Shape, number, infer N extends number]
          ? [...Broadcast<BatchA, BatchB>, M, N]
          : Shape
        : Shape;

/** The size of A that a product sums over, and that of B. */
type Inner<A extends Shape> = A extends readonly [...Shape, infer K extends number] ? K : number;
type Rows<B extends Shape> = B extends readonly [infer K extends number]
  ? K
  : B extends readonly [...Shape, infer K extends number, number]
    ? K
    : number;

/** The sentence for shapes whose inner sizes are known to differ. */
export type MatmulFault<A extends Shape, B extends Shape> = number extends Rank<A> | Rank<B> | Inner<A> | Rows<B>
  ? undefined
  : Inner<A> extends Rows<B>
    ? undefined
    : `matmul: inner sizes differ, ${Show<A>} x ${Show<B>} needs ${Inner<A>} = ${Rows<B>}`;
