/**
 * Pictures of graphs and of their memory: their text is compared with the files in this folder, which can be viewed; boxes never overlap, and
 * edges never cross a box. After an intended change: `npx vitest run test/draw --update=all`, then look at the pictures.
 */
import { describe, expect, test } from "vitest";
import { layOut } from "../../src/draw/graph/layers.ts";
import { drawGraph, drawMemory } from "../../src/draw/index.ts";
import { compile, gelu, layerNorm, ones, type Tensor } from "../../src/index.ts";
import { wellFormed } from "../golden/draw/well-formed.ts";
import { seededRandom } from "../support/files.ts";

/** A residual block, compiled for two sizes. */
function block() {
  const [weight, back] = [ones([16, 32]), ones([32, 16])] as [Tensor, Tensor];
  weight.label = "weight";
  const fn = function block(x: Tensor, scale: Tensor): Readonly<Record<string, Tensor>> {
    const hidden = gelu(layerNorm(x, [16]).matmul(weight)).matmul(back);
    return { y: x.add(hidden).mul(scale) as Tensor, mean: hidden.mean(0) as Tensor };
  };
  const fast = compile(fn);
  for (const n of [4, 4, 6]) fast(ones([n, 16]) as Tensor, ones([16]) as Tensor);
  return fast;
}

const pictures: Readonly<Record<string, () => string>> = {
  "graph-block.svg": () => drawGraph(block()),
  "graph-block-dark.svg": () => drawGraph(block(), { scheme: "dark", background: false }),
  "graph-block.txt": () => drawGraph(block(), { format: "text" }),
  "graph-alone.svg": () => drawGraph(block().graph(), { scheme: "light" }),
  "memory-block.svg": () => drawMemory(block()),
  "memory-block.txt": () => drawMemory(block(), { format: "text" }),
};

test.each(Object.entries(pictures))("%s", async (name, draw) => {
  const text = draw();
  if (name.endsWith("svg")) wellFormed(text);
  await expect(text).toMatchFileSnapshot(name);
});

describe("boxes in layers", () => {
  const random = seededRandom(11);
  const between = (low: number, high: number): number => low + random(high - low + 1);

  test("boxes never overlap, and edges cross none", () => {
    for (let round = 0; round < 200; round++) {
      const count = between(1, 14);
      const boxes = Array.from({ length: count }, () => ({ width: between(120, 320), height: between(20, 120) }));
      const edges = boxes.flatMap((_, to) =>
        boxes.slice(0, to).flatMap((__, from) => (random(1000) < 2000 / count ? [[from, to] as const] : [])),
      );
      const { positions, paths, width, height } = layOut(boxes, edges);
      const rects = boxes.map((box, k) => {
        const [x, y] = positions[k];
        return { left: x, right: x + box.width, top: y, bottom: y + box.height };
      });
      rects.forEach((a, k) => {
        expect(a.left >= -1e-6 && a.right <= width + 1e-6 && a.top >= 0 && a.bottom <= height + 1e-6).toBe(true);
        for (const b of rects.slice(k + 1))
          expect(a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top, `${round}`).toBe(true);
      });
      for (const points of paths)
        for (let k = 0; k + 1 < points.length; k++)
          for (let step = 1; step < 20; step++) {
            const x = points[k][0] + ((points[k + 1][0] - points[k][0]) * step) / 20;
            const y = points[k][1] + ((points[k + 1][1] - points[k][1]) * step) / 20;
            const hit = rects.some(({ left, right, top, bottom }) => x > left && x < right && y > top && y < bottom);
            expect(hit, `round ${round}, at ${x}, ${y}`).toBe(false);
          }
    }
  });

  test("edges go down", () => {
    const { positions } = layOut(
      [1, 2, 3].map(() => ({ width: 100, height: 20 })),
      [
        [0, 1],
        [1, 2],
        [0, 2],
      ],
    );
    expect(positions.map(([, y]) => y)).toEqual([0, 64, 128]);
  });
});

test("errors", () => {
  expect(() => drawGraph((() => 1) as never)).toThrowErrorMatchingInlineSnapshot(
    `[GraphError: drawGraph: needs a graph or a compiled function, got function. Compile it: compile(fn)]`,
  );
  expect(() => drawMemory(compile((x: Tensor) => x))).toThrowErrorMatchingInlineSnapshot(
    `[GraphError: drawMemory: the function has no program yet. Call it twice: the first call is eager]`,
  );
  expect(() => drawGraph(block(), { svg: true } as never)).toThrowErrorMatchingInlineSnapshot(
    `[StridewiseError: drawGraph: there is no option svg. The options are format, scheme, background.]`,
  );
});
