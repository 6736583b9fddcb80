/** The command `run`: loads a model and its inputs, runs it, writes its outputs, and measures. */
import { configure } from "../../index.ts";
import { loadOnnx, type OnnxInput, type OnnxModel, type OnnxValue } from "../../onnx/index.ts";
import { tensorsIn } from "../../onnx/values.ts";
import { integerOption, optionValue, UsageError } from "../arguments.ts";
import type { Invocation, Outcome } from "../command.ts";
import type { ModelIo } from "../model-command.ts";
import { createFolder, writeTo } from "../output.ts";
import { timeText } from "../table.ts";
import { requireFile } from "./files.ts";
import { readInputs } from "./model-inputs.ts";
import { outputsOf, printedOutputs, writeOutputs } from "./model-outputs.ts";
import { profileChart, profileLines } from "./profile-report.ts";

/** The outputs of a run, and its time. */
interface Run {
  readonly values: Record<string, OnnxValue>;
  readonly ms: number;
}

/** The runs of a profile if --repeat is omitted. */
const profileRuns = 3;

/** Reads and checks the options, so that no mistake is reported after a long run. */
function optionsOf({ options }: Invocation) {
  const repeat = integerOption(options, "repeat") ?? 0;
  const threads = integerOption(options, "threads");
  if (threads !== undefined && (threads < 1 || threads > 64))
    throw new UsageError(`--threads must be an integer from 1 to 64, got ${threads}.`);
  const isProfiled = options.has("profile");
  const svg = optionValue(options, "svg");
  if (svg !== undefined && !isProfiled) throw new UsageError("run: --svg draws a profile. Pass --profile too.");
  if (options.has("latex")) throw new UsageError("run has no picture for --latex.");
  const folder = optionValue(options, "output")?.replace(/(.)[\\/]+$/, "$1");
  return { repeat, threads, isProfiled, svg, folder, isCompiled: !options.has("no-compile") };
}

/** Runs a model once, and then `repeat` times. */
export async function runModel(path: string, invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const { repeat, threads, isProfiled, svg, folder, isCompiled } = optionsOf(invocation);
  const note = (text: string): void => io.err(`${text}\n`);
  const say = invocation.options.has("quiet") ? () => {} : note;
  const signal = io.signal();
  if (threads !== undefined) configure({ threads });
  requireFile(path);
  const times = new Map<string, number>();
  const timed = async <T>(what: string, run: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await run();
    times.set(what, performance.now() - start);
    signal.throwIfAborted();
    return result;
  };
  say(`loading ${path}`);
  const model = await timed("load", () => loadOnnx(path, { compile: isCompiled }));
  const inputs = await timed("inputs", () =>
    readInputs(model, path, invocation.options.get("input") ?? [], { say: note, signal }),
  );
  const wanted = outputsOf(model, invocation.options.get("outputs") ?? []);
  if (folder !== undefined) createFolder(folder, io);
  const run = (): Run => {
    const start = performance.now();
    const values = model.run(inputs, { outputs: wanted });
    return { values, ms: performance.now() - start };
  };
  say("running");
  const { values, ms } = io.interruptible(run);
  say(`loaded in ${timeText(times.get("load") as number)}, ran in ${timeText(ms)}`);
  // All runs are one call, because a signal can be lost where one call ends and the next one starts.
  const repeated = repeat === 0 ? null : io.interruptible(() => measure(run, repeat, isCompiled));
  if (repeated !== null) say(timesText(repeated, isCompiled));
  const profiles = isProfiled ? profilesOf(model, inputs, repeat || profileRuns, isCompiled, io) : null;
  const chart = (): string => profileChart(profiles as NonNullable<typeof profiles>, path);
  const outputs =
    folder === undefined ? printedOutputs(values) : await writeOutputs(values, folder, { say: note, signal });
  const drawn = profiles !== null && svg === undefined && folder !== undefined ? `${folder}/profile.svg` : null;
  if (drawn !== null) {
    writeTo(drawn, chart(), io);
    say(`profile: ${drawn}`);
  }
  model.dispose();
  return {
    lines: [...outputs.lines, ...(profiles === null ? [] : profileLines(profiles))],
    data: {
      outputs: outputs.data,
      ms: { ...Object.fromEntries(times), run: ms, ...(repeated !== null && { repeated }) },
      ...(profiles !== null && { profile: profiles }),
    },
    ...(profiles !== null && { svg: chart }),
  };
}

/** Measures further runs, in milliseconds. The first of them compiles the model, and is not counted. */
function measure(run: () => Run, count: number, isCompiled: boolean): readonly number[] {
  const times: number[] = [];
  for (let k = isCompiled ? -1 : 0; k < count; k++) {
    const { values, ms } = run();
    if (k >= 0) times.push(ms);
    for (const value of Object.values(values)) for (const t of tensorsIn(value)) t.dispose();
  }
  return times;
}

/** "20 compiled runs: median 1.2 ms, fastest 1.1 ms" */
function timesText(times: readonly number[], isCompiled: boolean): string {
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const what = `${times.length} ${isCompiled ? "compiled " : ""}run${times.length === 1 ? "" : "s"}`;
  return `${what}: median ${timeText(median)}, fastest ${timeText(sorted[0])}`;
}

function profilesOf(
  model: OnnxModel,
  inputs: Readonly<Record<string, OnnxInput>>,
  repeat: number,
  isCompiled: boolean,
  io: ModelIo,
) {
  const nodes = io.interruptible(() => model.profile(inputs, { repeat }));
  const compiled = isCompiled ? io.interruptible(() => model.profile(inputs, { repeat, compile: true })) : null;
  return { nodes, compiled };
}
