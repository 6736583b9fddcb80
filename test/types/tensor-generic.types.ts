/**
 * Code without known shapes, or with shapes known only as type parameters, needs no casts: chains over unknown ranks,
 * generic functions, tensors of `any`. All of it passes when it compiles.
 */
import { _, type DType, ellipsis, range, type Shape, type Tensor, tensor, zeros } from "stridewise";
import type { Equal, Expect } from "../support/types.ts";
import { add } from "./tensor-functions.ts";

declare const n: number;
declare const mask: Tensor<Shape, "bool">;
// biome-ignore lint/suspicious/noExplicitAny: values of unknown type must pass too
declare const anything: any;
// biome-ignore lint/suspicious/noExplicitAny: values of unknown type must pass too
declare const anyShape: Tensor<any>;

const matrix = zeros([2, 3]);
const cube = zeros([2, 3, 4]);
const batch = zeros([n, 3, 4]);
const nine = zeros([1, 2, 1, 2, 1, 2, 1, 2, 1]);

const take = (t: Tensor): Tensor => t;
const takeMatrix = (t: Tensor<[number, number]>): Tensor<[number, number], DType> => t.transpose(0, 1);

/** Known shapes are accepted for unknown ones. */
export const widened: readonly Tensor[] = [
  matrix,
  cube,
  batch,
  nine,
  take(matrix),
  takeMatrix(matrix),
  takeMatrix(zeros([n, 3])),
];

/** A chain over a tensor of unknown rank, with literal and computed axes. */
export function chain(t: Tensor, axis: number, shape: readonly number[]): Tensor {
  const front = t.movedim(axis, 0).flatten(1).select(0, 3);
  const [first] = t.split(2, axis);
  return (first ?? front)
    .reshape(shape)
    .permute(shape)
    .transpose(axis, -1)
    .unsqueeze(axis)
    .expand([-1, ...shape])
    .squeeze(axis)
    .squeeze()
    .narrow(axis, 1, axis)
    .slice(axis, 1, axis, 2)
    .diagonal(axis, 0, 2)
    .unfold(0, 2, axis)
    .unflatten(axis, [2, -1])
    .at(axis, _, null, ellipsis, range(axis, null), mask)
    .view([...shape, -1])
    .expect([n, n]);
}

/** Sizes that only the caller knows are kept. */
export function swap<M extends number, N extends number>(t: Tensor<[M, N]>): Tensor<[N, M]> {
  return t.transpose(0, 1);
}
const swapped = swap(zeros([2, 3]));
export type Swapped = Expect<Equal<typeof swapped, Tensor<[3, 2]>>>;

/** Any shape goes in and out. */
export function same<S extends Shape, D extends DType>(t: Tensor<S, D>): Tensor<S, D> {
  const other = t.unsqueeze(0).transpose(0, 1).reshape([-1, 2]).at(0, _).select(0, 1);
  take(other);
  take(t);
  return t;
}

/** The tensor itself as a type parameter. */
export function through<X extends Tensor>(t: X): Tensor {
  const back: X = t;
  return add(back.permute(1, 0).flatten(), t);
}

/** A nested loop over the results of unbind and split. */
export function rows(t: Tensor): Tensor[] {
  return t.unbind(0).flatMap((part) => part.chunk(2).flatMap((piece) => piece.split(1, -1)));
}

/** Variables may hold different shapes in turn. */
export function loop(steps: number): Tensor {
  let state: Tensor = zeros([2, 3]);
  for (let i = 0; i < steps; i++) state = add(state.T, state);
  return state.mT;
}

export const held: Map<string, Tensor> = new Map([["matrix", matrix as Tensor]]);
export const nineFlat: Tensor = nine.squeeze().permute(3, 2, 1, 0).unsqueeze(-1).flatten();

