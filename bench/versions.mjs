/**
 * Compares one version of Stridewise with another: small calls, where the overhead of the library dominates, and larger ones.
 *
 *   node bench/versions.mjs OLD                 OLD is the folder of another checkout; build both with `npm run build`
 *   node bench/versions.mjs OLD add-16 sum      only cases whose names contain one of these words
 *
 * Each case runs in fresh processes of both versions in turn. The table shows the median of the processes' medians, in nanoseconds per call,
 * and their ratio: below 1, the current version is faster.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const processes = Number(process.env.BENCH_PROCESSES ?? 7);

/** The cases: each prepares its tensors and returns the function that is timed. */
const cases = {
  "add-16":
    ({ x, y }) =>
    () =>
      x.add(y),
  "add-number":
    ({ x }) =>
    () =>
      x.add(1),
  "add-row": ({ sw, x }) => {
    const m = sw.rand([16, 16]);
    return () => m.add(x);
  },
  "add-in-place":
    ({ x, y }) =>
    () =>
      x.add_(y),
  "add-alpha": ({ x, y }) => {
    let k = 0;
    return () => x.add_(y, { alpha: (++k % 97) / 1000 });
  },
  "add-out": ({ sw, x, y }) => {
    const out = sw.zeros([16]);
    return () => sw.add(x, y, { out });
  },
  "add-changing-size": ({ sw }) => {
    const rows = Array.from({ length: 64 }, (_, k) => sw.rand([k + 1]));
    let k = 0;
    return () => rows[++k & 63].add(rows[k & 63]);
  },
  sum: ({ sw }) => {
    const m = sw.rand([32, 32]);
    return () => m.sum(1);
  },
  "matmul-64": ({ sw }) => {
    const m = sw.rand([64, 64]);
    return () => m.matmul(m);
  },
  "softmax-64": ({ sw }) => {
    const m = sw.rand([64, 64]);
    return () => sw.softmax(m, 1);
  },
  transpose: ({ sw }) => {
    const m = sw.rand([64, 64]);
    return () => m.T;
  },
  "mlp-forward": ({ sw, mlp }) => {
    const { forward, input } = mlp();
    return () => sw.noGrad(() => forward(input));
  },
  "mlp-step": ({ mlp }) => mlp().step,
  backward: ({ sw }) => {
    const w = sw.rand([16], { requiresGrad: true });
    return () => {
      w.grad = null;
      w.mul(2).relu().sum().backward();
    };
  },
  "new-kernels": ({ sw, x }) => {
    let k = 0;
    return () => sw.elementwise(`x * 0.5 + ${++k}.5 / ${k}.25`)({ x });
  },
  "exp-4M": ({ sw }) => {
    const [x, to] = [sw.rand([4e6]), sw.zeros([4e6])];
    return () => sw.exp(x, { out: to });
  },
  "axpb-4M": ({ sw }) => {
    const [x, out] = [sw.rand([4e6]), sw.zeros([4e6])];
    const axpb = sw.elementwise("a * x + b");
    return () => axpb({ a: 2, x, b: 1 }, { out });
  },
  "broadcast-add": ({ sw }) => {
    const [m, row, out] = [sw.rand([2000, 1000]), sw.rand([1000]), sw.zeros([2000, 1000])];
    return () => sw.add(m, row, { out });
  },
  "sum-4M": ({ sw }) => {
    const x = sw.rand([4e6]);
    return () => x.sum();
  },
  "sum-columns": ({ sw }) => {
    const m = sw.rand([2000, 1000]);
    return () => m.sum(0);
  },
  "transpose-copy": ({ sw }) => {
    const m = sw.rand([1500, 1500]);
    return () => m.T.contiguous().dispose();
  },
  "matmul-384": ({ sw }) => {
    const m = sw.rand([384, 384]);
    return () => m.matmul(m).dispose();
  },
  conv2d: ({ sw }) => {
    const [x, w] = [sw.rand([4, 32, 28, 28]), sw.rand([32, 32, 3, 3])];
    return () => sw.conv2d(x, w, { padding: 1 }).dispose();
  },
  layernorm: ({ sw }) => {
    const x = sw.rand([512, 1024]);
    return () => sw.layerNorm(x, [1024]).dispose();
  },
  "sort-100k": ({ sw }) => {
    const x = sw.rand([1e5]);
    return () => sw.sort(x, 0);
  },
  cumsum: ({ sw }) => {
    const m = sw.rand([1000, 1000]);
    return () => m.cumsum(1).dispose();
  },
  "index-select": ({ sw }) => {
    const [m, index] = [sw.rand([1000, 256]), sw.randint(0, 1000, [2000])];
    return () => sw.indexSelect(m, 0, index).dispose();
  },
  "pad-small": ({ sw }) => {
    const m = sw.rand([16, 16]);
    return () => sw.pad(m, [1, 1]);
  },
  "cat-small":
    ({ sw, x, y }) =>
    () =>
      sw.cat([x, y]),
  svd: ({ sw }) => {
    const m = sw.rand([60, 60]);
    return () => sw.linalg.svd(m);
  },
  fft: ({ sw }) => {
    const x = sw.rand([64, 1024]);
    return () => sw.fft.fft(x);
  },
  "local-tile-copy": ({ sw }) => {
    const matrix = sw.makeTensor(sw.gmem(new Float32Array(8 * 24)), [8, 24]);
    return () => {
      const tile = sw.localTile(matrix, [sw.int(4), sw.int(8)], [1, 2]);
      sw.copy(tile, sw.makeTensorLike(tile));
    };
  },
};

