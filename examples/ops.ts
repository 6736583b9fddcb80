/**
 * Ops at work: a line through noisy points by linear algebra, the main direction of a cloud of points, the tones in a signal, and edges in
 * an image by a convolution. Run it: `npx tsx examples/ops.ts`.
 */
import { arange, cat, conv2d, einsum, fft, Generator, linalg, ones, randn, stack, tensor, zeros } from "stridewise";

/** Returns a report of the results. */
export function opsAtWork(): string {
  const generator = new Generator(7);

  // y = 2 x - 1 and noise; the columns of the matrix are x and 1.
  const x = arange(50).div(10);
  const y = x
    .mul(2)
    .sub(1)
    .add(randn([50], { generator }).mul(0.1));
  const line = linalg.lstsq(stack([x, ones([50])], 1), y.unsqueeze(1)).solution.flatten();

  // A cloud that is long in the direction (3, 4) / 5.
  const cloud = randn([500, 2], { generator }).matmul(
    tensor([
      [3, 4],
      [-0.4, 0.3],
    ]),
  );
  const centered = cloud.sub(cloud.mean(0));
  const { S, Vh } = linalg.svd(centered, false);
  const direction = Vh.select(0, 0).abs();

  // Tones of 5 and 12 in a second of 64 samples.
  const time = arange(64).div(64);
  const signal = time
    .mul(2 * Math.PI * 5)
    .sin()
    .add(
      time
        .mul(2 * Math.PI * 12)
        .sin()
        .mul(0.5),
    );
  const tones = fft.rfft(signal).abs().topk(2).indices;

  // A bright square; differences between neighbors in a row are not 0 at its edges.
  const image = zeros([1, 1, 6, 6]);
  image.narrow(2, 2, 2).narrow(3, 2, 2).fill_(1);
  const edges = conv2d(image, tensor([[[[-1, 1]]]]), null, { padding: "same" }).countNonzero();

  const chain = einsum("ij,jk,kl->il", ones([2, 300]), ones([300, 4]), ones([4, 300]));
  return [
    `a line through 50 points: slope ${Number(line.get(0)).toFixed(2)}, height ${Number(line.get(1)).toFixed(2)}`,
    `the cloud is ${Number(S.get(0)) > 5 * Number(S.get(1)) ? "long" : "round"}, its direction about (${Number(direction.get(0)).toFixed(1)}, ${Number(direction.get(1)).toFixed(1)})`,
    `the strongest tones of the signal: ${[tones.toArray()].flat().join(" and ")}`,
    `edges around the square: ${edges.item()}`,
    `a chain of three matrices, multiplied in the cheapest order: ${chain.shape.join(" x ")}, each element ${chain.get(0, 0)}`,
    `two of them joined: ${cat([chain, chain]).shape.join(" x ")}`,
  ].join("\n");
}

if (process.argv[1]?.endsWith("ops.ts")) console.log(opsAtWork());
