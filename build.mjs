/**
 * `npm run build`: dist/ from src/, in two forms.
 *
 * tsc emits every file separately, with its types, so that bundlers can drop unused code. The worker's program is plain JavaScript
 * and is copied as it is; programs import it by its URL only, so its types are empty.
 *
 * For Node the same code is joined to a few readable files in dist/node (the condition "node" in package.json), because Node opens, reads
 * and links hundreds of files one by one, which takes several times as long. The entries share their common code, so that a Tensor
 * is the same class everywhere.
 *
 * Everything is first built in a temporary folder. A program that uses this checkout while it is built (npm install ../stridewise builds
 * it) finds all files at any moment: those that changed are replaced one by one, and those that are no longer needed are deleted last.
 * If the build fails, dist/ is as it was.
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

const worker = "backends/wasm/workers/worker";
const built = `out/build-${process.pid}`;

try {
  await build();
  replace("dist", built);
} finally {
  rmSync(built, { recursive: true, force: true });
}

async function build() {
  const options = ["-p", "tsconfig.build.json", "--outDir", built];
  execFileSync("tsc", options, { stdio: "inherit", shell: process.platform === "win32" });
  copyFileSync(`src/${worker}.js`, `${built}/${worker}.js`);
  writeFileSync(`${built}/${worker}.d.ts`, "export {};\n");

  const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
  const input = { [nameOf(bin.stridewise)]: "src/cli/main.ts" };
  for (const { node, default: file } of Object.values(exports))
    if (node !== undefined) input[nameOf(node)] = file.replace("./dist/", "src/").replace(".js", ".ts");
  const joined = await rolldown({ input, platform: "node" });
  await joined.write({ dir: `${built}/node`, format: "esm", chunkFileNames: "shared-[hash].js" });
  await joined.close();
  copyFileSync(`src/${worker}.js`, `${built}/node/worker.js`);
  chmodSync(bin.stridewise.replace("dist", built), 0o755);
}

/** The name of a file in dist/node. */
function nameOf(file) {
  return file.replace(/^.*dist\/node\//, "").replace(".js", "");
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
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.replaceAll("\\", "/").slice(folder.length + 1));
}