/** Cases that are measured from their first call on, with the number of calls. */
const cold = { "new-kernels": 1000 };

const [first, ...rest] = process.argv.slice(2);
if (first === "--child") await child(rest[0], rest[1]);
else if (first === undefined) {
  console.error("bench versions: the folder of another, built checkout is required");
  process.exitCode = 2;
} else compare(resolve(first), rest);

async function child(folder, name) {
  // Versions before 0.8 had a separate form for Node.
  const files = existsSync(`${folder}/dist/node`) ? `${folder}/dist/node` : `${folder}/dist`;
  const load = (entry) => import(pathToFileURL(`${files}/${entry}.js`).href);
  const sw = await load("index");
  const [nn, optim] = await Promise.all([load("nn"), load("optim")]);
  const mlp = () => {
    const model = new nn.Sequential(new nn.Linear(32, 64), new nn.ReLU(), new nn.Linear(64, 10));
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
    const [input, target] = [sw.rand([16, 32]), sw.zeros([16, 10])];
    const forward = (batch) => model.forward(batch);
    const step = () =>
      sw.scope(() => {
        optimizer.zeroGrad();
        forward(input).sub(target).square().mean().backward();
        optimizer.step();
      });
    return { forward, input, step };
  };
  const call = cases[name]({ sw, mlp, x: sw.rand([16]), y: sw.rand([16]) });
  if (cold[name] !== undefined) {
    console.log(perCall(call, cold[name]));
    return;
  }
  // The first calls compile kernels and are interpreted: they are slow, so the number of calls in a round grows while the code warms up.
  let calls = 1;
  const until = performance.now() + 400;
  while (performance.now() < until) {
    const [time] = await rounds(call, calls, 1);
    if (time * calls < 2e6) calls *= 2;
  }
  const times = await rounds(call, calls, 40);
  console.log(times.sort((a, b) => a - b)[times.length >> 1]);
}

async function rounds(call, calls, count) {
  const times = [];
  for (let k = 0; k < count; k++) {
    times.push(perCall(call, calls));
    await new Promise((done) => setImmediate(done));
  }
  return times;
}

function perCall(call, calls) {
  const start = performance.now();
  for (let k = 0; k < calls; k++) call();
  return ((performance.now() - start) * 1e6) / calls;
}

function compare(old, words) {
  const present = fileURLToPath(new URL("..", import.meta.url));
  const self = fileURLToPath(import.meta.url);
  const names = Object.keys(cases).filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  const runOf = (folder, name) => {
    const { stdout, stderr } = spawnSync(process.execPath, [self, "--child", folder, name], { encoding: "utf8" });
    if (stdout.trim() === "") throw new Error(`${name} in ${folder}: ${stderr}`);
    return Number(stdout);
  };
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  console.log(`node ${process.version}, load ${loadavg()[0].toFixed(2)}, ${processes} processes each`);
  console.log(`${"case".padEnd(20)}${"old".padStart(10)}${"new".padStart(10)}${"ratio".padStart(8)}`);
  for (const name of names) {
    const [before, after] = [[], []];
    for (let k = 0; k < processes; k++) {
      before.push(runOf(old, name));
      after.push(runOf(present, name));
    }
    const [a, b] = [median(before), median(after)];
    console.log(
      `${name.padEnd(20)}${a.toFixed(0).padStart(10)}${b.toFixed(0).padStart(10)}${(b / a).toFixed(2).padStart(8)}`,
    );
  }
}
