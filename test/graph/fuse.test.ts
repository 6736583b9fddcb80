/** Fusion: the tasks of typical chains, and that their results have the bits of eager calls. */
import { describe, expect, test } from "vitest";
import { lowerContract } from "../../src/graph/fuse/fuse-contract.ts";
import * as sw from "../../src/index.ts";
import { call } from "../../src/kernel/ir/scalar.ts";
import { MapKernel } from "../../src/kernel/map/map.ts";
import { ProgramBuilder } from "../../src/kernel/program/builder.ts";
import { Conv2d, Linear } from "../../src/nn/index.ts";
import { operandOf } from "../../src/tensor/operand.ts";
import { haveSameElements } from "../support/same-elements.ts";

type Tensor = sw.Tensor;
type Fn = (...args: Tensor[]) => unknown;

const randn = (...shape: number[]): Tensor => sw.randn(shape) as Tensor;

const listOf = (results: unknown): Tensor[] => (Array.isArray(results) ? results : [results]) as Tensor[];

/** Expects that tensors have the same dtypes, shapes and elements. */
function expectSame(results: unknown, wanted: unknown, where: string): void {
  const [got, want] = [listOf(results), listOf(wanted)];
  const describeAll = (list: Tensor[]): unknown => list.map((t) => [t.dtype, t.shape]);
  expect(describeAll(got), where).toEqual(describeAll(want));
  got.forEach((t, k) => {
    expect(haveSameElements(t, want[k]), `${where}, result ${k}`).toBe(true);
  });
}

/** Compares a compiled function with the eager one, bit for bit, and returns the names of its tasks. */
function tasksOf(fn: Fn, ...args: Tensor[]): string[] {
  const fast = sw.compile(fn);
  for (let k = 0; k < 3; k++) {
    const copies = args.map((t) => t.clone() as Tensor);
    // What a call leaves is freed, because heaps overflow in long synchronous tests, and such tensors are not compiled for.
    sw.scope(() => {
      expectSame(fast(...args), fn(...copies), `${fn}, call ${k}`);
      expectSame(args, copies, `arguments of ${fn}, call ${k}`);
    });
    for (const t of copies) t.dispose();
  }
  const lines = fast.explain().split("\n");
  const from = lines.findIndex((line) => line.startsWith("for ("));
  const to = lines.findIndex((line) => line.startsWith("calls that"));
  return lines.slice(from + 2, to).map((line) => line.trim().replace(/: [\d,]+ bytes$/, ""));
}

