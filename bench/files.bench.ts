/**
 * Loads a file of 64 MB from the page cache: into memory that was used before, and into fresh pages, which the system has to clear. NumPy
 * loads the same .npy file, if there is a Python that has it.
 *
 *   npm run bench files
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { arange, type Tensor } from "stridewise";
import { loadNpy, loadNpz, loadSafetensors, saveNpy, saveNpz, saveSafetensors } from "stridewise/io";

const rounds = 9;
const folder = mkdtempSync(join(tmpdir(), "stridewise-files-"));
const path = (ending: string): string => join(folder, `x.${ending}`);

const python = `
import sys, time, numpy
best = 1e9
for _ in range(${rounds}):
    start = time.perf_counter()
    numpy.load(sys.argv[1])
    best = min(best, time.perf_counter() - start)
print(best * 1e3)
`;

const loads: Readonly<Record<string, () => Promise<Tensor>>> = {
  loadNpy: () => loadNpy(path("npy")),
  loadNpz: async () => (await loadNpz(path("npz"))).get("x") as Tensor,
  loadSafetensors: async () => (await loadSafetensors(path("safetensors"))).tensors.get("x") as Tensor,
};

async function timeOf(load: () => Promise<Tensor>): Promise<readonly [ms: number, loaded: Tensor]> {
  const start = performance.now();
  const loaded = await load();
  return [performance.now() - start, loaded];
}

try {
  const x = arange(2 ** 24, { dtype: "float32" });
  await saveNpy(path("npy"), x);
  await saveNpz(path("npz"), { x });
  await saveSafetensors(path("safetensors"), { x });
  x.dispose();
  const print = (name: string, times: readonly number[]): void =>
    console.log(
      name.padEnd(44),
      Math.min(...times)
        .toFixed(1)
        .padStart(6),
    );
  console.log("64 MB, the least of several times in ms");
  // Results that stay in memory need new pages. The first one has those of x.
  const kept: Tensor[] = [];
  const fresh: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [ms, loaded] = await timeOf(() => loadNpy(path("npy")));
    if (round > 0) fresh.push(ms);
    kept.push(loaded);
  }
  for (const tensor of kept) tensor.dispose();
  print("loadNpy into fresh pages", fresh);
  for (const [name, load] of Object.entries(loads)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const [ms, loaded] = await timeOf(load);
      times.push(ms);
      loaded.dispose();
    }
    print(name, times);
  }
  const pythons = [process.env.PYTHON, "/usr/bin/python3", "python3"].filter((name) => name !== undefined);
  const result = pythons.map((name) => spawnSync(name, ["-c", python, path("npy")], { encoding: "utf8" }));
  const answer = result.find(({ status }) => status === 0)?.stdout;
  console.log("numpy.load of the .npy file".padEnd(44), answer ? Number(answer).toFixed(1).padStart(6) : "absent");
} finally {
  rmSync(folder, { recursive: true });
}
