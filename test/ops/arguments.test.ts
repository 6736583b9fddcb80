/**
 * Every op reports wrong arguments by its own error: called with anything, it returns tensors or throws a
 * StridewiseError that begins with its name, never an error of JavaScript itself. Its arguments stay unchanged.
 */
import { expect, test } from "vitest";
import { arange, complex, StridewiseError, scope, Tensor, tensor, zeros } from "../../src/index.ts";
import { exportedOps, type Op } from "../support/op-samples.ts";

const gone = tensor([1, 2]);
gone.dispose();
const inputs: Readonly<Record<string, Tensor>> = {
  floats: arange(0, 6).reshape(2, 3) as Tensor,
  ints: tensor([0, 1, 2], { dtype: "int32" }),
  bools: tensor([true, false, true]),
  complexes: tensor([complex(1, 2)]),
  none: zeros([0]),
};
const pool: readonly (readonly [text: string, value: unknown])[] = [
  ...Object.entries(inputs),
  ["gone", gone],
  ["undefined", undefined],
  ["null", null],
  ["0", 0],
  ["-1", -1],
  ["1.5", 1.5],
  ['"x"', "x"],
  ["[]", []],
  ["[1]", [1]],
  ["{}", {}],
  ["{ axis: 9 }", { axis: 9 }],
  ["{ out: 1 }", { out: 1 }],
  ["{ dtype: 'x' }", { dtype: "x" }],
  ["new Float32Array(2)", new Float32Array(2)],
  ["() => 1", () => 1],
];

/** Integers from 0 to n - 1, the same in every run. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** The declared options of an op, except those that it writes to. */
function optionsOf(op: Op): readonly string[] {
  const found = new Set<string>();
  const x = inputs.floats;
  for (const front of [[x], [x, x], [x, x, x], [x, 1], [x, [1]], [[x]], [x, 1, 1]])
    try {
      op(...front, { nosuch: 1 });
    } catch (error) {
      const [, list = ""] = /options are ([\w, ]+)\./.exec((error as Error).message) ?? [];
      for (const name of list.split(", ")) if (name !== "" && !/^out$|^running/.test(name)) found.add(name);
    }
  return [...found];
}

const values = (): string => JSON.stringify(Object.values(inputs).map((t) => [t.shape, t.version, t.toArray()]));

/** Describes a wrong result: a part that is not a tensor, number or boolean, or an invalid shape. */
function faultIn(result: unknown): string | null {
  if (result instanceof Tensor)
    return (result.shape as readonly number[]).every((size) => Number.isInteger(size) && size >= 0)
      ? null
      : `shape [${result.shape}]`;
  if (typeof result === "boolean" || typeof result === "number" || result === null) return null;
  if (typeof result !== "object") return `result ${String(result)}`;
  return (
    Object.values(result)
      .map(faultIn)
      .find((fault) => fault !== null) ?? null
  );
}

/** Describes a wrong error: not ours, or with the name of another op. */
function faultOf(error: unknown, name: string): string | null {
  const { message, name: kind } = error as Error;
  if (!(error instanceof StridewiseError) || kind === "InternalError") return `${kind}: ${message}`;
  return message.startsWith(`${name}: `) ? null : `said by another: ${message}`;
}

test.each([...exportedOps()])("%s", (name, op) => {
  const random = numbers(name.length * 7919);
  const pick = (from = pool): (typeof pool)[number] => from[random(from.length)] as (typeof pool)[number];
  const options = optionsOf(op);
  const before = values();
  const faults: string[] = [];
  for (let k = 0; k < 160; k++) {
    const args = k < pool.length ? [pool[k] as (typeof pool)[number]] : Array.from({ length: random(5) }, () => pick());
    // A valid start gets further.
    if (k >= pool.length && args.length > 0 && random(2) === 0) args[0] = pick(pool.slice(0, 3));
    if (options.length > 0 && random(3) === 0) {
      const [option, [text, value]] = [options[random(options.length)] as string, pick()];
      args.push([`{ ${option}: ${text} }`, { [option]: value }]);
    }
    let fault: string | null = null;
    try {
      scope(() => {
        fault = faultIn(op(...args.map(([, value]) => value)));
      });
    } catch (error) {
      fault = faultOf(error, op.operator.name);
    }
    if (fault !== null) faults.push(`${name}(${args.map(([text]) => text).join(", ")}): ${fault}`);
  }
  expect(faults).toEqual([]);
  expect(values()).toBe(before);
});

test.each([...exportedOps()])("%s rejects symbols as any argument", (_, op) => {
  const [symbol, x] = [Symbol("s"), inputs.floats];
  const calls: unknown[][] = [
    [symbol],
    [[symbol]],
    ...[symbol, [symbol]].flatMap((s) => [
      [x, s],
      [x, x, s],
      [x, 1, s],
    ]),
  ];
  for (const option of optionsOf(op)) calls.push([x, { [option]: symbol }], [x, x, { [option]: symbol }]);
  const faults = calls.map((args) => {
    try {
      scope(() => void op(...args));
    } catch (error) {
      return faultOf(error, op.operator.name);
    }
    return null;
  });
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});
