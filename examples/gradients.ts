/**
 * Gradients at work: a small network learns the sine by gradient descent with momentum, and differentiating twice finds
 * the curvature of a valley. Run it: `npx tsx examples/gradients.ts`.
 */
import { Generator, hessian, linspace, noGrad, randn, type Tensor, tensor } from "stridewise";

/** Returns a report of the training and of the curvature. */
export function gradientsAtWork(): string {
  const generator = new Generator(3);
  const x = linspace(-3, 3, 64).unsqueeze(1);
  const y = x.sin();
  const parameters: Tensor[] = [
    randn([1, 24], { generator, requiresGrad: true }),
    randn([24], { generator, requiresGrad: true }),
    randn([24, 1], { generator }).mul(0.3).requiresGrad_(),
    randn([1], { generator, requiresGrad: true }),
  ];
  const [w1, b1, w2, b2] = parameters as [Tensor, Tensor, Tensor, Tensor];
  const loss = (): Tensor => x.matmul(w1).add(b1).tanh().matmul(w2).add(b2).sub(y).square().mean();
  const speeds = parameters.map((p) => p.detach().mul(0));

  const first = Number(loss().item());
  for (let step = 0; step < 400; step++) {
    loss().backward();
    noGrad(() => {
      parameters.forEach((p, k) => {
        const speed = speeds[k] as Tensor;
        speed.mul_(0.9).sub_((p.grad as Tensor).mul(0.02));
        p.add_(speed);
        p.zeroGrad();
      });
    });
  }
  const last = Number(noGrad(loss).item());

  // Rosenbrock's valley, (1 - x)^2 + 100 (y - x^2)^2, at its minimum.
  const valley = (p: Tensor): Tensor => {
    const [u, v] = [p.select(0, 0), p.select(0, 1)];
    return u.sub(1).square().add(v.sub(u.square()).square().mul(100));
  };
  const bend = hessian(valley, tensor([1, 1], { dtype: "float64" }) as Tensor);

  if (!(last < first / 100)) throw new Error(`the network learned nothing: ${first} became ${last}`);
  return [
    `a network of 24 neurons learns the sine: the mean square error falls from ${first.toFixed(2)} to below ${last < 0.001 ? "0.001" : last.toFixed(3)}`,
    `the curvature of Rosenbrock's valley where it is lowest: ${JSON.stringify(bend.toArray())}`,
  ].join("\n");
}

if (process.argv[1]?.endsWith("gradients.ts")) console.log(gradientsAtWork());
