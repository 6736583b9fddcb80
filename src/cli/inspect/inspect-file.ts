/** The command `inspect`: lists the content of a file of tensors or a model, from its header. */

import { bytesText } from "../../draw/graph/bytes-text.ts";
import { Limits } from "../../io/limits.ts";
import { loneNpyHead } from "../../io/npy.ts";
import { safetensorsHeaderReader } from "../../io/safetensors.ts";
import { openPath, readFromSource } from "../../io/source.ts";
import { integerOption, UsageError } from "../arguments.ts";
import type { Invocation, Outcome } from "../command.ts";
import { requireFile } from "../onnx/files.ts";
import { npzHeaders } from "./npz-headers.ts";
import { columns, type FileTensorInfo, totalsOf, totalsText, treeLines } from "./tree.ts";

/** Reads the header of a file, by the end of its name. */
export async function inspectFile(path: string, { options }: Invocation, signal: AbortSignal): Promise<Outcome> {
  const kind = /\.(onnx|safetensors|npy|npz)$/i.exec(path)?.[1].toLowerCase();
  if (kind === undefined) throw new UsageError(`inspect: ${path} must end in .onnx, .safetensors, .npy or .npz.`);
  requireFile(path);
  const depth = integerOption(options, "depth") ?? Infinity;
  const source = await openPath("inspect", path);
  const limits = new Limits({ maxBytes: Infinity }, source.size);
  const title = (about: string): string => `${path}: ${about}, ${bytesText(source.size)}`;
  const outcome = (
    format: string,
    tensors: readonly FileTensorInfo[],
    metadata?: ReadonlyMap<string, string>,
  ): Outcome => ({
    lines: [
      title(format),
      totalsText(tensors),
      ...treeLines(tensors, depth),
      ...(metadata === undefined || metadata.size === 0
        ? []
        : ["metadata", ...columns([...metadata]).map((line) => `  ${line}`)]),
    ],
    data: {
      format,
      fileBytes: source.size,
      totals: totalsOf(tensors),
      tensors,
      ...(metadata !== undefined && { metadata: Object.fromEntries(metadata) }),
    },
  });
  switch (kind) {
    case "npy": {
      const { dtype, shape, order, begin, end } = await readFromSource(
        source,
        loneNpyHead("inspect", source.size, limits),
      );
      const about = order === "F" ? ", Fortran order" : "";
      return {
        lines: [title(".npy"), `${dtype}[${shape.join(", ")}]  ${bytesText(end - begin)}${about}`],
        data: { format: ".npy", fileBytes: source.size, dtype, shape, order, bytes: end - begin },
      };
    }
    case "npz":
      return outcome(".npz", await npzHeaders(source));
    case "safetensors": {
      const { entries, metadata } = await readFromSource(
        source,
        safetensorsHeaderReader("inspect", source.size, limits),
      );
      const tensors = [...entries].map(([name, { dtype, shape, begin, end }]) => ({
        name,
        dtype,
        shape,
        bytes: end - begin,
      }));
      return outcome(".safetensors", tensors, metadata);
    }
    default: {
      const { inspectModel } = await import("./inspect-model.ts");
      return inspectModel(source, title, depth, signal);
    }
  }
}
