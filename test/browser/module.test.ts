/** A standalone module in a page: the files alone, without the library, with the same bits as in Node. */
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compile, dim, gelu, layerNorm, ones, type Tensor, tensor } from "../../src/index.ts";
import { toModule } from "../../src/module/index.ts";
import { isolation } from "../support/chromium.ts";
import { projectRoot } from "../support/command.ts";
import { openPageServer, type PageServer } from "../support/pages.ts";

let server: PageServer;
beforeAll(async () => {
  server = await openPageServer();
}, 60_000);
afterAll(() => server?.close());

/** Values without a pattern. */
const values = (count: number): number[] => Array.from({ length: count }, (_, k) => Math.sin(k * 12.9898) * 2);

test("a module runs in a page", { timeout: 60_000 }, async () => {
  const weight = tensor(values(8 * 4)).reshape(8, 4) as Tensor;
  const block = compile((x: Tensor) => gelu(layerNorm(x, [8]).matmul(weight)), {
    inputs: [[dim("n", { max: 40 }), 8]],
  });
  for (let k = 0; k < 2; k++) block(ones([3, 8]) as Tensor);
  const folder = `${projectRoot}out/browser-module/`;
  mkdirSync(folder, { recursive: true });
  const { files } = toModule(block, { name: "block" });
  for (const [name, content] of Object.entries(files)) writeFileSync(folder + name, content);
  const program = `import { load } from "./block.js";
let model;
export const run = async (values, n) => [...(await (model ??= load())).run([Float32Array.from(values)], { n })];`;
  writeFileSync(`${folder}program.js`, program);
  for (const headers of [
    {},
    { ...isolation, "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'" },
  ]) {
    const { page, messages, errors } = await server.open(folder, headers);
    for (const n of [3, 40]) {
      const x = values(n * 8);
      const found = await page.evaluate(`program.run(${JSON.stringify(x)}, ${n})`);
      expect(found).toEqual([...(block(tensor(x).reshape(n, 8) as Tensor) as Tensor).toTypedArray()]);
    }
    expect({ messages, errors }).toEqual({ messages: [], errors: [] });
  }
});
