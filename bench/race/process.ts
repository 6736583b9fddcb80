/**
 * A contestant as seen by the race: a process that answers lines with lines. It never outlives the race, because its
 * input ends with it, and it never blocks a row, because every wait has a time limit.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A contestant that is ready to run. */
export interface Runner {
  readonly version: string;
  /** Returns the nanoseconds that `calls` calls take together. */
  run(calls: number, milliseconds: number): Promise<number>;
  /** The number of elements of the last result, and some of them. */
  probe(
    indices: readonly number[],
    milliseconds: number,
  ): Promise<{ length: number; values: readonly (number | null)[] }>;
  stop(): void;
}

/** The contestant is absent, with the reason. */
export class AbsentError extends Error {}
/** The time limit was too short. */
export class TimeoutError extends AbsentError {}

type Answer = Readonly<Record<string, unknown>>;

/** Starts a program and waits until it reports that it is ready. */
export async function startRunner(command: string, options: readonly string[], milliseconds: number): Promise<Runner> {
  const single = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
  const child = spawn(command, options, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...single } });
  const next = answersOf(child);
  const ask = async (order: object, patience: number): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    return next(patience);
  };
  const first = await next(milliseconds);
  if (typeof first.ready !== "string") {
    child.stdin.end();
    throw new AbsentError(firstLine(String(first.absent)));
  }
  return {
    version: first.ready,
    run: async (calls, patience) => (await ask({ calls }, patience)).nanoseconds as number,
    probe: async (indices, patience) =>
      (await ask({ probe: indices }, patience)) as { length: number; values: (number | null)[] },
    stop: () => child.stdin.end(),
  };
}

/** Returns a function that waits for the next answer of a process and kills a process that does not answer in time. */
function answersOf(child: ChildProcess): (milliseconds: number) => Promise<Answer> {
  let complaints = "";
  let ended: AbsentError | undefined;
  const answers: Answer[] = [];
  let wake: () => void = () => undefined;
  const end = (why: AbsentError): void => {
    ended ??= why;
    wake();
  };
  child.stdin?.on("error", () => undefined);
  child.stderr?.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-2000);
  });
  child.on("error", (error) => end(new AbsentError(error.message)));
  child.on("close", (code, signal) =>
    end(new AbsentError(`it ended (${signal ?? `code ${code}`}) ${lastLine(complaints)}`.trim())),
  );
  createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> }).on("line", (line) => {
    if (!line.startsWith("= ")) return;
    answers.push(JSON.parse(line.slice(2)) as Answer);
    wake();
  });
  return async (milliseconds) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      end(new TimeoutError(`no answer in ${(milliseconds / 1000).toFixed(1)} s; BENCH_PATIENCE=4 gives it longer`));
    }, milliseconds);
    try {
      for (;;) {
        const answer = answers.shift();
        if (answer) return answer;
        if (ended !== undefined) throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  };
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
