/** Saves models, and runs the files in ONNX Runtime and here. */
import * as ort from "onnxruntime-node";
import type { Tensor } from "../../src/index.ts";
import { OnnxError, toOnnx } from "../../src/onnx/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import type { OnnxModel } from "../../src/onnx/model.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import type { OnnxValue } from "../../src/onnx/values.ts";
import { difference, fedValue, receivedValue } from "./difference.ts";

/**
 * Exports a model as one compiled function, and compares what the file returns with `expected`. Returns how it differs; null if it does not, or if
 * the export is refused.
 */
export async function exportFault(
  model: OnnxModel,
  feeds: Readonly<Record<string, Tensor>>,
  expected: Readonly<Record<string, OnnxValue>>,
  slack = 0,
): Promise<{ readonly kind: "equal" | "refused" | "fault"; readonly text: string }> {
  const names = model.inputs.map(({ name }) => name);
  let bytes: Uint8Array;
  try {
    const compiled = model.compiled();
    bytes = toOnnx(compiled, { args: names.map((name) => feeds[name]), inputs: names });
  } catch (error) {
    const isNamed = error instanceof OnnxError || /^(compile|trace|compiled)/.test((error as Error).message);
    return { kind: isNamed ? "refused" : "fault", text: `toOnnx: ${(error as Error).message.split("\n")[0]}` };
  }
  const list = Object.values(expected);
  try {
    const again = prepareModel(readModel(bytes), { compile: false });
    const results = Object.values(again.run(Object.fromEntries(again.inputs.map(({ name }) => [name, feeds[name]]))));
    for (const [k, value] of results.entries()) {
      const text = difference(value, list[k], slack);
      if (text !== null) return { kind: "fault", text: `exported, loaded again: output ${k}: ${text}` };
    }
  } catch (error) {
    return { kind: "fault", text: `exported, loaded again: ${(error as Error).message.split("\n")[0]}` };
  }
  try {
    const session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 4 });
    const results = await session.run(
      Object.fromEntries(session.inputNames.map((name) => [name, fedValue(feeds[name])])),
    );
    for (const [k, name] of session.outputNames.entries()) {
      const text = difference(receivedValue(results[name]), list[k], slack);
      if (text !== null) return { kind: "fault", text: `exported, run there: output ${k}: ${text}` };
    }
    await session.release();
  } catch (error) {
    return { kind: "fault", text: `exported, run there: ${(error as Error).message.split("\n")[0]}` };
  }
  return { kind: "equal", text: "" };
}
