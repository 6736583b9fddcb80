/**
 * `npm run build`: dist/ from src/.
 *
 * The sources are joined to a file for each entry point and some that these share, so that a Tensor is the same class everywhere. Node and
 * pages open a few files instead of hundreds, and bundlers drop unused code as they do from the sources. Lines, names of functions and classes,
 * and pure annotations are kept, for stack traces and for bundlers; other comments are in the declarations only (`build/roll-up.mjs` joins those). The worker's
 * program is plain JavaScript and is copied as it is; programs import it by its URL only, so its types are empty.
 *
 * Everything is first built in a temporary folder. A program that uses this checkout while it is built finds all files at any moment:
 * those that changed are replaced one by one, and those that are no longer needed are deleted last. If the build fails, dist/ is as it was.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { rolldown } from "rolldown";
import { command, entries } from "./build/entries.mjs";
import { rollUp } from "./build/roll-up.mjs";

/** Few files, because opening one takes Node half a millisecond. Entries without tensors use the first, entries without ops the second. */
const sharedFiles = [
  { name: "layout", test: /src\/(base|expr|layout)\//, priority: 3 },
  { name: "tensor", test: /src\/(storage|kernel|tensor)\//, priority: 2 },
  { name: "ops", test: /src\/(ops|autograd|backends(?!\/webgpu))\/|src\/(api|boot)\.ts/, priority: 1 },
];

const temporary = `out/build-${process.pid}`;
const built = `${temporary}/dist`;

try {
  await build();
  replace("dist", built);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function build() {
  const emitted = `${temporary}/declarations`;
  const options = ["-p", "tsconfig.build.json", "--outDir", emitted];
  execFileSync("tsc", options, { stdio: "inherit", shell: process.platform === "win32" });
  rollUp(emitted, built, entries);

  const sources = { ...entries, [command]: `${command}.ts` };
  const joined = await rolldown({
    input: Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, `src/${source}`])),
    platform: "neutral",
    external: /^node:/,
  });
  await joined.write({
    dir: built,
    format: "esm",
    chunkFileNames: "shared-[name]-[hash].js",
    comments: { legal: true, annotation: true, jsdoc: false },
    // Names of variables are most of what an engine has to read; those of functions and classes are in stack traces.
    minify: { compress: false, mangle: { toplevel: true, keepNames: true }, codegen: { removeWhitespace: false } },
    codeSplitting: { groups: sharedFiles },
  });
  await joined.close();
  copyFileSync("src/backends/wasm/workers/worker.js", `${built}/worker.js`);
  writeFileSync(`${built}/worker.d.ts`, "export {};\n");
  chmodSync(`${built}/${command}.js`, 0o755);
}

/** Makes a folder hold exactly the files of another. Each file exists at any moment, in its old or its new version. */
function replace(folder, by) {
  const now = filesIn(by);
  // Shared files come first, because the others import them.
  now.sort((a, b) => Number(b.includes("shared-")) - Number(a.includes("shared-")));
  for (const file of now) {
    const [from, to] = [`${by}/${file}`, `${folder}/${file}`];
    if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  const kept = new Set(now);
  for (const file of filesIn(folder)) if (!kept.has(file)) rmSync(`${folder}/${file}`);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && filesIn(`${folder}/${entry.name}`).length === 0)
      rmSync(`${folder}/${entry.name}`, { recursive: true });
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.replaceAll("\\", "/").slice(folder.length + 1));
}
