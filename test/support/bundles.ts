/**
 * A program as bundlers deliver it: minified, with unused code dropped, in a separate folder. Each bundler has the
 * settings that its manual recommends for an ES module in a page and nothing else; its warnings are returned. The
 * sources are bundled instead of the package.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { build as buildWithEsbuild, transform } from "esbuild";
import { build as buildWithVite, createLogger } from "vite";
import webpack from "webpack";
import { projectRoot } from "./command.ts";

/** The output of a bundler. */
export interface Bundle {
  /** The folder, with a trailing slash. */
  readonly folder: string;
  /** The names of all its files; the program is `program.js`. */
  readonly files: readonly string[];
  /** The bundler's warnings. */
  readonly warnings: readonly string[];
}

type Bundler = (entry: string, folder: string) => Promise<string[]>;

const esbuild: Bundler = async (entry, folder) => {
  const { warnings } = await buildWithEsbuild({
    entryPoints: { program: entry },
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  });
  return warnings.map(({ text }) => text);
};

const vite: Bundler = async (entry, folder) => {
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  await buildWithVite({
    configFile: false,
    root: projectRoot,
    base: "./",
    logLevel: "warn",
    customLogger: { ...createLogger("silent"), info: () => undefined, warn, warnOnce: warn },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      // Vite warns about any chunk over 500 kB; the limits of gzipped sizes are in bundle-size.test.ts.
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        input: { program: entry },
        preserveEntrySignatures: "strict",
        output: { entryFileNames: "[name].js" },
      },
    },
  });
  return warnings;
};

/** Webpack cannot read TypeScript by itself. */
const typescriptLoader = `module.exports = async function (source) {
  const done = this.async();
  const { code } = await require("esbuild").transform(source, { loader: "ts", target: "es2022" });
  done(null, code);
};`;

/** Webpack's own minifier takes a minute of one core; esbuild takes a tenth of a second. */
function minify(compiler: webpack.Compiler): void {
  const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE;
  compiler.hooks.compilation.tap("minify", (compilation) =>
    compilation.hooks.processAssets.tapPromise({ name: "minify", stage }, async (assets) => {
      for (const [name, asset] of Object.entries(assets)) {
        const { code } = await transform(String(asset.source()), { minify: true, target: "es2022" });
        compilation.updateAsset(name, new webpack.sources.RawSource(code));
      }
    }),
  );
}

function runWebpack(entry: string, folder: string, more: webpack.Configuration): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const loader = `${folder}loader.cjs`;
  writeFileSync(loader, typescriptLoader);
  const compiler = webpack({
    mode: "production",
    target: ["web", "es2022"],
    context: projectRoot,
    entry: { program: entry },
    module: { rules: [{ test: /\.ts$/, loader }] },
    performance: { hints: false },
    optimization: { minimizer: [minify] },
    ...more,
    output: { path: folder, filename: "[name].js", ...more.output },
  });
  return new Promise((resolve, reject) => {
    compiler?.run((error, stats) => {
      rmSync(loader);
      const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
      const failure = error ?? (errors.length > 0 ? new Error(errors.map(({ message }) => message).join("\n")) : null);
      compiler.close(() => (failure ? reject(failure) : resolve(warnings.map(({ message }) => message))));
    });
  });
}

const bundlers = {
  esbuild,
  vite,
  webpack: (entry, folder) =>
    runWebpack(entry, folder, {
      experiments: { outputModule: true },
      output: { module: true, library: { type: "module" } },
    }),
  /** For a page without modules; the exports of the program are the global `program`. */
  "webpack, as a script": (entry, folder) =>
    runWebpack(entry, folder, { output: { library: { type: "var", name: "program" } } }),
} satisfies Record<string, Bundler>;

export type BundlerName = keyof typeof bundlers;

/** Bundles a source file into `out/bundles/`. Each caller passes its own name, because test files run concurrently. */
export async function bundle(bundler: BundlerName, source: string, name: string): Promise<Bundle> {
  const folder = `${projectRoot}out/bundles/${name}/${bundler.replaceAll(/\W+/g, "-")}/`;
  rmSync(folder, { recursive: true, force: true });
  const warnings = await bundlers[bundler](projectRoot + source, folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { folder, files: files.map(({ name }) => name), warnings };
}
