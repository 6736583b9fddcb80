/**
 * Optimizers and schedules compared with PyTorch's, as recorded by `record.py`: parameters after each of ten steps,
 * learning rates and momenta epoch by epoch, and the path of L-BFGS on Rosenbrock's function.
 */
import { readFileSync } from "node:fs";
import { type DType, type Tensor, tensor, zeros } from "stridewise";
import * as optim from "stridewise/optim";
import { describe, expect, test } from "vitest";

type Options = Record<string, unknown>;
type Part = readonly [name: string, options: Options];
interface Recorded {
  readonly optimizers: readonly {
    readonly name: string;
    readonly options: Options;
    readonly dtype: DType;
    readonly groups?: readonly Options[];
    readonly after: readonly (readonly number[])[];
  }[];
  readonly lbfgs: readonly {
    readonly options: Options;
    readonly after: readonly { readonly x: number[]; readonly loss: number; readonly calls: number }[];
  }[];
  readonly schedules: readonly {
    readonly schedulers: readonly Part[];
    readonly optimizer: string;
    readonly rates: readonly (readonly number[])[];
    readonly momenta?: readonly number[];
    readonly measures?: readonly number[];
  }[];
}

const recorded = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8")) as Recorded;
// biome-ignore lint/suspicious/noExplicitAny: classes are looked up by their recorded names.
const named = optim as unknown as Record<string, new (...args: any[]) => any>;
const make = <T>(name: string, ...args: unknown[]): T => {
  const Class = named[name];
  if (Class === undefined) throw new Error(`stridewise/optim has no ${name}`);
  return new Class(...args) as T;
};

/** Every number within a relative tolerance, which is absolute below 1. */
function expectClose(got: readonly number[], expected: readonly number[], tolerance: number, where: string): void {
  expect(got.length, where).toBe(expected.length);
  for (const [k, value] of expected.entries()) {
    const distance = Math.abs((got[k] as number) - value) / Math.max(1, Math.abs(value));
    expect(distance, `${where}, number ${k}: ${got[k]} is not ${value}`).toBeLessThanOrEqual(tolerance);
  }
}

function problem(dtype: DType): { w: Tensor; b: Tensor; loss: () => Tensor } {
  const w = tensor([[0.5, -1.25], [2, 0.125]], { dtype, requiresGrad: true }) as Tensor; // biome-ignore format: a matrix
  const b = tensor(0.75, { dtype, requiresGrad: true }) as Tensor;
  const x = tensor([[1, 2], [-0.5, 0.25], [3, -1]], { dtype }) as Tensor; // biome-ignore format: a matrix
  const loss = (): Tensor => {
    const y = x.matmul(w).add(b).sin() as Tensor;
    return y.mul(y).sum().add(w.pow(4).sum().mul(0.1)) as Tensor;
  };
  return { w, b, loss };
}

const title = (...parts: unknown[]): string => parts.map((part) => JSON.stringify(part)).join(" ");

describe("optimizers change parameters like PyTorch's", () => {
  test.each(
    recorded.optimizers.map((row) => [title(row.name, row.options, row.dtype, row.groups ?? ""), row] as const),
  )("%s", (_, { name, options, dtype, groups, after }) => {
    const { w, b, loss } = problem(dtype);
    const params = groups === undefined ? [w, b] : [w, b].map((t, k) => ({ params: [t], ...groups[k] }));
    const optimizer = make<optim.Optimizer>(name, params, options);
    for (const [step, expected] of after.entries()) {
      optimizer.zeroGrad();
      loss().backward();
      optimizer.step();
      const got = [...(w.detach().flatten().toArray() as number[]), b.item() as number];
      expectClose(got, expected, dtype === "float64" ? 1e-12 : 2e-5, `step ${step + 1}`);
    }
  });
});

/** Rosenbrock's function, from a far point of its valley. */
function rosenbrock(options: optim.LBFGSOptions): { x: Tensor; step: () => number; calls: () => number } {
  const x = tensor([-1.5, 2], { dtype: "float64", requiresGrad: true }) as Tensor;
  const optimizer = new optim.LBFGS([x], options);
  let calls = 0;
  const closure = (): Tensor => {
    calls++;
    optimizer.zeroGrad();
    const [a, b] = [x.select(0, 0) as Tensor, x.select(0, 1) as Tensor];
    const loss = a.neg().add(1).square().add(b.sub(a.square()).square().mul(100)) as Tensor;
    loss.backward();
    return loss;
  };
  return { x, step: () => optimizer.step(closure).item() as number, calls: () => calls };
}

describe("L-BFGS takes the same path as PyTorch's", () => {
  test.each(recorded.lbfgs.map((row) => [title(row.options), row] as const))("%s", (_, { options, after }) => {
    const { x, step, calls } = rosenbrock(options as optim.LBFGSOptions);
    for (const [k, expected] of after.entries()) {
      const loss = step();
      const where = `step ${k + 1}`;
      expectClose([loss], [expected.loss], 1e-6, `${where}, loss`);
      expectClose(x.detach().toArray() as number[], expected.x, 1e-6, `${where}, x`);
      expect(calls(), `${where}, calls of the closure`).toBe(expected.calls);
    }
  });

  test("with a line search it finds the minimum of Rosenbrock's function", () => {
    const { x, step } = rosenbrock({ lineSearch: "strongWolfe", toleranceGrad: 1e-12, toleranceChange: 1e-15 });
    for (let k = 0; k < 5; k++) step();
    // It ends when the loss changes by no more than 1e-15, and the loss is quadratic there.
    expectClose(x.detach().toArray() as number[], [1, 1], Math.sqrt(1e-15), "the end");
  });
});

/** A schedule, and the schedules inside it. */
function attach(optimizer: optim.Optimizer, [name, options]: Part): { step(measure?: number): void } {
  if (name === "LambdaLR") return new optim.LambdaLR(optimizer, (epoch) => 1 / (1 + epoch));
  if (name !== "SequentialLR") return make(name, optimizer, options);
  const schedulers = (options["schedulers"] as Part[]).map((part) => attach(optimizer, part) as optim.LRScheduler);
  return new optim.SequentialLR(optimizer, { schedulers, milestones: options["milestones"] as number[] });
}

describe("schedules have PyTorch's learning rates", () => {
  test.each(recorded.schedules.map((row) => [title(...row.schedulers, row.optimizer), row] as const))(
    "%s",
    (_, { schedulers: parts, optimizer: kind, rates, momenta, measures }) => {
      const groups = [{ params: [zeros([1])] }, { params: [zeros([1])], lr: 0.1 }];
      const optimizer = make<optim.Optimizer>(kind, groups, kind === "SGD" ? { lr: 0.5, momentum: 0.9 } : { lr: 0.5 });
      const schedulers = parts.map((part) => attach(optimizer, part));
      for (const [epoch, expected] of rates.entries()) {
        const where = `epoch ${epoch}`;
        expectClose(
          optimizer.paramGroups.map(({ lr }) => lr),
          expected,
          1e-13,
          where,
        );
        const group = optimizer.paramGroups[0] as unknown as { momentum: number; betas: readonly number[] };
        if (momenta !== undefined)
          expectClose(
            [kind === "SGD" ? group.momentum : (group.betas[0] as number)],
            [momenta[epoch] as number],
            1e-13,
            where,
          );
        for (const scheduler of schedulers) scheduler.step(measures?.[epoch]);
      }
    },
  );
});