describe("epilogues of products", () => {
  const [w, b] = [randn(48, 40), randn(40)];

  test("bias, activation, scale and residual are computed where the product is", () => {
    expect(tasksOf((x) => x.matmul(w).add(b), randn(32, 48))).toEqual(["product and f32_add"]);
    expect(tasksOf((x) => sw.relu(x.matmul(w).add(b)), randn(32, 48))).toEqual(["product and f32_add_relu"]);
    expect(tasksOf((x) => sw.gelu(x.matmul(w).add(b)), randn(2, 32, 48))).toHaveLength(1);
    expect(tasksOf((x, y) => x.matmul(w).mul(0.125).add(y), randn(32, 48), randn(32, 40))).toHaveLength(1);
    expect(tasksOf((x, y) => x.matmul(w).add(y), randn(3, 5, 48), randn(5, 40))).toHaveLength(1);
    const layer = new Linear(48, 40);
    expect(tasksOf((x) => sw.silu(layer.forward(x)).detach(), randn(32, 48))).toHaveLength(1);
    const conv = new Conv2d(24, 20, 1);
    expect(tasksOf((x) => sw.relu(conv.forward(x) as Tensor).detach(), randn(2, 24, 6, 6))).toHaveLength(1);
  });

  test("in strips of large products, and over several blocks of k", () => {
    for (const [m, k, n] of [
      [600, 300, 600],
      [700, 1100, 520],
      [257, 33, 2100],
      [1031, 64, 130],
    ]) {
      const [weight, bias] = [randn(k, n), randn(n)];
      expect(
        tasksOf((x) => sw.relu(x.matmul(weight).add(bias)), randn(m, k)),
        `${m} x ${k} x ${n}`,
      ).toHaveLength(1);
    }
    const [weight, narrow, position] = [randn(64, 300), randn(64, 200), randn(200, 300)];
    // Strips that do not end with a sequence.
    expect(tasksOf((x) => x.matmul(weight).add(position), randn(5, 200, 64))).toHaveLength(1);
    expect(tasksOf((x) => x.matmul(narrow).add(position.T), randn(300, 64))).toHaveLength(1);
  }, 60_000);

  test("a block of rows is finished after its last block of k, before the next one is computed", () => {
    const [m, k, n] = [600, 1000, 600];
    const [out, a, b] = [randn(m, n), randn(m, k), randn(k, n)].map((t) => operandOf(t, "test"));
    const work = (after: "map" | null) => {
      const builder = new ProgramBuilder();
      builder.mayUseSteps = false;
      const operands = { outputs: [out], inputs: [a, b], scalars: [] };
      const kernel = new MapKernel({
        name: "f32_neg",
        outputs: ["float32"],
        inputs: ["float32"],
        scalars: [],
        body: ([x]) => [call("neg", x)],
      });
      const map = { kind: "map", kernel, idempotent: false, operands: { ...operands, inputs: [out] } } as const;
      lowerContract(builder, { kind: "contract", operands, after: after === null ? null : map });
      return builder.finish().steps.map((step) => (step.kind === "launch" ? step.slots.length : 0));
    };
    // Packing of b and of a have two buffers, products have three, maps two.
    expect(work(null)).toEqual([2, 2, 3, 2, 2, 3]);
    expect(work("map")).toEqual([2, 2, 3, 2, 3, 2, 3, 2, 2, 3, 2, 2, 3, 2, 2, 3, 2]);
  });

  test("small products and those of few rows", () => {
    for (const [m, k, n] of [
      [1, 48, 40],
      [3, 600, 5],
      [17, 5, 2],
      [1, 1, 1],
      [0, 3, 2],
      [4, 0, 3],
    ]) {
      const [weight, bias] = [randn(k, n), randn(n)];
      tasksOf((x) => sw.relu(x.matmul(weight).add(bias)), randn(m, k));
    }
  });

  test("a map over a product is computed once for all of its users", () => {
    const gain = randn(40);
    const fn: Fn = (x, y) => {
      const sum = x.matmul(w).add(b).add(y) as Tensor;
      return sum.add((sw.layerNorm(sum, [40], gain) as Tensor).matmul(w.T).matmul(w));
    };
    expect(tasksOf(fn, randn(32, 48), randn(32, 40))).toEqual([
      "product and f32_add_add",
      "f32_standardize_factor",
      "product",
      "product and f32_add",
    ]);
  });

  test("a product that is used twice, or returned, is not changed", () => {
    expect(tasksOf((x) => [x.matmul(w), x.matmul(w).add(b)], randn(32, 48))).toHaveLength(2);
    tasksOf(
      (x) => {
        const y = x.matmul(w) as Tensor;
        return [y.add(b).relu(), y.T];
      },
      randn(32, 48),
    );
    // A map over a product that changes its own addend in place.
    tasksOf((x, y) => y.add_(x.matmul(w)), randn(32, 48), randn(32, 40));
    tasksOf((x) => x.add_(x.matmul(x).add(1)), randn(20, 20));
    tasksOf((x) => x.copy_(x.matmul(x)), randn(20, 20));
    tasksOf((x) => x.matmul(x.T).add(x.matmul(x.T).T), randn(20, 20));
    tasksOf((x) => x.matmul(w).expand([3, 32, 40]).add(1), randn(32, 48));
    tasksOf((x) => x.matmul(w).slice(0, 4, 20).add(1), randn(32, 48));
    tasksOf((x) => x.matmul(w).flip(0).add(1), randn(32, 48));
  });

  test("other dtypes", () => {
    for (const dtype of ["float64", "float16", "bfloat16", "int32", "complex64"] as const) {
      const [weight, bias] = [randn(48, 40).mul(3).to(dtype), randn(40).mul(3).to(dtype)] as Tensor[];
      const x = randn(33, 48).mul(3).to(dtype) as Tensor;
      expect(
        tasksOf((t) => t.matmul(weight).add(bias), x),
        dtype,
      ).toHaveLength(1);
      expect(
        tasksOf((t) => t.matmul(weight).mT.contiguous(), x),
        dtype,
      ).toHaveLength(1);
    }
    expect(tasksOf((x) => x.matmul(w).to("float16"), randn(32, 48))).toEqual(["product and f16_from_f32"]);
    expect(tasksOf((x) => x.matmul(w).add(b).relu().to("float64"), randn(32, 48))).toHaveLength(1);
    expect(tasksOf((x) => x.matmul(w).gt(b), randn(2, 32, 48))).toHaveLength(1);
    const large = randn(300, 600);
    expect(tasksOf((x) => x.matmul(large).add(1).to("float16"), randn(1100, 300))).toHaveLength(1);
  });
});

