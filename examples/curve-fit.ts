/**
 * A damped oscillation fitted to noisy measurements: the five parameters of the curve by L-BFGS, and their standard
 * errors from the Hessian at the minimum. The data are drawn from known parameters, so the answer can be checked: none
 * may be off by more than four standard errors. Run it: `npx tsx examples/curve-fit.ts`. Writes out/curve-fit.svg.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { elementwise, Generator, hessian, linalg, linspace, noGrad, randn, type Tensor, tensor } from "stridewise";
import { lineChart } from "stridewise/draw";
import { LBFGS } from "stridewise/optim";

/** The fitted parameters and their standard errors. */
export interface FitResult {
  readonly text: string;
  readonly svg: string;
  readonly names: readonly string[];
  readonly truth: readonly number[];
  readonly fitted: readonly number[];
  readonly errors: readonly number[];
  readonly evaluations: number;
}

const names = ["amplitude", "decay time", "frequency", "phase", "rest"];
const truth = [2, 3.5, 1.6, 0.4, 0.5];
const start = [1.5, 2, 1.5, 0, 0];
const noise = 0.15;

const oscillation = elementwise("amplitude * exp(-t / decay) * cos(2 * pi * frequency * t + phase) + rest");

/** The curve at times t for the five parameters in p. */
function curve(t: Tensor, p: Tensor): Tensor {
  const [amplitude, decay, frequency, phase, rest] = p.unbind(0) as [Tensor, Tensor, Tensor, Tensor, Tensor];
  return oscillation({ t, amplitude, decay, frequency, phase, rest }) as Tensor;
}

/** Fits the curve to `count` measurements over ten seconds. */
export function curveFit({ count = 200, seed = 5 } = {}): FitResult {
  const vector = (values: readonly number[]): Tensor => tensor([...values], { dtype: "float64" }) as Tensor;
  const t = linspace(0, 10, count, { dtype: "float64" }) as Tensor;
  const generator = new Generator(seed);
  const y = curve(t, vector(truth)).add(randn([count], { dtype: "float64", generator }).mul(noise));
  const squares = (p: Tensor): Tensor => curve(t, p).sub(y).square().sum();

  const p = vector(start).requiresGrad_();
  const optimizer = new LBFGS([p], { lr: 1, maxIter: 100, lineSearch: "strongWolfe", toleranceGrad: 1e-9 });
  let evaluations = 0;
  optimizer.step(() => {
    optimizer.zeroGrad();
    const loss = squares(p);
    loss.backward();
    evaluations++;
    return loss;
  });

  // Near the minimum the sum of squares is S + d^T H d / 2; the covariance of the fitted parameters is 2 s^2 H^-1 with
  // s^2 = S / (n - 5).
  const best = p.detach() as Tensor;
  const remaining = Number(noGrad(() => squares(best)).item());
  const variance = remaining / (count - names.length);
  const spread = linalg.inv(hessian(squares, best)).mul(2 * variance);
  const errors = spread.diagonal().sqrt().toArray() as number[];
  const fitted = best.toArray() as number[];

  fitted.forEach((value, k) => {
    const off = Math.abs(value - (truth[k] as number)) / (errors[k] as number);
    if (!(off < 4)) throw new Error(`${names[k]} is off by ${off.toFixed(1)} standard errors: ${value}`);
  });
  const fine = linspace(0, 10, 400, { dtype: "float64" }) as Tensor;
  const svg = lineChart({
    title: "A damped oscillation, measured and fitted",
    series: {
      measured: { x: t.toArray() as number[], y: y.toArray() as number[], points: true },
      fitted: { x: fine.toArray() as number[], y: noGrad(() => curve(fine, best)).toArray() as number[] },
    },
    xLabel: "time in s",
    yLabel: "displacement",
  });
  const rows = names.map((name, k) => {
    const [value, error, known] = [fitted[k], errors[k], truth[k]] as [number, number, number];
    return `  ${name.padEnd(10)} ${value.toFixed(4).padStart(8)} +- ${error.toFixed(4)}   drawn from ${known}`;
  });
  return {
    svg,
    names,
    truth,
    fitted,
    errors,
    evaluations,
    text: [
      `L-BFGS fits five numbers to ${count} noisy measurements in ${evaluations} evaluations; noise ${Math.sqrt(variance).toFixed(3)}, drawn with ${noise}`,
      ...rows,
    ].join("\n"),
  };
}

if (process.argv[1]?.endsWith("curve-fit.ts")) {
  const { text, svg } = curveFit();
  console.log(text);
  mkdirSync("out", { recursive: true });
  writeFileSync("out/curve-fit.svg", svg);
  console.log("measurements and curve: out/curve-fit.svg");
}
