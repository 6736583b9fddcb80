/** Nested arrays as operands: the compiler broadcasts their shapes and promotes them as numbers. */
import { add, type DType, eq, type Shape, type Tensor, tensor, where, zeros } from "stridewise";
import type { Equal, Expect } from "../support/types.ts";

declare const n: number;
declare const list: number[];
type Made<S extends Shape, D extends DType = "float32"> = Tensor<S, D>;

const matrix = zeros([2, 3]);
const whole = zeros([3], { dtype: "int32" });
const mask = tensor([true, false]);

const sum = matrix.add([1, 2, 3]);
const product = whole.mul([[1], [2]]);
const quotient = whole.div([2, 4, 8]);
const compared = eq(matrix, [[1], [2]]);
const masked = mask.add([1, 2]);
const first = add([1, 2, 3], whole);
const open = matrix.add(list);
const computed = whole.sub([n, n, n]);
const chosen = where(mask, [1, 2], zeros([2], { dtype: "float64" }));
const inPlace = matrix.add_([1, 2, 3]);

export type Claims = [
  Expect<Equal<typeof sum, Made<[2, 3]>>>,
  Expect<Equal<typeof product, Made<[2, 3], "int32">>>,
  Expect<Equal<typeof quotient, Made<[3], "float32">>>,
  Expect<Equal<typeof compared, Made<[2, 3], "bool">>>,
  Expect<Equal<typeof masked, Made<[2]>>>,
  Expect<Equal<typeof first, Made<[3], "int32">>>,
  Expect<Equal<typeof open, Made<[2, 3]>>>,
  Expect<Equal<typeof computed, Made<[3], "int32">>>,
  Expect<Equal<typeof chosen, Made<[2], "float64">>>,
  Expect<Equal<typeof inPlace, typeof matrix>>,
];

// @ts-expect-error the shapes do not broadcast
matrix.add([1, 2]);
// @ts-expect-error the rows differ in length
matrix.add([[1, 2, 3], [1]]);
// @ts-expect-error not numbers
matrix.add(["a"]);
