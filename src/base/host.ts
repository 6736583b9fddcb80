/**
 * The runtime that executes this program: its version, environment variables, built-in modules and V8's flags.
 * Reads `process` at run time, so that bundlers see no import of a Node module. In browsers all results are undefined or false.
 */

interface Process {
  readonly versions?: { readonly node?: string };
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly execArgv?: readonly string[];
  getBuiltinModule?(name: string): unknown;
}

const host = (): Process => (globalThis as { process?: Process }).process ?? {};

/** The version of Node, `"20.20.2"`, or undefined elsewhere. */
export function nodeVersion(): string | undefined {
  return host().versions?.node;
}

/** The value of an environment variable; undefined if it is not set, is empty, or may not be read (Deno without --allow-env). */
export function environmentVariable(name: string): string | undefined {
  try {
    return host().env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** One of Node's built-in modules; undefined elsewhere and before Node 20.16, which needs an import. */
export function builtinModule(name: "v8" | "vm" | "os" | "async_hooks" | "module" | "url"): unknown {
  return host().getBuiltinModule?.(name);
}

const flags = new Map<string, boolean>();

/** True if and only if a V8 flag is on: by `setFlag`, on the command line or in NODE_OPTIONS. */
export function isFlagOn(flag: string): boolean {
  const options = `${host().execArgv?.join(" ")} ${environmentVariable("NODE_OPTIONS")}`
    .replaceAll("_", "-")
    .split(/[\s"']+/);
  return flags.get(flag) ?? options.includes(`--${flag}`);
}

/** Switches a V8 flag on or off. Returns false if flags cannot be set. An unknown flag makes V8 print an error. */
export function setFlag(flag: string, isOn: boolean): boolean {
  const v8 = builtinModule("v8") as { setFlagsFromString?(flags: string): void } | undefined;
  try {
    if (!v8?.setFlagsFromString) return false;
    v8.setFlagsFromString(`--${isOn ? "" : "no-"}${flag}`);
  } catch {
    // Not every runtime that is compatible with Node has flags.
    return false;
  }
  flags.set(flag, isOn);
  return true;
}

/** The number of hardware threads, or undefined if unknown. */
export function hardwareThreads(): number | undefined {
  const os = builtinModule("os") as { availableParallelism?(): number } | undefined;
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } };
  return os?.availableParallelism?.() ?? navigator?.hardwareConcurrency;
}
