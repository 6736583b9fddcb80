/**
 * The shapes of matrix products in the type checker. No run-time code.
 */
import type { Broadcast, Rank, Shape } from "../../tensor/types/types.ts";

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
