/**
 * Training in a page: a network learns, its weights are saved and loaded as the bytes of a file, and a callback
 * receives progress.
 */
import { crossEntropy, hessian, jvp, manualSeed, noGrad, randn, scope, type Tensor, tensor, vmap } from "stridewise";
import { DataLoader, progress } from "stridewise/data";
import { encodeSafetensors, parseSafetensors } from "stridewise/io";
import { BatchNorm1d, Linear, ReLU, Sequential } from "stridewise/nn";
import { AdamW } from "stridewise/optim";
import { expect, test } from "vitest";

const network = () => new Sequential(new Linear(2, 32), new BatchNorm1d(32), new ReLU(), new Linear(32, 2));

test("a network learns which points lie in a circle, and another one knows it by the file", () => {
  manualSeed(3);
  const points = randn([512, 2]);
  const labels = points.square().sum(1).gt(1.4).to("int64");
  const net = network();
  const optimizer = new AdamW(net.parameters(), { lr: 0.02 });
  const loader = new DataLoader([points, labels], { batchSize: 64, shuffle: true, seed: 1 });
  const seen: number[] = [];
  const epochs = progress(Array.from({ length: 15 }), { onProgress: ({ done }) => seen.push(done) });
  for (const _ of epochs)
    for (const [input, label] of loader)
      scope(() => {
        optimizer.zeroGrad();
        crossEntropy(net.forward(input), label).backward();
        optimizer.step();
      });
  expect(seen.at(-1)).toBe(15);
  const right = (model: typeof net): number =>
    noGrad(() => Number(model.eval().forward(points).argmax(1).eq(labels).to("float32").mean().item()));
  expect(right(net)).toBeGreaterThan(0.95);
  const again = network();
  again.loadStateDict(parseSafetensors(encodeSafetensors(net.stateDict())).tensors);
  expect(right(again)).toBe(right(net));
});

test("derivatives of all kinds", () => {
  const energy = (x: Tensor): Tensor => x.pow(4).sum();
  expect(hessian(energy, tensor([1, 2])).toArray()).toEqual([
    [12, 0],
    [0, 48],
  ]);
  expect(jvp(energy, tensor([1, 2]), tensor([1, 0])).tangent.item()).toBe(4);
  expect(vmap(energy)(tensor([[1], [2]])).toArray()).toEqual([1, 16]);
});
