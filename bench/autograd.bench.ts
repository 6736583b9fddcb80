/**
 * The cost of autograd: an add of 16 elements with and without the layer loaded (two bundles of one program, in
 * processes that take turns); the overhead of a recorded call and its node beyond their kernels; the backward pass of a
 * network compared with its forward pass.
 *
 *   npm run bench autograd
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { arange, configure, crossEntropy, noGrad, ones, randn, scope, type Tensor } from "../src/index.ts";
import { Linear, ReLU, Sequential } from "../src/nn/index.ts";
import { describeMachine, median } from "./harness.ts";

configure({ threads: 1 });
console.log(describeMachine());

// ---- An add, with the layer and without --------------------------------------------------------------------------

const program = `
import { ones, scope } from "stridewise";
const [x, y] = [ones([16]), ones([16])];
const run = (count) => scope(() => { for (let k = 0; k < count; k++) x.add(y); });
for (let k = 0; k < 400; k++) run(500);
const times = [];
for (let k = 0; k < 200; k++) { const begun = performance.now(); run(500); times.push((performance.now() - begun) * 2000); }
times.sort((a, b) => a - b);
console.log(times[100]);
`;
const without: Plugin = {
  name: "without autograd",
  setup({ onLoad }) {
    onLoad({ filter: /autograd\/methods\.ts$/ }, () => ({ contents: "export const installAutograd = () => {};" }));
  },
};

async function bundled(name: string, plugins: Plugin[]): Promise<string> {
  const outfile = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const from = fileURLToPath(new URL("../../", import.meta.url));
  await build({
    stdin: { contents: program, resolveDir: from },
    tsconfig: `${from}tsconfig.json`,
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    logLevel: "error",
    external: ["koffi"],
    plugins,
  });
  return outfile;
}

const files = [await bundled("add-without", [without]), await bundled("add-with", [])];
const rounds = files.map(() => [] as number[]);
for (let round = 0; round < 15; round++)
  files.forEach((file, k) => {
    rounds[k]?.push(Number(spawnSync(process.execPath, [file], { encoding: "utf8" }).stdout));
  });
const [bare = Number.NaN, loaded = Number.NaN] = rounds.map(median);
console.log(
  `\nadd of 16 elements: ${bare.toFixed(0)} ns without autograd, ${loaded.toFixed(0)} ns with it: ${(loaded - bare).toFixed(0)} ns apart (medians of 15 processes each)`,
);

// ---- A node ------------------------------------------------------------------------------------------------------

const length = 10;
const [x, y] = [ones([16], { requiresGrad: true }), ones([16], { requiresGrad: true })];
const seed = ones([16]);
const chain = (): Tensor => {
  let z = x.mul(y) as Tensor;
  for (let k = 1; k < length; k++) z = z.mul(y) as Tensor;
  return z;
};

/** Microseconds for each link of a chain: the medians of rounds that take turns. */
function turns(works: Readonly<Record<string, () => void>>, count: number, links: number): Record<string, number> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < 25; round++)
    for (const [name, work] of Object.entries(works)) {
      const begun = performance.now();
      for (let k = 0; k < count; k++) scope(work);
      times[name]?.push(((performance.now() - begun) * 1000) / count / links);
    }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list.slice(5))]));
}

const node = turns(
  {
    forward: () => noGrad(() => void chain()),
    recorded: () => void chain(),
    both() {
      chain().backward(seed);
      x.zeroGrad();
      y.zeroGrad();
    },
    // The kernels of the backward pass: the gradients of both factors, and a sum for the factor that all links share.
    kernels: () =>
      noGrad(() => {
        let g: Tensor = seed;
        for (let k = 0; k < length; k++) {
          const [left, right] = [g.mul(y) as Tensor, g.mul(x) as Tensor];
          if (k > 0) right.add(left);
          g = left;
        }
      }),
  },
  400,
  length,
) as { forward: number; recorded: number; both: number; kernels: number };
const back = node.both - node.recorded;
console.log(
  `\na product of 16 elements: ${node.forward.toFixed(2)} us, recorded ${node.recorded.toFixed(2)} us; backward ${back.toFixed(2)} us a node, its kernels alone ${node.kernels.toFixed(2)} us`,
);
console.log(
  `beyond kernels: recording ${(node.recorded - node.forward).toFixed(2)} us a call, backward ${(back - node.kernels).toFixed(2)} us a node`,
);

// ---- A network ---------------------------------------------------------------------------------------------------

const net = new Sequential(new Linear(784, 512), new ReLU(), new Linear(512, 512), new ReLU(), new Linear(512, 10));
const [images, labels] = [randn([128, 784]), arange(128, { dtype: "int64" }).remainder(10)];
const lossOf = (): Tensor => crossEntropy(net.forward(images) as Tensor, labels as Tensor);
const step = turns(
  {
    forward: () => noGrad(() => void lossOf()),
    recorded: () => void lossOf(),
    both() {
      lossOf().backward();
      net.zeroGrad();
    },
  },
  4,
  1,
) as { forward: number; recorded: number; both: number };
const wayBack = step.both - step.recorded;
console.log(
  `\n784-512-512-10, batch of 128: forward ${(step.forward / 1000).toFixed(2)} ms, back ${(wayBack / 1000).toFixed(2)} ms: ${(wayBack / step.forward).toFixed(2)}x`,
);
