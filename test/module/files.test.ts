/** The files of modules: written to a folder, and declarations that a program is checked against. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { compile, dim, randn, type Tensor } from "stridewise";
import { saveModule, toModule } from "stridewise/module";
import { expect, test } from "vitest";
import { projectRoot, runTool } from "../support/command.ts";

mkdirSync(`${projectRoot}out`, { recursive: true });

function built() {
  const weight = randn([4, 2]) as Tensor;
  const fn = compile((x: Tensor) => ({ y: x.matmul(weight), more: [x.sum(), 3, "text", null] }), {
    inputs: [[dim("n", { max: 8 }), 4]],
  });
  for (let k = 0; k < 2; k++) fn(randn([3, 4]) as Tensor);
  return toModule(fn, { name: "sample", state: { "layer.weight": weight } });
}

test("files are written to a folder, and declarations fit the program", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(`${projectRoot}out/files-`);
  try {
    const module = built();
    await saveModule(folder, module);
    expect(readdirSync(folder).sort()).toEqual(["sample.d.ts", "sample.js", "sample.wasm"]);
    for (const [name, content] of Object.entries(module.files)) {
      const bytes = readFileSync(`${folder}/${name}`);
      expect(Buffer.compare(bytes, Buffer.from(content))).toBe(0);
    }
    const program = (lines: string): string =>
      `import { load } from "./sample.js";\nconst model = await load();\n${lines}\n`;
    const right = [
      "const { y, more } = model.run([new Float32Array(12)], { n: 3 });",
      "const all: [Float32Array, Float32Array, number, string, null] = [y, ...more];",
      'const weight: Float32Array = model.read("layer.weight");',
      'model.write("layer.weight", weight);',
      "void all;",
      "export {};",
    ];
    const wrong = [
      "model.run([new Float32Array(12)]);",
      "model.run([new Int8Array(12)], { n: 3 });",
      'model.read("bias");',
    ];
    writeFileSync(`${folder}/right.ts`, program(right.join("\n")));
    wrong.forEach((line, k) => {
      writeFileSync(`${folder}/wrong${k}.ts`, program(`${line}\nexport {};`));
    });
    const compilerOptions = {
      strict: true,
      target: "es2022",
      module: "esnext",
      moduleResolution: "bundler",
      noEmit: true,
      types: [],
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { stdout } = await runTool("tsc", ["-p", folder, "--pretty", "false"]);
    const errors = [...stdout.matchAll(/(\w+)\.ts\(3,\d+\): error (TS\d+)/g)].map(
      ([, file, code]) => `${file} ${code}`,
    );
    expect({
      errors: errors.sort(),
      lines: stdout
        .trim()
        .split("\n")
        .filter((line) => /^\S/.test(line)).length,
    }).toEqual({
      errors: ["wrong0 TS2554", "wrong1 TS2322", "wrong2 TS2345"],
      lines: 3,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a module is the same each time", () => {
  const fn = compile((x: Tensor) => x.mul(2).sum(1), { inputs: [[dim("n", { max: 2000 }), 4]] });
  for (let k = 0; k < 2; k++) fn(randn([3, 4]) as Tensor);
  expect(toModule(fn).files).toEqual(toModule(fn).files);
});

test("a folder that is not one", async () => {
  await expect(saveModule(3 as never, built())).rejects.toThrowErrorMatchingInlineSnapshot(
    `[FileError: saveModule: the first argument must be a path, got number.]`,
  );
  await expect(saveModule(`${projectRoot}package.json/such`, built())).rejects.toThrow("saveModule: ");
});
