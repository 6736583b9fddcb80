/**
 * The package as users install it: built, packed by npm, then checked by publint (is package.json correct?) and by
 * are-the-types-wrong (does every entry point resolve, types included?). The package has only ES modules, so the
 * resolution modes of CommonJS callers are left out.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path/posix";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { filterProblems } from "@arethetypeswrong/core/problems";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, expect, test } from "vitest";
import { apiReport } from "../../build/api-report.mjs";
import { entries } from "../../build/entries.mjs";
import { typed } from "../end-to-end/cli/typed.ts";
import { projectRoot, requireSuccess, runCommand, runTool } from "../support/command.ts";

const packFolder = `${projectRoot}out/package/`;
let tarball: Uint8Array<ArrayBuffer>;
let tarballFile: string;
let packedPaths: readonly string[];
let unpackedSize: number;

/** How often a file of dist/ was missing during a rebuild, and the number of checks. */
const seen = { looks: 0, missing: 0 };

/** Builds, and meanwhile checks the files that a program using this checkout would open. */
async function buildAndLook(): Promise<void> {
  const files = ["dist/index.js", "dist/index.d.ts", "dist/types/tensor.d.ts", "dist/worker.js"];
  mkdirSync(`${projectRoot}dist/old`, { recursive: true });
  writeFileSync(`${projectRoot}dist/old/unused.js`, "export {};\n");
  // The first build of a checkout has nothing to check; the next one has to write this file again.
  if (!existsSync(`${projectRoot}dist/types/tensor.d.ts`)) requireSuccess(await runCommand("npm", ["run", "build"]));
  writeFileSync(`${projectRoot}dist/index.js`, `${readFileSync(`${projectRoot}dist/index.js`, "utf8")}\n`);
  const timer = setInterval(() => {
    seen.looks++;
    if (!files.every((file) => existsSync(projectRoot + file))) seen.missing++;
  }, 1);
  try {
    requireSuccess(await runCommand("npm", ["run", "build"]));
  } finally {
    clearInterval(timer);
  }
}

beforeAll(async () => {
  await buildAndLook();
  mkdirSync(packFolder, { recursive: true });
  const packed = await runCommand("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", packFolder]);
  requireSuccess(packed);
  const [report] = JSON.parse(packed.stdout) as [{ filename: string; unpackedSize: number; files: { path: string }[] }];
  unpackedSize = report.unpackedSize;
  packedPaths = report.files.map((file) => file.path);
  tarballFile = packFolder + report.filename;
  tarball = new Uint8Array(readFileSync(tarballFile));
}, 240_000);

test("a build never removes a file from programs that use the checkout, and leaves no old files behind", () => {
  expect(seen.looks).toBeGreaterThan(100);
  expect(seen.missing).toBe(0);
  expect(existsSync(`${projectRoot}dist/old`)).toBe(false);
  expect(readFileSync(`${projectRoot}dist/index.js`, "utf8")).not.toMatch(/\n\n$/);
  expect(readdirSync(`${projectRoot}out`).filter((name) => name.startsWith("build-"))).toEqual([]);
});

test("publint has no complaints", { timeout: 60_000 }, async () => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test("every entry point resolves, with its types", { timeout: 60_000 }, async () => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (analysis.types === false) throw new Error("the package carries no types");
  const problems = (["node16-esm", "bundler"] as const).flatMap((resolutionKind) =>
    filterProblems(analysis, { resolutionKind }),
  );
  expect(problems).toEqual([]);
});

/** The content of node_modules after installation by npm. */
async function installed(): Promise<string> {
  const folder = `${projectRoot}out/installed/`;
  const packageFolder = `${folder}node_modules/stridewise/`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(packageFolder, { recursive: true });
  requireSuccess(await runCommand("tar", ["-xzf", tarballFile, "-C", packageFolder, "--strip-components=1"]));
  return folder;
}

/** All entries in one process: they share their classes and find their workers. */
const inNode = `import * as s from "stridewise";
const names = ["layout", "explain", "tuple", "notation", "expr", "cute", "storage", "io", "draw", "nn", "optim", "data", "kernel", "module", "onnx"];
const all = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await import("stridewise/" + name)])));
const { weight } = new all.nn.Linear(2, 3);
const restored = all.io.parseNpy(all.io.encodeNpy(s.arange(6).view(2, 3)));
s.configure({ threads: 2 });
const x = s.ones([2048, 2048]);
let sum = 0;
for (let round = 0; round < 20; round++) sum += x.exp().sum().item();
await new Promise((resolve) => setTimeout(resolve, 200));
for (let round = 0; round < 20; round++) sum += x.exp().sum().item();
const threads = s.configuration().threads;
await s.shutdown();
console.log(JSON.stringify([
  weight instanceof s.Tensor, weight.storage instanceof all.storage.Storage, restored instanceof s.Tensor, restored.toString(),
  s.Tensor.name, all.storage.Storage.name, all.nn.Module.name, threads, Math.round(sum / 40 / 2048 ** 2 * 1e4),
]));
`;

