/** Errors of functions that cannot be traced: what they say, and the line that they name. */
import { describe, expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import { GraphError } from "../../src/graph/ir.ts";
import { lineOutside } from "../../src/graph/trace/read-error.ts";
import * as sw from "../../src/index.ts";
import { LBFGS } from "../../src/optim/index.ts";

type Tensor = sw.Tensor;

describe("the line of a read", () => {
  const frames = (library: string): string =>
    [
      "StorageError: storage: not known",
      `    at Storage.#makeReadable (${library}:377:13)`,
      `    at item (${library}:1514:30)`,
      "    at Array.map (<anonymous>)",
      "    at node:internal/modules/run:5:1",
      "    at step (file:///users/ada/graph/app/train.js:12:7)",
      "    at file:///users/ada/graph/app/main.js:3:1",
    ].join("\n");

  test.each([
    ["file:///users/ada/graph/lib/src/graph/trace/read-error.ts", "/users/ada/graph/lib/src/storage/storage.ts"],
    [
      "file:///users/ada/graph/lib/src/graph/trace/read-error.ts?v=1",
      "http://localhost/users/ada/graph/lib/src/storage.ts",
    ],
    [
      "file:///users/ada/graph/app/node_modules/lib/dist/shared-a.js",
      "file:///users/ada/graph/app/node_modules/lib/dist/shared-b.js",
    ],
    ["http://localhost/lib/dist/index.js", "http://localhost/lib/dist/nn.js"],
  ])("is outside of %s", (url, file) => {
    expect(lineOutside(frames(file), url)).toBe(" (at step (file:///users/ada/graph/app/train.js:12:7))");
  });

  test("is missing if all is one file", () => {
    expect(
      lineOutside(
        "Error\n    at item (https://a.b/app.js:1:200)\n    at step (https://a.b/app.js:1:90)",
        "https://a.b/app.js",
      ),
    ).toBe("");
  });

  test("is that of the caller, many calls up", () => {
    const fast = compile((x: Tensor) => sw.vmap((t: Tensor) => sw.nanargmax(t.exp() as Tensor, 1) as Tensor)(x));
    const x = sw.ones([2, 3, 4]) as Tensor;
    fast(x);
    expect(() => fast(x)).toThrow(/use where, cond or whileLoop \(at .*trace-errors\.test\.ts:\d+:\d+\)?\)$/);
  });
});

test.each([
  ["nonzero", (x: Tensor) => sw.nonzero(x)],
  ["unique", (x: Tensor) => sw.unique(x)],
  ["maskedSelect", (x: Tensor) => sw.maskedSelect(x, x.gt(0) as Tensor)],
])("%s depends on elements", (name, fn) => {
  const fast = compile(fn as (x: Tensor) => unknown);
  const x = sw.ones([3]) as Tensor;
  fast(x);
  expect(() => fast(x)).toThrow(GraphError);
  expect(() => fast(x)).toThrow(
    `compile: ${name}: the shape depends on the elements, which are not known before the compiled function runs. Use where(mask, x, other), which keeps the shape, or call it outside of the compiled function (at `,
  );
});

test("ops with an option for the size name it", () => {
  const fast = compile((x: Tensor) => sw.oneHot(x));
  const x = sw.arange(3).to("int64") as Tensor;
  fast(x);
  expect(() => fast(x)).toThrow(
    /^compile: oneHot: the number of classes depends on values, which are not known.*Pass numClasses/,
  );
});

test("a function that returns a promise", async () => {
  const fast = compile(async (x: Tensor) => x.mul(2));
  await fast(sw.ones([2]) as Tensor);
  expect(() => fast(sw.ones([2]) as Tensor)).toThrow(
    "compile: the function returned a promise, but a function is traced in one call. Await before",
  );
});

test("LBFGS", () => {
  const w = (sw.ones([2]) as Tensor).requiresGrad_(true) as Tensor;
  const optimizer = new LBFGS([w] as never);
  const fast = compile(() => {
    optimizer.step(() => {
      optimizer.zeroGrad();
      const loss = w.square().sum() as Tensor;
      loss.backward();
      return loss;
    });
  });
  fast();
  expect(() => fast()).toThrow(/^compile: LBFGS.step reads the loss to choose its steps, so it cannot be compiled/);
});

test("gradients of random ops in control flow", () => {
  const functions: Record<string, (x: Tensor) => Tensor> = {
    cond: (x) =>
      sw.cond(
        x.sum().gt(-99) as Tensor,
        () => sw.dropout(x, 0.5) as Tensor,
        () => x.neg() as Tensor,
      ),
    scan: (x) =>
      sw.scan(
        (c: Tensor, row: Tensor) => [sw.dropout(c.add(row), 0.5) as Tensor, c] as const,
        x,
        sw.ones([3, 8]) as Tensor,
      )[0],
  };
  for (const [name, fn] of Object.entries(functions)) {
    // The backward pass is not traced, so the function runs as it is.
    const fast = compile(fn);
    const step = compile((x: Tensor) => {
      const leaf = x.detach().requiresGrad_(true) as Tensor;
      fn(leaf).sum().backward();
      return (leaf.grad as Tensor).clone();
    });
    for (let k = 0; k < 3; k++) {
      const gradients = [fn, fast].map((each) => {
        sw.manualSeed(k);
        const x = (sw.rand([8]) as Tensor).requiresGrad_(true) as Tensor;
        each(x).sum().backward();
        return (x.grad as Tensor).toArray();
      });
      expect(gradients[1], name).toEqual(gradients[0]);
    }
    step(sw.ones([8]) as Tensor);
    expect(() => step(sw.ones([8]) as Tensor)).toThrow(
      `backward: the gradient of ${name} computes its function again, but rand`,
    );
  }
});

test("a captured tensor that was disposed before it is traced", () => {
  const w = sw.ones([3]) as Tensor;
  const fast = compile((x: Tensor) => x.matmul(w));
  const x = sw.ones([3]) as Tensor;
  fast(x);
  w.dispose();
  expect(() => fast(x)).toThrow(sw.DisposedError);
  expect(() => fast(x)).toThrow(/^compile: tensor \(float32 \[3\]\) was disposed/);
});
