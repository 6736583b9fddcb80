/**
 * Node under `ulimit -v`, as job schedulers and shared machines set it. V8 cannot reserve the addresses that it wants for a WebAssembly
 * memory then: results are right all the same, the one warning names the flag that helps, and with that flag kernels are fast again.
 */
import { beforeAll, expect, test } from "vitest";
import { projectRoot, runCommand } from "../support/command.ts";
import { bundlePrograms } from "../support/memory-programs.ts";

const eightGigabytes = 8_000_000;
const flag = "--disable-wasm-trap-handler";

beforeAll(() => bundlePrograms(["limited-addresses"]));

/** What a product of two n x n matrices prints under the limit, in a process of its own. */
async function underLimit(n: number, ...flags: string[]) {
  const program = [process.execPath, ...flags, `${projectRoot}out/memory/limited-addresses.mjs`, String(n)].join(" ");
  const { code, stdout, stderr } = await runCommand("sh", ["-c", `ulimit -v ${eightGigabytes} && exec ${program}`]);
  return { code, stderr, ...(JSON.parse(stdout) as { total: number; maximumBytes: number; seconds: number }) };
}

const canLimit = process.platform === "linux";

test.runIf(canLimit)(
  "without a heap the result is right, and the warning names the remedy",
  { timeout: 120_000 },
  async () => {
    const { code, stderr, total, maximumBytes } = await underLimit(20);
    expect({ code, total }).toEqual({ code: 0, total: 8000 });
    // An engine that reserves less has a heap, and nothing to say.
    if (maximumBytes > 0) expect(stderr).toBe("");
    else
      expect(stderr).toMatch(
        /^stridewise: no WebAssembly memory can be created here.* \(ulimit -v\), start node --disable-wasm-trap-handler\..*\n$/,
      );
  },
);

test.runIf(canLimit)(
  "with the flag there is a heap, no warning, and a product of 1000 x 1000 takes seconds",
  { timeout: 120_000 },
  async () => {
    const { code, stderr, total, maximumBytes, seconds } = await underLimit(1000, flag);
    expect({ code, stderr, total }).toEqual({ code: 0, stderr: "", total: 1e9 });
    expect(maximumBytes).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(60);
  },
);