describe("epilogues of convolutions", () => {
  /** Batch, channels, outputs, image, kernel, options: one case for each way in which a convolution is computed. */
  const cases: [string, number[], number[], sw.ConvOptions?][] = [
    ["columns in pieces of rows", [2, 30, 90, 101], [7, 30, 3, 3], { stride: 2 }],
    ["columns in pieces of groups", [1, 96, 60, 62], [24, 24, 5, 5], { groups: 4, padding: 2 }],
    ["tiles", [2, 17, 40, 42], [18, 17, 3, 3], { padding: 1 }],
    ["tiles that are cropped", [1, 32, 41, 43], [32, 32, 3, 3], { padding: 1 }],
    ["tiles of many small images", [20, 16, 9, 9], [16, 16, 3, 3], { padding: 1 }],
    ["many small images", [40, 8, 14, 12], [6, 4, 3, 2], { groups: 2 }],
    ["channels that do not mix", [2, 64, 60, 60], [64, 1, 3, 3], { groups: 64, padding: 1 }],
    ["channels that do not mix, without padding", [2, 6, 20, 20], [12, 1, 5, 5], { groups: 6 }],
    ["single elements", [3, 40, 30, 31], [24, 40, 1, 1]],
    ["signals", [3, 20, 5000], [30, 20, 9], { dilation: 2 }],
    ["volumes", [2, 8, 20, 21, 22], [9, 8, 3, 3, 3]],
  ];
  const convolve = { 3: sw.conv1d, 4: sw.conv2d, 5: sw.conv3d } as unknown as Record<
    number,
    (...args: unknown[]) => Tensor
  >;

  test.each(cases)(
    "%s",
    (_name, sizes, filters, options) => {
      const [x, weight, bias] = [randn(...sizes), randn(...filters), randn(filters[0])];
      const conv = (t: Tensor): Tensor => convolve[sizes.length](t, weight, bias, options);
      const residual = randn(...conv(x).shape);
      const names = tasksOf((t) => sw.relu(conv(t)), x);
      expect(
        names.filter((name) => name.startsWith("f32_") && name.includes("relu")),
        `${names}`,
      ).toEqual([]);
      expect(names.at(-1)).toMatch(/(convolution|product) and f32_add_relu$/);
      expect(tasksOf((t, y) => conv(t).mul(0.5).add(y).tanh(), x, residual).length, "a residual").toBe(names.length);
      expect(tasksOf((t, y) => conv(t).gt(y), x, residual).length, "a different dtype").toBe(names.length);
      // In place of the residual, of the input, and results that the function returns.
      tasksOf((t, y) => y.add_(conv(t).relu()), x, residual);
      tasksOf((t) => [conv(t).relu(), conv(t)], x);
      tasksOf((t) => t.add_(conv(t).relu().sum()), x);
      tasksOf((t, y) => conv(t).add(y.transpose(0, 1).contiguous().transpose(0, 1)), x, residual);
      tasksOf((t) => conv(t).transpose(1, 2).add(1), x);
    },
    60_000,
  );

  test("transposed convolutions", () => {
    for (const [sizes, filters, options] of [
      [[20, 24, 40, 40], [24, 20, 3, 3], { stride: 2, padding: 1 }],
      [[20, 24, 40, 40], [24, 20, 3, 3], { stride: 2 }],
      [[2, 20, 40, 40], [20, 20, 3, 3], { padding: 1 }],
    ] as const) {
      const [x, weight, bias] = [randn(...sizes), randn(...filters), randn(filters[1])];
      const names = tasksOf((t) => sw.relu(sw.convTranspose2d(t, weight, bias, options)), x);
      expect(names.at(-1)).toMatch(/Transposed and f32_add_relu$/);
    }
  });

  test("other dtypes", () => {
    for (const dtype of ["float64", "float16", "bfloat16", "int32", "complex64"] as const) {
      const of = (...sizes: number[]): Tensor =>
        randn(...sizes)
          .mul(3)
          .to(dtype) as Tensor;
      const [x, weight, bias] = [of(2, 20, 60, 61), of(7, 20, 3, 3), of(7)];
      tasksOf((t) => sw.conv2d(t, weight, bias, { stride: 2 }).mul(2), x);
      tasksOf((t) => sw.conv2d(t, weight, bias).sum(), x);
    }
  });
});

