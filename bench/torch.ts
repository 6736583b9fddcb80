/**
 * A Python process that runs a line of PyTorch a requested number of times and answers when it is done. It measures no
 * time itself, so PyTorch takes part in the same interleaved rounds as everything else.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** PyTorch, ready to run lines of code. */
export interface Torch {
  /** Runs an expression this number of times. */
  repeat(code: string, count: number): Promise<void>;
  close(): void;
}

const program = `
import sys
try:
    import torch
except ImportError:
    print("absent", flush=True)
    sys.exit()
scope = {"torch": torch}
exec(sys.argv[1], scope)
print("ready", torch.__version__, flush=True)
loops = {}
for line in sys.stdin:
    count, code = line.rstrip("\\n").split(" ", 1)
    if code not in loops:
        exec(f"def loop(n):\\n  for _ in range(n):\\n    {code}\\n", scope)
        loops[code] = scope["loop"]
    loops[code](int(count))
    print("done", flush=True)
`;

/** Starts Python with PyTorch and runs the setup. Returns null if PyTorch is not installed. */
export async function openTorch(setup: string): Promise<Torch | null> {
  const child = spawn(process.env.PYTHON ?? "python3", ["-c", program, setup], { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const failure = new Promise<string>((resolve) => child.on("error", () => resolve("absent")));
  const first = await Promise.race([lines.next().then(({ value }) => String(value)), failure]);
  if (!first.startsWith("ready")) return null;
  console.log(`PyTorch ${first.slice("ready ".length)}`);
  return {
    async repeat(code, count) {
      child.stdin.write(`${count} ${code}\n`);
      await lines.next();
    },
    close: () => child.stdin.end(),
  };
}
