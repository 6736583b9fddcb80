/**
 * Random programs of views, writes and scopes, with what PyTorch made of them: the gradients of two leaves, or the rule by which a step was
 * refused. Each line of `programs.jsonl` is one: its steps (a name, the tensors by number, numbers, the scope), then what came out.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { grad, inferenceMode, noGrad, type Tensor, tensor, zeros } from "../../src/index.ts";

type Step = readonly [name: string, ...rest: (number | string | null)[]];

interface Program {
  readonly seed: number;
  readonly steps: readonly Step[];
  /** The rule that refused the last step, or with `end:` before it the gradient. */
  readonly refused?: string;
  /** What is added up at the end, times 1, 2, 3, ... */
  readonly used?: readonly number[];
  readonly gradients?: readonly (readonly number[] | null)[];
}

const rules: Readonly<Record<string, string>> = {
  noGrad: "A view was created inside noGrad",
  inferenceView: "A view was created inside inferenceMode",
  several: "This view is the output of a function that returns multiple views",
  viewOfLeaf: "a view of a leaf tensor that requires grad is being used",
  leaf: ": a leaf tensor that requires grad is being used",
  version: "has been modified by an in-place operation",
  kept: "Inference tensors cannot be saved for backward",
  inferenceWrite: "in-place update to an inference tensor",
  overlap: "refer",
  nothing: "does not require grad",
};

const shape = [2, 3] as const;
const leaf = (first: number, by: number): Tensor =>
  tensor(
    Array.from({ length: 6 }, (_, k) => (k + first) / by),
    { dtype: "float64" },
  )
    .view(...shape)
    .clone()
    .requiresGrad_();

/** Each step: the tensor, then numbers, or another tensor. */
const steps: Readonly<Record<string, (x: Tensor, a: number, b: number, c: number, other: Tensor) => Tensor>> = {
  zeros: () => zeros([...shape], { dtype: "float64" }),
  select: (x, axis, at) => x.select(axis, at),
  narrow: (x, axis, start, size) => x.narrow(axis, start, size),
  unbind: (x, axis, at) => x.unbind(axis)[at] as Tensor,
  t: (x) => x.T,
  unsqueeze: (x, axis) => x.unsqueeze(axis),
  viewall: (x) => x.view(-1),
  detach: (x) => x.detach(),
  mulc: (x, by) => x.mul(by),
  addc: (x, by) => x.add(by),
  sin: (x) => x.sin(),
  exp: (x) => x.mul(0.1).exp(),
  square: (x) => x.square(),
  mul: (x, _a, _b, _c, other) => x.mul(other),
  add: (x, _a, _b, _c, other) => x.add(other),
  mulc_: (x, by) => x.mul_(by),
  addc_: (x, by) => x.add_(by),
  sin_: (x) => x.sin_(),
  exp_: (x) => x.sin_().exp_(),
  zero_: (x) => x.zero_(),
  copy_: (x, _a, _b, _c, other) => x.copy_(other),
  add_: (x, _a, _b, _c, other) => x.add_(other),
  mul_: (x, _a, _b, _c, other) => x.mul_(other),
};

function run(list: readonly Step[]): Tensor[] {
  const built: Tensor[] = [];
  for (const [name, first, ...rest] of list) {
    if (name === "leaf") {
      built.push(leaf(Number(rest[0]), Number(first)));
      continue;
    }
    const scope = rest.at(-1) ?? (name === "zeros" ? first : null);
    const [a, b, c] = rest.map(Number);
    const step = (): Tensor =>
      (steps[name] as (typeof steps)[string])(
        built[first as number] as Tensor,
        a as number,
        b as number,
        c as number,
        built[a as number] as Tensor,
      );
    const result = scope === "nograd" ? noGrad(step) : scope === "inference" ? inferenceMode(step) : step();
    if (!name.endsWith("_")) built.push(result);
  }
  return built;
}

function gradients(built: readonly Tensor[], used: readonly number[]): (number[] | null)[] {
  const terms = used.map((k, i) => (built[k] as Tensor).mul(i + 1).sum() as Tensor);
  const total = terms.reduce((a, b) => a.add(b));
  return grad(total, built.slice(0, 2), { allowUnused: true }).map((g) =>
    g === null ? null : (g.reshape(-1).toArray() as number[]),
  );
}

const programs = readFileSync(new URL("./programs.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Program);

describe("as PyTorch does", () => {
  test.each(programs.filter(({ refused }) => refused === undefined))("program $seed has its gradients", (program) => {
    const found = gradients(run(program.steps), program.used ?? []);
    program.gradients?.forEach((expected, k) => {
      // Nothing and zeros are the same: here what was overwritten is not asked at all.
      const got = found[k] ?? new Array<number>(6).fill(0);
      (expected ?? new Array<number>(6).fill(0)).forEach((g, at) => {
        expect(Math.abs((got[at] as number) - g), `leaf ${k}, element ${at}`).toBeLessThan(1e-9 * (1 + Math.abs(g)));
      });
    });
  });

  test.each(programs.filter(({ refused }) => refused !== undefined))(
    "program $seed is refused: $refused",
    (program) => {
      const { refused = "", used = [] } = program;
      const [rule, atEnd] = [rules[refused.replace("end:", "")], refused.startsWith("end:")];
      if (!atEnd) {
        run(program.steps.slice(0, -1));
        expect(() => run(program.steps)).toThrow(rule);
        return;
      }
      const built = run(program.steps);
      expect(() => gradients(built, used)).toThrow(rule);
    },
  );
});