/** The caller knows two sizes, one is known here. */
export function sized<B extends number, N extends number>(x: Tensor<[B, 8, N], "float32">, i: number) {
  const wide: Tensor = x.mT;
  const ranked: Tensor<[number, number, number]> = x.permute(1, 0, 2);
  return [
    wide,
    ranked,
    x.permute(2, 1, 0).flatten(1).select(0, i),
    x.transpose(0, 1).reshape([8, -1]).at(0),
    x.reshape([i, 8, -1]).unsqueeze(0).expand([4, -1, -1, -1]),
    x.narrow(1, 0, 4).narrow(0, 0, 1).slice(2, 1).squeeze(1),
    x.select(1, 7).at(0, _),
    x.at(_, 7, range(2)),
    x.at(ellipsis, null, 0),
    x.movedim(0, -1).diagonal(0, 0, 1).unfold(0, 2, 1),
    ...x.split([4, 4], 1),
    ...x.split(2, 0),
    ...x.chunk(2, -1),
    ...x.unbind(2),
    x.unflatten(1, [2, -1]).view([i, -1]),
    x.expect([i, 8, i]).mT.T,
    add(x, x),
    add(x, zeros([8, 1])),
    x.expandAs(x),
    x.broadcastTo([3, 1, 8, -1]),
    x.pick([1, 2], 1),
    x.asStrided([2, 2], [1, 1]),
  ];
}

/** Only the rank is known. */
export function ranked<X extends Tensor<[number, number]>>(x: X): Tensor {
  const parts: Tensor[] = [x.permute(1, 0), x.select(0, 1).at(2), x.reshape([-1]), x.flatten()];
  return parts[0] ?? x.transpose(0, 1);
}

/** Every method on a shape that only the caller knows. */
export function shaped<S extends Shape>(x: Tensor<S>, shape: readonly [...S]): Tensor[] {
  return [
    x.flatten().at(0),
    x.reshape(shape).squeeze().squeeze(0).unsqueeze(0),
    x.view(...shape),
    ...x.split(1),
    ...x.chunk(2),
    ...x.unbind(),
    x.narrow(0, 0, 1),
    x.movedim(0, 1),
    x.expand(shape),
    x.T.mT,
    x.expect(shape),
    x.diagonal(),
    x.unfold(0, 1, 1),
    x.unfold(0, 2, 1),
    x.pick([0]),
    x.slice(0, 1),
    x.unflatten(0, [1, -1]),
    x.expandAs(x),
    add(x, x),
    tensor([[1]]).expandAs(x),
  ];
}

export const anyhow: readonly Tensor[] = [
  anyShape.permute(0, 1).select(0, 5).at(1),
  anyShape.reshape(anything).transpose(anything, anything).expand(anything).squeeze(anything),
  zeros(anything).permute(anything).select(anything, anything).at(anything),
  matrix.permute(anything, anything).transpose(anything, 0).select(anything, anything),
  matrix.at(anything, 1),
  matrix.flatten(anything, anything).narrow(anything, anything, anything),
  matrix.expandAs(anything),
  add(matrix, anything),
];

/** One element of a shape that is known in part, or only to the caller. */
export function elements<S extends Shape, D extends DType, X extends Tensor>(
  t: Tensor<S, D>,
  own: X,
  some: Tensor,
): void {
  const index: readonly number[] = [0, 1];
  const coord: [number, number] = [0, 1];
  t.get(0);
  t.get(0, 1);
  own.get(0, 1);
  own.set(0, 1, 2.5);
  some.get(3);
  some.set(0, 1, { re: 1, im: 2 });
  matrix.get(...coord);
  matrix.get(coord);
  matrix.get([0, 1]);
  matrix.set(0, 1, matrix.get(1, 2));
  matrix.set([0, 1], tensor(1));
  some.get(...index);
  matrix.setColMajor(3, matrix.getColMajor(4));
  anyShape.get(1);
}
const element = matrix.get(0, 1);
const big = zeros([2], { dtype: "int64" }).get(0);
const flag = zeros([2, 2], { dtype: "bool" }).getColMajor(3);
export type Elements = [Expect<Equal<typeof element, number>>, Expect<Equal<typeof flag, boolean>>, typeof big];