describe("layouts", () => {
  test("the heads of attention are not copied", () => {
    const [batch, length, width, heads] = [2, 24, 80, 4];
    const [q, k, v, o] = [0, 1, 2, 3].map(() => randn(width, width));
    const split = (t: Tensor): Tensor => t.reshape(batch, length, heads, width / heads).transpose(1, 2) as Tensor;
    const attention = (x: Tensor): Tensor => {
      const [qs, ks, vs] = [q, k, v].map((w) => split(x.matmul(w) as Tensor));
      const p = sw.softmax(qs.mul(0.2).matmul(ks.mT), -1) as Tensor;
      return p.matmul(vs).transpose(1, 2).reshape(batch, length, width).matmul(o).add(x) as Tensor;
    };
    expect(tasksOf(attention as Fn, randn(batch, length, width))).toEqual([
      "product",
      "product",
      "product and f32_mul",
      "product",
      "f32_softmax",
      "product",
      "product and f32_add",
    ]);
  });

  test("a copy of a factor is not made, and results are computed in their part of a list", () => {
    const [a, b] = [randn(40, 30), randn(50, 30)];
    expect(tasksOf((x) => x.matmul(a.T.contiguous()), randn(30, 30))).toEqual(["product"]);
    expect(tasksOf((x) => sw.cat([x.matmul(a.T), x.matmul(b.T)], 1), randn(30, 30))).toEqual(["product", "product"]);
    expect(tasksOf((x) => sw.cat([x.sum(1), x.amax(1)]), randn(30, 30))).toHaveLength(2);
    expect(tasksOf((x) => sw.stack([x.mul(2), x.relu(), sw.softmax(x, 1)]), randn(30, 30))).toHaveLength(3);
  });

  test("bits of products do not depend on strides where fusion relies on that", () => {
    for (const [m, k, n] of [
      [17, 512, 17],
      [40, 300, 130],
      [200, 200, 200],
      [18, 33, 1000],
    ])
      for (const dtype of ["float32", "float64", "float16", "int32"] as const) {
        const [x, y] = [randn(m, k).mul(2).to(dtype), randn(k, n).mul(2).to(dtype)] as Tensor[];
        const wanted = x.matmul(y).toArray();
        const turned = (t: Tensor): Tensor => (t.T.contiguous() as Tensor).T as Tensor;
        for (const [left, right] of [
          [turned(x), y],
          [x, turned(y)],
          [turned(x), turned(y)],
        ]) {
          expect(left.matmul(right as never).toArray()).toEqual(wanted);
          const out = sw.zeros([n, m], { dtype }).T as Tensor;
          sw.matmul(left, right as never, { out });
          expect(out.toArray()).toEqual(wanted);
        }
      }
  });
});

describe("siblings", () => {
  test("maps over the same elements are one kernel", () => {
    expect(tasksOf((x, y) => [x.add(y).tanh(), x.mul(y), x.sub(y).exp()], randn(20, 30), randn(20, 30))).toEqual([
      "f32_add_tanh_mul_sub_exp",
    ]);
    // Without a common input, with different sizes, or with one that needs the other.
    expect(tasksOf((x, y) => [x.exp(), y.exp()], randn(20, 30), randn(20, 30))).toHaveLength(2);
    expect(tasksOf((x) => [x.exp(), x.slice(0, 1, 9).exp()], randn(20, 30))).toHaveLength(2);
    expect(tasksOf((x) => [x.exp(), x.gt(0)], randn(20, 30))).toHaveLength(2);
    const chain: Fn = (x) => {
      const y = x.exp() as Tensor;
      return [y, x.mul(y.flip(0))];
    };
    tasksOf(chain, randn(20, 30));
  });

  test("with writes in place between them", () => {
    tasksOf(
      (x, y) => {
        const a = x.add(y) as Tensor;
        x.mul_(2);
        const b = x.sub(y) as Tensor;
        y.add_(x);
        return [a, b, y.mul(x)];
      },
      randn(20, 30),
      randn(20, 30),
    );
    tasksOf(
      (x, y) => {
        const before = x.mul(y) as Tensor;
        x.copy_(x.add(y).flip(0) as Tensor);
        return [before, x.mul(3)];
      },
      randn(20, 30),
      randn(20, 30),
    );
  });

  test("and both may follow a product", () => {
    const [w, b] = [randn(48, 40), randn(40)];
    const fn: Fn = (x) => {
      const y = x.matmul(w).add(b) as Tensor;
      return [y.tanh(), y.square().mul(y)];
    };
    expect(tasksOf(fn, randn(32, 48))).toHaveLength(1);
    expect(tasksOf(fn, randn(700, 48))).toHaveLength(1);
  });
});