test("all entries run in Node and are one library", { timeout: 60_000 }, async () => {
  const folder = await installed();
  writeFileSync(`${folder}program.mjs`, inNode);
  const ran = await runCommand(process.execPath, [`${folder}program.mjs`]);
  expect(ran.stderr).toBe("");
  expect(JSON.parse(ran.stdout)).toEqual([
    true,
    true,
    true,
    "tensor([[0., 1., 2.],\n        [3., 4., 5.]])",
    "Tensor",
    "Storage",
    "Module",
    2,
    27183,
  ]);
});

test("package.json exports the entries that are built, with the names of their sources", {
  timeout: 60_000,
}, async () => {
  const { exports } = JSON.parse(readFileSync(`${projectRoot}package.json`, "utf8")) as { exports: object };
  const names = Object.keys(entries);
  const expected = names.map((name) => [
    name === "index" ? "." : `./${name}`,
    { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  ]);
  expect(Object.entries(exports).slice(0, names.length)).toEqual(expected);
  const program = `console.log(JSON.stringify(await Promise.all(${JSON.stringify(names)}.map(
    async (name) => Object.keys(await import("${projectRoot}dist/" + name + ".js"))))));`;
  const ran = await runCommand(process.execPath, ["--input-type=module", "-e", program]);
  requireSuccess(ran);
  const sources = await Promise.all(
    Object.values(entries).map(async (file) =>
      Object.keys(await import(/* @vite-ignore */ `${projectRoot}src/${file}`)),
    ),
  );
  expect(JSON.parse(ran.stdout)).toEqual(sources.map((list) => list.sort()));
});

test("the exported names and their types are those of the API report", () => {
  const texts = apiReport(`${projectRoot}dist`, Object.keys(entries));
  const recorded = readdirSync(`${projectRoot}test/golden/api`);
  expect(recorded.sort()).toEqual([...texts.keys()].map((name) => `${name}.txt`).sort());
  return Promise.all(
    Array.from(texts, ([name, text]) => expect(text).toMatchFileSnapshot(`../golden/api/${name}.txt`)),
  );
});

test("the command runs as it is installed", { timeout: 60_000 }, async () => {
  const { bin, version } = JSON.parse(readFileSync(`${projectRoot}package.json`, "utf8"));
  const main = `${await installed()}node_modules/stridewise/${bin.stridewise}`;
  expect(readFileSync(main, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
  expect(await runCommand(main, ["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  const drawn = await runCommand(main, ["layout", "(4,8):(8,1)"]);
  expect(drawn).toEqual({ code: 0, stdout: typed("layout '(4,8):(8,1)'").stdout, stderr: "" });
});

/** A user's program, compiled against the published declarations, without types of Node and with all checks. */
const program = `import { _, tensor, zeros } from "stridewise";
import { parseNpy } from "stridewise/io";
import { Storage } from "stridewise/storage";
import { memoryPicture } from "stridewise/draw";
import { Linear, ReLU, Sequential } from "stridewise/nn";
import { Adam } from "stridewise/optim";
export const turned: readonly [3, 2] = zeros([2, 3]).permute(1, 0).shape;
export const row: number = tensor([[1, 2], [3, 4]]).at(0, _).get(1);
export const text: string = tensor([1n, 2n]).toString();
export const rows: readonly number[] = new Sequential(new Linear(3, 2), new ReLU()).forward(zeros([2, 3])).shape;
const model = new Sequential(new Linear(3, 2), new ReLU());
const optimizer = new Adam(model.parameters(), { lr: 0.1 });
model.forward(zeros([2, 3])).square().mean().backward();
optimizer.step();
export const slope: boolean | undefined = tensor([1], { requiresGrad: true }).grad?.requiresGrad;
export const used = [parseNpy, Storage, memoryPicture];
// @ts-expect-error: a matrix has no axis 2
zeros([2, 3]).select(2, 0);
`;

test("a program compiles against the published declarations", { timeout: 60_000 }, async () => {
  const folder = `${projectRoot}out/consumer/`;
  mkdirSync(`${folder}node_modules`, { recursive: true });
  rmSync(`${folder}node_modules/stridewise`, { recursive: true, force: true });
  symlinkSync(projectRoot, `${folder}node_modules/stridewise`, "dir");
  writeFileSync(`${folder}program.mts`, program);
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "",
  ];
  const lib = ["--lib", "ES2022,DOM,DOM.Iterable"];
  const compiled = await runCommand("npx", ["tsc", ...options, ...lib, "--preserveSymlinks", `${folder}program.mts`]);
  expect(compiled.stdout).toBe("");
  requireSuccess(compiled);
});

test("the claims of test/types hold for the published declarations", { timeout: 60_000 }, async () => {
  const folder = `${projectRoot}test/types/`;
  // Claims about types that no entry point exports are about the sources only.
  const files = readdirSync(folder).filter(
    (file) => file.endsWith(".types.ts") && !readFileSync(folder + file, "utf8").includes('from "../../src/'),
  );
  expect(files.length).toBeGreaterThan(5);
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      skipLibCheck: false,
      paths: { stridewise: ["../../dist/index.d.ts"], "stridewise/*": ["../../dist/*.d.ts"] },
    },
    include: [...files.map((file) => `../../test/types/${file}`), "../../examples", "../../dist"],
  };
  mkdirSync(`${projectRoot}out/claims`, { recursive: true });
  writeFileSync(`${projectRoot}out/claims/tsconfig.json`, JSON.stringify(config));
  const compiled = await runTool("tsc", ["-p", "out/claims/tsconfig.json"]);
  expect(compiled.stdout).toBe("");
  requireSuccess(compiled);
});

/** A library of tensor functions: the compiler must be able to emit their return types. */
const library = `import * as s from "stridewise";
import { Linear, LSTM, Module, ReLU, Sequential } from "stridewise/nn";
export const window = (t: s.Tensor) => [t.toTypedArray(), t.overlap, t.device, t.ownership, s.range(0, 2)] as const;
export const pieces = <S extends s.Shape>(t: s.Tensor<S>) => [t.split(2), t.chunk(2), t.tensorSplit(3, -1)] as const;
export const views = <S extends s.Shape>(t: s.Tensor<S>) =>
  [t.T, t.mT, t.view(-1), t.flatten(), t.unsqueeze(0), t.at(0, s._, s.range(1, 3)), t.permute(1, 0), t.diagonal()] as const;
export const parts = <S extends s.Shape>(t: s.Tensor<S>) =>
  [t.select(0, 0), t.narrow(0, 0, 1), t.slice(0, 1, 3), t.unbind(), t.pick([0, 1])] as const;
export const values = <S extends s.Shape, D extends s.DType>(t: s.Tensor<S, D>) =>
  [t.toArray(), t.get(0), t.toTypedArray(), t.real, t.viewAsComplex(), t.view("int8")] as const;
export const made = <const T extends readonly number[], V extends s.Value>(list: T, value: V) =>
  [s.tensor(list), s.full([2], value), s.zeros([list.length, 3])] as const;
declare const u: s.Tensor;
declare const g: s.Generator;
export const sums = [u.add(1), u.add(u), s.pow(u, 2), u.to("int32").add(s.tensor([1.5])), u.sum(0), u.max(1), u.sort(1), s.cat([u, u])] as const;
export const losses = [s.mseLoss(u, u), s.linalg.svd(u), s.fft.fft(u), s.windows.hann(3), u.unique(), s.median(u, 0)] as const;
export const compiled = s.compile((t: s.Tensor) => t.mul(2));
export const ops = [s.add, s.conv2d, s.einsum, s.vmap, s.linalg, s.multinomial(u, 1, { generator: g })] as const;
export const layers = [new Linear(3, 2).forward(u), new LSTM(3, 2).forward(u), new Sequential(new Linear(3, 2), new ReLU())] as const;
export class Net extends Module {
  layers = [new Linear(3, 2), new ReLU()] as const;
  forward(x: s.Tensor) {
    return this.layers[1].forward(this.layers[0].forward(x)).add(1);
  }
}
`;

test("a library of tensor functions can emit its declarations", { timeout: 120_000 }, async () => {
  // Outside of the project: in a folder of it, "stridewise" is the project itself, whose files have names without exports.
  const folder = `${mkdtempSync(join(tmpdir(), "stridewise-library-"))}/`;
  const packageFolder = `${folder}node_modules/stridewise/`;
  mkdirSync(packageFolder, { recursive: true });
  requireSuccess(await runCommand("tar", ["-xzf", tarballFile, "-C", packageFolder, "--strip-components=1"]));
  writeFileSync(`${folder}library.mts`, library);
  const options = [
    "--ignoreConfig",
    "--declaration",
    "--emitDeclarationOnly",
    "--rootDir",
    folder,
    "--outDir",
    `${folder}emitted`,
  ];
  const checks = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "", "--lib", "ES2022,DOM"];
  const all = ["tsc", ...options, ...checks, `${folder}library.mts`];
  const compiled = await runCommand("npx", all);
  rmSync(folder, { recursive: true });
  expect(compiled.stdout).toBe("");
  requireSuccess(compiled);
});

test("the package contains the required files and nothing else, and is small", ({ annotate }) => {
  const allowed =
    /^(dist\/[\w/-]+\.(js|d\.ts)|docs\/.*\.(md|svg)|examples\/.*|licenses\/[\w.-]+\.txt|[A-Z-]+\.md|LICENSE|package\.json)$/;
  expect(packedPaths.filter((path) => !allowed.test(path))).toEqual([]);
  expect(packedPaths.filter((path) => path.includes(".test."))).toEqual([]);
  expect(packedPaths.length).toBeLessThan(250);
  expect(tarball.length).toBeLessThan(1_500_000);
  expect(unpackedSize).toBeLessThan(6_000_000);
  const sizes = [tarball.length, unpackedSize].map((bytes) => Math.ceil(bytes / 1000));
  return annotate(`${packedPaths.length} files, ${sizes[0]} kB packed, ${sizes[1]} kB unpacked`);
});

test("every link in a packed document leads to a packed file", () => {
  const isPacked = (path: string): boolean => packedPaths.some((file) => file === path || file.startsWith(`${path}/`));
  const broken = packedPaths
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) => {
      const text = readFileSync(projectRoot + path, "utf8").replaceAll(/^```.*?^```/gms, "");
      const targets = Array.from(text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g), ([, target]) => target as string);
      const files = targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(dirname(path), target));
      return files.filter((file) => !isPacked(file)).map((file) => `${path}: ${file}`);
    });
  expect(broken).toEqual([]);
});

