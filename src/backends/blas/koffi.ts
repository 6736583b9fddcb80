/**
 * Finding koffi, a package that calls functions of native libraries, if the user has installed it beside this library or beside
 * the program. Reached through `process` at run time, so that no bundler sees it; anywhere but in Node there is a reason instead.
 */

/** The part of koffi that is used. */
export interface Koffi {
  /** Opens a library; throws if there is none of that name. */
  load(name: string): { func(prototype: string): (...args: never[]) => unknown };
  /** Where the elements of a typed array lie. */
  address(window: ArrayBufferView): bigint;
}

interface NodeProcess {
  readonly argv?: readonly string[];
  getBuiltinModule?(name: string): unknown;
}
type CreateRequire = (from: string) => (name: string) => unknown;

/** koffi, or the reason why it cannot be had. */
export function findKoffi(): Koffi | string {
  const place = (globalThis as { process?: NodeProcess }).process;
  const module = place?.getBuiltinModule?.("module") as { createRequire?: CreateRequire } | undefined;
  if (!module?.createRequire) return "only Node 20.16 and later can call native libraries";
  for (const from of [import.meta.url, place?.argv?.[1]])
    try {
      if (from) return module.createRequire(from)("koffi") as Koffi;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== "MODULE_NOT_FOUND" || !message.includes("'koffi'")) return `koffi cannot be loaded: ${message}`;
    }
  return "koffi is not installed: npm install koffi";
}
