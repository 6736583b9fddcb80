/**
 * One pass through the built package, as a user's program in the Node that runs this file: threads, training, files and
 * the command. Plain JavaScript, because the Nodes under test have no loader for TypeScript. `run.ts` starts it in each
 * Node; the example of the README is a program of its own there.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { arange, configuration, configure, features, mseLoss, ones, shutdown, tensor, version } from "stridewise";
import { loadNpy, loadSafetensors, saveNpy, saveSafetensors } from "stridewise/io";
import { Linear } from "stridewise/nn";
import { SGD } from "stridewise/optim";

const { node, v8 } = process.versions;
console.log(`node ${node}, V8 ${v8}, stridewise ${version}`);
console.log(JSON.stringify(features()));

/** Multiplies until a worker has started, and then once more. The results are exact: sums of small integers. */
async function multipliesWithThreads() {
  let online = 0;
  process.on("worker", (worker) => worker.on("online", () => online++));
  configure({ threads: 2 });
  const n = 512;
  const factor = arange(n).remainder(7).view(n, 1).expand(n, n).contiguous();
  const multiply = () => {
    const product = factor.matmul(ones([n, n]));
    assert.deepEqual(product.select(1, n - 1).toArray(), factor.select(1, 0).mul(n).toArray());
    assert.deepEqual(product.select(1, 0).toArray(), factor.select(1, 0).mul(n).toArray());
  };
  for (const deadline = Date.now() + 20_000; online === 0 && Date.now() < deadline; ) {
    multiply();
    // Workers start between tasks.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(online, 1);
  multiply();
}

function trains() {
  const model = new Linear(2, 1);
  const optimizer = new SGD(model.parameters(), { lr: 0.01 });
  const [x, y] = [
    tensor([
      [1, 2],
      [3, 4],
    ]),
    tensor([[1], [2]]),
  ];
  const before = mseLoss(model.forward(x), y);
  optimizer.zeroGrad();
  before.backward();
  optimizer.step();
  assert.ok(mseLoss(model.forward(x), y).item() < before.item());
}

async function savesAndLoads() {
  const folder = mkdtempSync(join(tmpdir(), "stridewise-smoke-"));
  try {
    const x = tensor([
      [1.5, -2],
      [3, 4],
    ]);
    await saveNpy(`${folder}/x.npy`, x);
    assert.deepEqual((await loadNpy(`${folder}/x.npy`)).toArray(), x.toArray());
    await saveSafetensors(`${folder}/x.safetensors`, { x, n: tensor([7n], { dtype: "int64" }) });
    const { x: again, n } = Object.fromEntries((await loadSafetensors(`${folder}/x.safetensors`)).tensors);
    assert.deepEqual(again.toArray(), x.toArray());
    assert.equal(n.dtype, "int64");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runsTheCommand() {
  const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const text = execFileSync(process.execPath, [command, "compose", "(4,8):(8,1)", "8:4"], { encoding: "utf8" });
  assert.match(text, /^8:1\nA = /);
}

await multipliesWithThreads();
console.log(`matmul with threads: ${configuration().report[0]}`);
trains();
await savesAndLoads();
runsTheCommand();
await shutdown();
console.log("threads, a training step, files and the command work");
