/**
 * The package as users install it: built, packed by npm, then checked by publint (is package.json correct?) and by
 * are-the-types-wrong (does every entry point resolve, types included?). The package has only ES modules, so the
 * resolution modes of CommonJS callers are left out.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { filterProblems } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, expect, test } from "vitest";
import { typed } from "../end-to-end/cli/typed.ts";
import { projectRoot, requireSuccess, runCommand } from "../support/command.ts";

const packFolder = `${projectRoot}out/package/`;
let tarball: Uint8Array<ArrayBuffer>;
let tarballFile: string;
let packedPaths: readonly string[];

/** How often a file of dist/ was missing during a rebuild, and the number of checks. */
const seen = { looks: 0, missing: 0 };

/** Builds, and meanwhile checks the files that a program using this checkout would open. */
async function buildAndLook(): Promise<void> {
  const files = ["dist/index.js", "dist/index.d.ts", "dist/node/index.js", "dist/node/worker.js"];
  mkdirSync(`${projectRoot}dist/old`, { recursive: true });
  writeFileSync(`${projectRoot}dist/old/unused.js`, "export {};\n");
  // The first build of a checkout has nothing to check; the next one has to write this file again.
  if (!existsSync(`${projectRoot}dist/node/index.js`)) requireSuccess(await runCommand("npm", ["run", "build"]));
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
  const [report] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
  packedPaths = report.files.map((file) => file.path);
  tarballFile = packFolder + report.filename;
  tarball = new Uint8Array(readFileSync(tarballFile));
}, 240_000);

test("a build never removes a file from programs that use the checkout, and leaves no old files behind", () => {
  expect(seen.looks).toBeGreaterThan(100);
  expect(seen.missing).toBe(0);
  expect(existsSync(`${projectRoot}dist/old/unused.js`)).toBe(false);
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
  const place = `${folder}node_modules/stridewise/`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  requireSuccess(await runCommand("tar", ["-xzf", tarballFile, "-C", place, "--strip-components=1"]));
  return folder;
}

/** All entries in one process: they share their classes and find their workers. */
const inNode = `import * as s from "stridewise";
const names = ["layout", "explain", "tuple", "notation", "expr", "cute", "storage", "io", "draw", "nn", "optim", "data", "kernel"];
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
  expect(readdirSync(`${folder}node_modules/stridewise/dist/node`).length).toBeLessThan(80);
});

test("the entries for Node and for bundlers export the same names", { timeout: 60_000 }, async () => {
  const { exports } = JSON.parse(readFileSync(`${projectRoot}package.json`, "utf8")) as {
    exports: Record<string, { node?: string; default: string }>;
  };
  const pairs = Object.values(exports).filter(({ node }) => node !== undefined);
  expect(pairs.length).toBe(14);
  const program = `for (const [a, b] of ${JSON.stringify(pairs.map((pair) => [pair.node, pair.default]))}) {
    const [x, y] = await Promise.all([import("${projectRoot}" + a), import("${projectRoot}" + b)]);
    if (String(Object.keys(x)) !== String(Object.keys(y))) console.log(a, b);
  }`;
  const ran = await runCommand(process.execPath, ["--input-type=module", "-e", program]);
  expect(ran).toEqual({ code: 0, stdout: "", stderr: "" });
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

/** A library of tensor functions: the compiler must be able to emit their return types. */
const library = `import * as s from "stridewise";
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
`;

test("a library of tensor functions can emit its declarations", { timeout: 60_000 }, async () => {
  const folder = `${projectRoot}out/library/`;
  mkdirSync(`${folder}node_modules`, { recursive: true });
  rmSync(`${folder}node_modules/stridewise`, { recursive: true, force: true });
  symlinkSync(projectRoot, `${folder}node_modules/stridewise`, "dir");
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
  const all = ["tsc", ...options, ...checks, "--preserveSymlinks", `${folder}library.mts`];
  const compiled = await runCommand("npx", all);
  expect(compiled.stdout).toBe("");
  requireSuccess(compiled);
});

test("the package contains the required files and nothing else", ({ annotate }) => {
  expect(
    packedPaths.filter((path) => !/^(dist\/.*\.(js|js\.map|d\.ts)|[A-Z-]+\.md|LICENSE|package\.json)$/.test(path)),
  ).toEqual([]);
  expect(packedPaths.filter((path) => path.includes(".test."))).toEqual([]);
  return annotate(`${packedPaths.length} files, ${Math.ceil(tarball.length / 1000)} kB packed`);
});
