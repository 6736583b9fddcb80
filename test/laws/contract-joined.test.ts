/** Products by the tiles for engines that join vectors in pairs, on any engine. */
import { expect, test } from "vitest";
import { matmul, rand, type Tensor } from "../../src/index.ts";
import { kernelBackend, notifyBackendChange } from "../../src/kernel/backend.ts";

test.for([100, 256, 300])("a product of %i rows and columns is that of float64", (n) => {
  const x = rand([n, n]) as Tensor;
  const y = rand([n, n]) as Tensor;
  const backend = kernelBackend();
  Object.defineProperty(backend, "joinsVectors", { value: true, configurable: true });
  notifyBackendChange();
  const product = matmul(x, y);
  Object.defineProperty(backend, "joinsVectors", { value: false, configurable: true });
  notifyBackendChange();
  const exact = matmul(x.to("float64"), y.to("float64"));
  expect(product.to("float64").sub(exact).abs().amax().item()).toBeLessThan(n * 2 ** -20);
});
