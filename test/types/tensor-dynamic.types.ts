/** Code whose shapes, axes and tensors are only known at run time: all of it compiles without a cast. */
import { type Tensor, tensor, zeros } from "stridewise";

type Axis = number | string;

export function anyAxis(t: Tensor, axis: Axis): readonly Tensor[] {
  return [
    ...t.unbind(axis),
    ...t.split(2, axis),
    ...t.chunk(2, axis),
    t.squeeze(axis),
    t.unsqueeze(axis),
    t.flatten(axis),
    t.flatten(axis, axis),
    t.select(axis, 0),
    t.permute(axis, axis),
    t.transpose(axis, axis),
    t.movedim(axis, axis),
    t.narrow(axis, 0, 1),
    t.slice(axis),
    t.unfold(axis, 1, 1),
    t.diagonal(0, axis, axis),
    t.pick([0], axis),
  ];
}

export const copyOf = <X extends Tensor>(x: X): Tensor => tensor(x);

export function anySizes(n: number, shape: number[], x: Tensor): readonly Tensor[] {
  const z = zeros([n, 3]);
  const created = [tensor([n, n]), tensor([[n], [n]]), tensor(shape), tensor([x, x])];
  return [...created, z.reshape(shape), z.view(-1, 3), x.expand(2, n), x.reshape([n, -1])];
}

export function anyShape<S extends readonly number[]>(t: Tensor<S>, u: Tensor<S, "float32">): readonly Tensor[] {
  return [t.T, t.at(0), t.reshape(-1), t.flatten(), u.unsqueeze(0), ...t.unbind()];
}
