/** Views as functions are the methods: the same elements of the same memory, seen by modes as the same ops. */
import * as stridewise from "stridewise";
import { type Mode, type Tensor, tensor, withMode } from "stridewise";
import { expect, test } from "vitest";

type Call = (x: Tensor, ...args: unknown[]) => Tensor | Tensor[];
const calls: readonly [name: string, ...args: unknown[]][] = [
  ["split", 2, 1],
  ["split", [1, 2], -1],
  ["chunk", 2],
  ["tensorSplit", [1], 1],
  ["unbind", 1],
  ["reshape", [3, 2]],
  ["flatten"],
  ["unflatten", 1, [3, 1]],
  ["permute", [1, 0]],
  ["transpose", 0, 1],
  ["movedim", 0, 1],
  ["squeeze"],
  ["unsqueeze", 1],
  ["select", 1, -1],
  ["narrow", 1, 1, 2],
  ["diagonal", 1],
  ["broadcastTo", [2, 2, 3]],
];

test.each(calls)("%s is the method of that name", (name, ...args) => {
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]) as Tensor;
  const method = (x as unknown as Record<string, Call>)[name] as Call;
  const [ours, expected] = [
    [(stridewise as unknown as Record<string, Call>)[name]?.(x, ...args) as Tensor].flat(),
    [method.call(x, ...(args as never as [Tensor])) as Tensor].flat(),
  ];
  expect(ours.map((t) => t.toArray())).toEqual(expected.map((t) => t.toArray()));
  expect(ours.map((t) => [t.shape, t.stride])).toEqual(expected.map((t) => [t.shape, t.stride]));
  for (const t of ours) expect(t.storage).toBe(x.storage);
});

test("real and imaginary parts are views", () => {
  const z = tensor([{ re: 1, im: 2 }]) as Tensor;
  stridewise.imag(z).fill_(5);
  expect(z.toArray()).toEqual([{ re: 1, im: 5 }]);
  expect(stridewise.real(z).toArray()).toEqual([1]);
  const x = tensor([1]) as Tensor;
  expect(stridewise.real(x)).toBe(x);
  expect(() => stridewise.imag(x)).toThrow("imag");
});

test("modes see the view", () => {
  const log: string[] = [];
  const logging: Mode = {
    call(op, _args, next) {
      log.push(op.name);
      return next();
    },
  };
  const x = tensor([[1, 2]]) as Tensor;
  withMode(logging, () => stridewise.split(stridewise.permute(x, [1, 0]), 1));
  expect(log).toEqual(["permute", "split"]);
});

test("the error of an order that is not a list shows how to write it", () => {
  expect(() => stridewise.permute(tensor([[1]]), 1 as never)).toThrow(
    "permute: order must be a list of axes, permute(x, [1, 0]), got 1",
  );
});
