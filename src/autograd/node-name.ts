/**
 * The names of recorded calls, as PyTorch prints them: `grad_fn=<MulBackward0>`. A name is that of the op in capitalized words, and the number
 * of PyTorch's overload. A short table has the ops that PyTorch knows by another name; ops that it does not have keep their own.
 */
import { once } from "../base/remember.ts";
import type { Arguments } from "../tensor/dispatch/operator.ts";
import { Tensor } from "../tensor/tensor.ts";

/** `op:Name`, where PyTorch has another name; `op:Name/1` where the overload is not its first. */
const otherNames =
  "T:Permute mT:Transpose movedim:Permute narrow:Slice chunk:Split unflatten:View partView:Select pick:Index " +
  "max:Max/1 min:Min/1 maxAlong:Max minAlong:Min medianAlong:Median/1 vectorNorm:LinalgVectorNorm " +
  "square:Pow relu6:Hardtanh selu:Elu preluOf:PreluKernel gated:Glu dropped:Mul standardize:NativeLayerNorm normApply:NativeBatchNorm " +
  "attend:ScaledDotProductFlashAttentionForCpu convolutionTransposed:Convolution windowMax:MaxPool2DWithIndices pad:ConstantPadNd " +
  "byLength:Div bagMean:EmbeddingBag mseLossEach:MseLoss linalg.cholesky:LinalgCholeskyEx linalg.inv:LinalgInvEx linalg.solve:LinalgSolveEx";

const isGiven = (arg: unknown): boolean => arg != null;

/** What PyTorch's name depends on beside the op: the axis of a reduction, an exponent, ranks, the kinds of indices. */
function byArguments(op: string, args: Arguments): string | undefined {
  const b = args[1];
  switch (op) {
    case "sum":
    case "mean":
    case "prod":
    case "squeeze":
      return isGiven(b) ? `${op}/1` : undefined;
    case "pow":
      return b instanceof Tensor ? "pow/1" : undefined;
    case "clone":
      return isGiven(args[2]) ? "toCopy" : undefined;
    case "matmul": {
      const [m, n] = [(args[0] as Tensor).rank, (b as Tensor).rank];
      return m > 2 || n > 2 ? "bmm" : ["dot", "mv", "mm"][m + n - 2];
    }
    case "at": {
      const items = args[1] as readonly unknown[];
      if (items.some((item) => item instanceof Tensor)) return "index";
      return typeof items.at(-1) === "number" ? "select" : "slice";
    }
    default:
      return undefined;
  }
}

/** "linalg.det" as LinalgDet, "log1p" as Log1P, "toCopy" as ToCopy, "relu_" as Relu. */
const capitalized = (op: string): string =>
  op.replace(/_$/, "").replace(/(^|\.|\d)([a-z])/g, (all) => all.replace(".", "").toUpperCase());

const others = /* @__PURE__ */ once(
  () => new Map(otherNames.split(" ").map((entry) => entry.split(":") as [string, string])),
);
/** Names that were asked for, by what `byArguments` says, or the op. */
const names = /* @__PURE__ */ new Map<string, string>();

/** The name of the node of a call. */
export function nodeName(op: string, args: Arguments): string {
  const call = byArguments(op, args) ?? op;
  let name = names.get(call);
  if (name === undefined) {
    const [words, overload = 0] = (others().get(call) ?? capitalized(call)).split("/");
    name = op === "copy_" ? "CopyBackwards" : `${words}Backward${overload}`;
    names.set(call, name);
  }
  return name;
}
