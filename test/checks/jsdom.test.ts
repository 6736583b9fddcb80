/**
 * @vitest-environment jsdom
 *
 * Tests of users' own, as test runners offer them with jsdom: Node with a window and a document laid over it. Kernels run on WebAssembly.
 */
import { expect, test } from "vitest";
import { large, small } from "../browser/programs/kernels.ts";

test("with a window laid over Node, kernels run on WebAssembly", () => {
  expect(document.nodeType).toBe(9);
  expect(small()).toMatchObject({ backend: "wasm", cast: [1, -2, 300], features: { wasm: true } });
});

test("and large work is right, whoever does it", async () => {
  expect((await large({ threads: 2, seconds: 1 })).right).toBe(true);
});
