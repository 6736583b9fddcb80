/**
 * Runs real models in the library and in ONNX Runtime, and compares their outputs; the same for the exported file and for the exported graph.
 *
 *   npm --prefix bench install
 *   npx tsx bench/onnx/models.ts                                  the models of examples/models, downloaded into its cache
 *   npx tsx bench/onnx/models.ts miniLm u2netp                    two of them
 *   npx tsx bench/onnx/models.ts FILE.onnx --dim sequence=12 --range input_ids=0:30000
 *   npx tsx bench/onnx/models.ts decoder.onnx --dim past_sequence_length=0 --steps 4 --feed present=past_key_values
 *
 * fp32: max |a - b| <= 1e-4 max |b| for each output, where b is that of ONNX Runtime. int8 and fp16: cosine >= 0.99, and the same largest element in the last row. Each step runs
 * three times: node by node, traced, and compiled. The status is 1 if an output differs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fetchWeights, type WeightsFile, weights } from "../../examples/models/weights.ts";
import { tableLines } from "../../src/cli/table.ts";
import { checkModel, titles } from "./check-model.ts";
import { type InputOptions, type Options, readOptions } from "./model-options.ts";

interface Subject {
  readonly name: string;
  readonly path: () => Promise<string>;
  readonly options: InputOptions;
}

const tokens = { input_ids: [0, 30000], token_type_ids: [0, 2] } as const;
/** How the models of the examples are called. */
const known: Readonly<
  Record<
    string,
    {
      readonly dims?: Readonly<Record<string, number>>;
      readonly ranges?: Readonly<Record<string, readonly [number, number]>>;
      readonly values?: Readonly<Record<string, readonly number[]>>;
      readonly steps?: number;
      readonly feeds?: InputOptions["feeds"];
    }
  >
> = {
  miniLm: { dims: { batch_size: 2, sequence_length: 40 }, ranges: tokens },
  miniLmInt8: { dims: { batch_size: 2, sequence_length: 40 }, ranges: tokens },
  u2netp: { ranges: { "input.1": [0, 1] } },
  sileroVad: {
    dims: { "input:1": 512, "state:1": 1 },
    values: { sr: [16000] },
    steps: 3,
    feeds: [["stateN", "state"]],
  },
  ocrDetection: { dims: { "x:1": 3, "x:2": 320, "x:3": 416 }, ranges: { x: [-2, 2.5] } },
};

function subjectsOf(options: Options): readonly Subject[] {
  const names = options.files.length > 0 ? options.files : Object.keys(known);
  return names.map((name) => {
    const own = known[name];
    if (own === undefined) return { name: basename(name, ".onnx"), path: async () => name, options };
    const { dims = {}, ranges = {}, values = {}, steps = 1, feeds = [] } = own;
    const entries = <T>(record: Readonly<Record<string, T>>) => new Map(Object.entries(record));
    return {
      name,
      path: () => fetchWeights((weights as Readonly<Record<string, WeightsFile>>)[name]),
      options: { dims: entries(dims), ranges: entries(ranges), values: entries(values), steps, feeds },
    };
  });
}

const options = readOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), "stridewise-models-"));
const rows: (readonly string[])[] = [];
const faults: string[] = [];
for (const { name, path, options: inputOptions } of subjectsOf(options)) {
  try {
    const report = await checkModel(name, await path(), inputOptions, options.isExported ? folder : null);
    rows.push(report.cells);
    faults.push(...report.faults);
  } catch (error) {
    faults.push(`${name}: ${(error as Error).message.split("\n").slice(0, 3).join(" ")}`);
    rows.push([name, "", "", "", "", "", "", "ERROR"]);
  }
}
rmSync(folder, { recursive: true });
for (const line of tableLines(titles, rows)) console.log(line);
for (const fault of faults.slice(0, 40)) console.log(fault);
if (faults.length > 40) console.log(`and ${faults.length - 40} more`);
process.exit(faults.length > 0 ? 1 : 0);
