/** Shape arithmetic in types. */
import type { StrideTuple } from "./basis.ts";
import type { IntTuple } from "./tuple.ts";
export type ColMajorStride<S extends IntTuple> = S extends readonly unknown[] ? StrideTuple : StrideTuple;
export type RowMajorStride<S extends IntTuple> = S extends readonly unknown[] ? StrideTuple : StrideTuple;
export type SizeOf<S extends IntTuple> = S extends IntTuple ? number : never;