test("npm installs the package without a warning about it, and runs no script", { timeout: 60_000 }, async () => {
  const folder = `${projectRoot}out/npm-installed/`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}package.json`, `{ "name": "consumer", "private": true }`);
  const options = ["--prefix", folder, "--offline", "--no-audit", "--no-fund", "--foreground-scripts"];
  const ran = await runCommand("npm", ["install", ...options, tarballFile]);
  requireSuccess(ran);
  expect(ran.stdout.trim()).toMatch(/^added 1 package/);
  // Warnings about the settings of this machine are not ours.
  expect(ran.stderr.split("\n").filter((line) => line !== "" && !/Unknown \w+ config/.test(line))).toEqual([]);
});

test.for([
  [`import { tensor } from "FOLDER/index"; console.log(tensor([1]).add(1));`, "a sum"],
  [`import { makeLayout } from "FOLDER/layout"; console.log(makeLayout(4));`, "a layout"],
  [`import { Linear } from "FOLDER/nn"; console.log(new Linear(2, 3));`, "a network"],
  [`import { loadNpy } from "FOLDER/io"; console.log(loadNpy);`, "a file"],
] as const)("a bundle of $1 is as small from the package as from the sources", async ([program], { annotate }) => {
  const sizes = await Promise.all(
    ["src", "dist"].map(async (folder) => {
      const contents = program.replace(/FOLDER\/(\w+)/, (_, name: keyof typeof entries) =>
        folder === "src" ? `./src/${entries[name]}` : `./dist/${name}.js`,
      );
      const stdin = { contents, resolveDir: projectRoot };
      const options = { bundle: true, minify: true, write: false, format: "esm", target: "es2022" } as const;
      const { outputFiles } = await build({ stdin, ...options, logLevel: "silent" });
      return gzipSync(outputFiles[0]?.contents ?? "").length;
    }),
  );
  const [fromSources, fromPackage] = sizes as [number, number];
  await annotate(`${fromSources} and ${fromPackage} bytes, gzipped`);
  expect(fromPackage).toBeLessThan(fromSources * 1.01 + 100);
});
