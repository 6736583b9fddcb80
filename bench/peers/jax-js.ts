/**
 * jax-js on its WebAssembly backend, with its default settings (its workers need a browser, so it runs on one thread
 * here). Its ops return before they have run, so a call waits until the result is ready. Arguments are consumed, so
 * rows pass `x.ref`.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arraysOf, type JaxArray } from "../rows/row.ts";
import { entryOf, type Prepare } from "./peer.ts";

export const prepare: Prepare = async (row) => {
  const jax = await import("@jax-js/jax");
  const devices = await jax.init("wasm");
  if (!devices.includes("wasm")) throw new Error(`no WebAssembly backend here, only ${devices.join(", ")}`);
  jax.defaultDevice("wasm");
  const arrays = arraysOf(row, (values, shape) => jax.numpy.array(values as Float32Array<ArrayBuffer>).reshape(shape));
  await jax.blockUntilReady(Object.values(arrays));
  const body = entryOf(row, "jax-js")(jax, arrays) as () => JaxArray;
  let last: JaxArray | undefined;
  return {
    version: versionOf("@jax-js/jax"),
    async call() {
      last?.dispose();
      last = body();
      await last.blockUntilReady();
    },
    read: () => (last as JaxArray).ref.dataSync() as Float32Array,
  };
};

/** The version in a package's own package.json, for libraries that do not export it. */
function versionOf(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const root = entry.slice(0, entry.lastIndexOf(`${name}/`) + name.length);
  return (JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { version: string }).version;
}
