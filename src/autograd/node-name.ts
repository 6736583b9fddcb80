/**
 * The names of recorded calls, as PyTorch prints them: `grad_fn=<MulBackward0>`. A name is that of the op in capitalized words, and the number
 * of PyTorch's overload. A short table has the ops that PyTorch knows by another name; ops that it does not have keep their own.
 */
import type { Arguments } from "../tensor/dispatch/operator.ts";
import { Tensor } from "../tensor/tensor.ts";

/** `op:Name`, where PyTorch has another name; `op:Name/1` where the overload is not its first. */
const others =
  "T:Permute mT:Transpose movedim:Permute narrow:Slice chunk:Split tensorSplit:Slice unflatten:View partView:Select pick:Index rename:Alias " +
  "max:Max/1 min:Min/1 maxAlong:Max minAlong:Min medianAlong:Median/1 nanmedianAlong:Nanmedian/1 vectorNorm:LinalgVectorNorm " +
  "square:Pow floatPower:Pow relu6:Hardtanh selu:Elu softsign:Div tanhshrink:Sub preluOf:PreluKernel randomSlope:RreluWithNoise " +
  "gated:Glu dropped:Mul standardize:NativeLayerNorm batchStandardize:NativeBatchNorm normApply:NativeBatchNorm byLength:Div byResponse:Div " +
  "attend:ScaledDotProductFlashAttentionForCpu convolutionTransposed:Convolution windowMax:MaxPool2DWithIndices pad:ConstantPadNd " +
  "bagMean:EmbeddingBag orZero:EmbeddingBag mseLossEach:MseLoss quotient:Div cosine:Sum/1 cdistPairs:Cdist fromProduct:EuclideanDist " +
  "renormEach:Renorm twoTaps:UpsampleBilinear2D oneMoreTap:UpsampleBilinear2D fold:Col2Im assignAt_:IndexPut " +
  "linalg.cholesky:LinalgCholeskyEx linalg.eigvals:LinalgEig linalg.eigvalsh:LinalgEigh linalg.inv:LinalgInvEx linalg.svdvals:LinalgSvd " +
  "linalg.luFactor:LinalgLuFactorEx linalg.ldlFactor:LinalgLdlFactorEx linalg.solve:LinalgSolveEx";

/** Functions that PyTorch keeps in torch.special. */
const special =
  /^(entr|ndtri|logNdtr|erfcx|i0e|i1e?|xlog1py|zeta|airyAi|(scaledM|m)odifiedBessel.*|(sphericalB|b)essel.*|.*Polynomial.*)$/;

const isGiven = (arg: unknown): boolean => arg !== undefined && arg !== null;
const alongAxis = (name: string) => (args: Arguments) => `${name}Backward${isGiven(args[1]) ? 1 : 0}`;

/** The ops whose name in PyTorch depends on the arguments. */
const byArguments: Readonly<Record<string, (args: Arguments) => string>> = {
  sum: /* @__PURE__ */ alongAxis("Sum"),
  mean: /* @__PURE__ */ alongAxis("Mean"),
  prod: /* @__PURE__ */ alongAxis("Prod"),
  squeeze: /* @__PURE__ */ alongAxis("Squeeze"),
  pow: ([x, y]) => `PowBackward${x instanceof Tensor ? (y instanceof Tensor ? 1 : 0) : 2}`,
  clone: (args) => `${isGiven(args[2]) ? "ToCopy" : "Clone"}Backward0`,
  matmul: ([a, b]) => {
    const [m, n] = [(a as Tensor).rank, (b as Tensor).rank];
    return `${m > 2 || n > 2 ? "Bmm" : m + n === 4 ? "Mm" : m + n === 3 ? "Mv" : "Dot"}Backward0`;
  },
  at: ([, items]) => {
    const list = items as readonly unknown[];
    if (list.some((item) => item instanceof Tensor)) return "IndexBackward0";
    return `${typeof list.at(-1) === "number" ? "Select" : "Slice"}Backward0`;
  },
};

/** "linalg.det" as LinalgDet, "log1p" as Log1P, "relu_" as Relu. */
const capitalized = (op: string): string =>
  op.replace(/_$/, "").replace(/(^|\.|\d)([a-z])/g, (_all, before: string, c: string) => {
    return (before === "." ? "" : before) + c.toUpperCase();
  });

let names: Map<string, string> | null = null;

/** The name of the node of a call. */
export function nodeName(op: string, args: Arguments): string {
  const own = byArguments[op];
  if (own !== undefined) return own(args);
  if (names === null) {
    names = new Map([["copy_", "CopyBackwards"]]);
    for (const entry of others.split(" ")) {
      const [from = "", name, overload = 0] = entry.split(/[:/]/);
      names.set(from, `${name}Backward${overload}`);
    }
  }
  let name = names.get(op);
  if (name === undefined) {
    name = `${special.test(op) ? "Special" : ""}${capitalized(op)}Backward0`;
    names.set(op, name);
  }
  return name;
}
