/**
 * A double pendulum from its Lagrangian alone. Nobody derives the equations of motion: L(q, v) is one formula, and Euler and Lagrange say
 *   (d2L/dv2) a = dL/dq - d(dL/dv)/dq v,
 * where the matrix is a Hessian, the last term a product of a Jacobian with v in forward mode, and dL/dq a gradient.
 * Checked: the energy is conserved, and the small swings have the two frequencies that textbooks give.
 * Run it: `npx tsx examples/pendulum.ts`. Writes out/pendulum.svg.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { elementwise, gradOf, hessian, jvp, linalg, scope, type Tensor, tensor } from "stridewise";
import { lineChart } from "stridewise/draw";

/** The results of the simulation. */
export interface PendulumResult {
  readonly text: string;
  readonly svg: string;
  /** The largest change of the energy, relative to the energy of the swing above rest. */
  readonly drift: number;
  /** Squares of the angular frequencies of small swings, in units of g / length. */
  readonly frequencies: readonly number[];
}

const gravity = 9.81;

// Two equal masses of 1 kg on rods of 1 m: kinetic less potential energy.
const lagrangian = elementwise("va * va + 0.5 * vb * vb + va * vb * cos(a - b) + g * (2 * cos(a) + cos(b))");

function L(q: Tensor, v: Tensor): Tensor {
  const [a, b, va, vb] = [q.select(0, 0), q.select(0, 1), v.select(0, 0), v.select(0, 1)];
  return lagrangian({ a, b, va, vb, g: gravity }) as Tensor;
}

/** dL/dv, the momenta. */
const momenta = (q: Tensor, v: Tensor): Tensor => gradOf((u) => L(q, u))(v);

function acceleration(q: Tensor, v: Tensor): Tensor {
  const mass = hessian((u) => L(q, u), v);
  const force = gradOf((p) => L(p, v))(q);
  const turning = jvp((p) => momenta(p, v), q, v).tangent;
  return linalg.solve(mass, force.sub(turning)) as Tensor;
}

/** v dL/dv - L, which is conserved because L does not depend on time. */
const energy = (q: Tensor, v: Tensor): number => Number(v.dot(momenta(q, v)).sub(L(q, v)).detach().item());

type State = readonly [q: Tensor, v: Tensor];

/** One step of the fourth-order Runge-Kutta method. */
function step([q, v]: State, dt: number): State {
  const moved = ([dq, dv]: State, by: number): State => [q.add(dq.mul(by)), v.add(dv.mul(by))];
  const slope = ([p, u]: State): State => [u, acceleration(p, u)];
  const k1 = slope([q, v]);
  const k2 = slope(moved(k1, dt / 2));
  const k3 = slope(moved(k2, dt / 2));
  const k4 = slope(moved(k3, dt));
  const mean = (i: 0 | 1): Tensor => k1[i].add(k2[i].mul(2)).add(k3[i].mul(2)).add(k4[i]).div(6);
  return moved([mean(0), mean(1)], dt);
}

/** Squares of the frequencies of small swings about rest: the eigenvalues of M^-1 K, in units of g / length. */
function frequencies(rest: Tensor): number[] {
  const mass = hessian((u) => L(rest, u), rest);
  const stiffness = hessian((p) => L(p, rest), rest).neg();
  // M = C C^T turns it into a symmetric problem: C^-1 K C^-T.
  const inverse = linalg.inv(linalg.cholesky(mass)) as Tensor;
  const values = linalg.eigvalsh(inverse.matmul(stiffness).matmul(inverse.T) as Tensor).div(gravity);
  return values.toArray() as number[];
}

/** Simulates the pendulum from a high start and checks the results. */
export function pendulum({ seconds = 3, dt = 0.005 } = {}): PendulumResult {
  const vector = (...values: number[]): Tensor => tensor(values, { dtype: "float64" }) as Tensor;
  const rest = vector(0, 0);
  let state: State = [vector(2, 2.5), rest];
  const [begun, low] = [energy(...state), energy(rest, rest)];
  const times: number[] = [];
  const angles: [number[], number[]] = [[], []];
  let largest = 0;
  for (let k = 0; k <= Math.round(seconds / dt); k++) {
    if (k > 0) state = scope(() => step(state, dt));
    times.push(k * dt);
    angles.forEach((list, i) => {
      list.push(Number(state[0].get(i)));
    });
    if (k % 10 === 0) largest = Math.max(largest, Math.abs(energy(...state) - begun));
  }
  const drift = largest / (begun - low);
  const squares = frequencies(rest);
  const known = [2 - Math.SQRT2, 2 + Math.SQRT2];
  if (!(drift < 1e-6)) throw new Error(`the energy is not conserved: it changes by ${drift} of itself`);
  if (!squares.every((square, i) => Math.abs(square - (known[i] as number)) < 1e-9))
    throw new Error(`the frequencies of small swings are ${squares}, and should be ${known}`);

  const svg = lineChart({
    title: "A double pendulum from its Lagrangian",
    series: { "upper rod": { x: times, y: angles[0] }, "lower rod": { x: times, y: angles[1] } },
    xLabel: "time in s",
    yLabel: "angle in radians",
  });
  return {
    svg,
    drift,
    frequencies: squares,
    text: [
      `a double pendulum swings for ${seconds} s in ${times.length - 1} steps; its energy of ${(begun - low).toFixed(2)} J changes by less than ${ceiling(drift)} of itself`,
      `small swings have squared frequencies of ${squares.map((square) => square.toFixed(9)).join(" and ")} g/l; known are 2 - sqrt(2) and 2 + sqrt(2)`,
    ].join("\n"),
  };
}

/** The next power of ten above the resolution of float64. */
const ceiling = (value: number): string => (10 ** Math.ceil(Math.log10(Math.max(value, 1e-15)))).toExponential(0);

if (process.argv[1]?.endsWith("pendulum.ts")) {
  const { text, svg } = pendulum();
  console.log(text);
  mkdirSync("out", { recursive: true });
  writeFileSync("out/pendulum.svg", svg);
  console.log("the angles over time: out/pendulum.svg");
}
