/**
 * Records what onnxruntime-node computes for the cases: `npx tsx test/onnx/recorded/record.ts DIR`, where DIR has the package installed. Needed only
 * when cases are added or changed.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { boot } from "../../../src/boot.ts";
import { toTypedArray } from "../../../src/tensor/convert/to-array.ts";
import { nodeFeeds, nodeModel } from "../../support/onnx-node.ts";
import { recordedCases } from "./cases.ts";

interface OrtTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: ArrayLike<number | bigint>;
}
type Feeds = Readonly<Record<string, OrtTensor>>;
interface Ort {
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => OrtTensor;
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<{ run(feeds: Feeds): Promise<Feeds> }>;
  };
}

boot();
const directory = process.argv[2];
if (directory === undefined) throw new Error("record: the folder with onnxruntime-node is missing");
const require = createRequire(resolve(directory, "package.json"));
const ort = require("onnxruntime-node") as Ort;
const { version } = require("onnxruntime-node/package.json") as { version: string };

/** A number as JSON; infinities and NaN as texts. */
const plain = (value: number | bigint): number | string => {
  const number = Number(value);
  return Number.isFinite(number) ? Number(number.toPrecision(8)) : String(number);
};

const lines: string[] = [];
for (const [name, node] of Object.entries(recordedCases)) {
  const feeds = Object.fromEntries(
    Object.entries(nodeFeeds(node)).map(([input, t]) => {
      const type = node.types?.[Number(input.slice(2))];
      if (type !== undefined) throw new Error(`${name}: ${input} must be a constant`);
      return [input, new ort.Tensor(String(t.dtype), toTypedArray(t.contiguous()), t.shape)];
    }),
  );
  try {
    const session = await ort.InferenceSession.create(nodeModel(node), {
      intraOpNumThreads: 1,
      graphOptimizationLevel: "disabled",
      logSeverityLevel: 4,
    });
    const results = await session.run(feeds);
    const outputs = Array.from({ length: node.outputs ?? 1 }, (_, k) => results[`out${k}`] ?? null).map(
      (each) => each && { type: each.type, shape: each.dims, data: Array.from(each.data, plain) },
    );
    lines.push(`${JSON.stringify(name)}: ${JSON.stringify(outputs)}`);
  } catch (error) {
    console.log(`${name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
writeFileSync(
  new URL("onnxruntime.json", import.meta.url),
  `{\n"source": "onnxruntime-node ${version}",\n"results": {\n${lines.join(",\n")}\n}\n}\n`,
);
