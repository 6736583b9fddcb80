/**
 * Compares two versions of Stridewise: small calls, in which the overhead of the library dominates.
 *
 *   npm run bench versions OLD                 OLD is the folder of another checkout, built with `npm run build`
 *   npm run bench versions OLD add-16 sum      only cases whose names contain one of these words
 *
 * Each case runs in fresh processes of both versions in turn. The table has the median of the processes' medians, in nanoseconds for each
 * call, and their ratio (below 1: the present version is faster).
 */
import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const processes = Number(process.env.BENCH_PROCESSES ?? 7);

/** For each case, a function that prepares it and returns one call. */
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
  const load = (entry) => import(pathToFileURL(`${folder}/dist/node/${entry}.js`).href);
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
  let calls = 1;
  while (perCall(call, calls) * calls < 4e6) calls *= 2;
  const until = performance.now() + 350;
  while (performance.now() < until) await rounds(call, calls, 1);
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