describe("row kernels in the memory of their input", () => {
  const bytesOf = (fn: Fn, ...args: Tensor[]): number => {
    const fast = sw.compile(fn);
    for (let k = 0; k < 2; k++) fast(...args);
    return Number(/([\d,]+) bytes of workspace/.exec(fast.explain())?.[1].replaceAll(",", ""));
  };

  test("softmax and normalizations of values that die", () => {
    const w = randn(40, 40);
    for (const shape of [
      [64, 40],
      [3, 7, 40],
      [2000, 40],
    ])
      for (const fn of [
        (x: Tensor) => sw.softmax(x.matmul(w), -1).matmul(w),
        (x: Tensor) => sw.softmax(x.matmul(w), 0).matmul(w),
        (x: Tensor) => sw.logSoftmax(x.matmul(w), -1).matmul(w),
        (x: Tensor) => sw.layerNorm(x.matmul(w), [40]).matmul(w),
        (x: Tensor) => sw.rmsNorm(x.matmul(w), [40]).matmul(w),
        (x: Tensor) => sw.gelu(sw.softmax(x.matmul(w), -1)).matmul(w),
        (x: Tensor) => {
          const y = x.matmul(w) as Tensor;
          return sw.softmax(y, -1).mul(y).matmul(w);
        },
        (x: Tensor) => sw.softmax(x.matmul(w).mT, -1).matmul(x),
      ] as Fn[])
        tasksOf(fn, randn(...shape));
    expect(bytesOf((x) => sw.softmax(x.matmul(w), -1).matmul(w), randn(64, 40))).toBe(64 * 40 * 4);
    expect(bytesOf((x) => sw.layerNorm(x.matmul(w), [40]).matmul(w), randn(64, 40))).toBe(64 * 40 * 4);
  });

  test("of half precision, whose terms are not kept", () => {
    const w = randn(40, 40).to("bfloat16") as Tensor;
    tasksOf((x) => sw.softmax(x.matmul(w), -1).matmul(w), randn(50, 40).to("bfloat16") as Tensor);
  });
});

describe("writes in place", () => {
  test("that follow each other are one kernel", () => {
    expect(tasksOf((x) => x.add_(1).mul_(2).neg_(), randn(20, 30))).toHaveLength(1);
    expect(tasksOf((x, y) => x.mul_(0.9).add_(y), randn(20, 30), randn(30))).toHaveLength(1);
    expect(
      tasksOf(
        (x) => {
          const y = x.exp() as Tensor;
          y.add_(1).tanh_();
          return y;
        },
        randn(20, 30),
      ),
    ).toHaveLength(1);
    expect(tasksOf((x) => x.clone().mul_(2).add_(x), randn(20, 30))).toHaveLength(1);
  });

  test("and reads between them", () => {
    tasksOf(
      (x) => {
        const before = x.add_(1).sum() as Tensor;
        return [before, x.mul_(2).exp()];
      },
      randn(20, 30),
    );
    tasksOf((x) => x.mul_(x.mT.clone() as Tensor).add_(x.mT.clone() as Tensor), randn(20, 20));
    tasksOf(
      (x) => {
        x.add_(1);
        x.at(0).mul_(3);
        x.mul_(2);
        return x.sub(1);
      },
      randn(20, 30),
    );
    tasksOf(
      (x, y) => {
        x.add_(y);
        y.add_(x);
        return x.mul_(y);
      },
      randn(20, 30),
      randn(20, 30),
    );
  });
});
