/** All operators, by domain. */
import type { OperatorTable } from "../operator.ts";
import { arithmetic } from "./arithmetic.ts";
import { attention, preview } from "./attention.ts";
import { basics } from "./basics.ts";
import { cast } from "./cast.ts";
import { comparison } from "./comparison.ts";
import { control } from "./control.ts";
import { convolution } from "./convolution.ts";
import { creation } from "./creation.ts";
import { deformable } from "./deformable.ts";
import { detection } from "./detection.ts";
import { elementwise } from "./elementwise.ts";
import { gathering } from "./gather.ts";
import { learning } from "./learning.ts";
import { linearAttentionOperators } from "./linear-attention.ts";
import { losses } from "./losses.ts";
import { microsoft } from "./microsoft.ts";
import { exported } from "./microsoft-fused.ts";
import { movement } from "./movement.ts";
import { normalize } from "./normalize.ts";
import { order } from "./order.ts";
import { pooling } from "./pooling.ts";
import { products } from "./products.ts";
import { quantize } from "./quantize.ts";
import { randomOperators } from "./random.ts";
import { recurrent } from "./recurrent.ts";
import { reduceOperators } from "./reduce.ts";
import { resizing } from "./resize.ts";
import { sampling } from "./sampling.ts";
import { scattering } from "./scatter.ts";
import { sequence } from "./sequence.ts";
import { spectral } from "./spectral.ts";
import { text } from "./text.ts";
import { training } from "./training.ts";

export const operatorTables: Readonly<Record<string, OperatorTable>> = {
  "": {
    ...arithmetic,
    ...attention,
    ...basics,
    ...cast,
    ...comparison,
    ...control,
    ...convolution,
    ...creation,
    ...deformable,
    ...detection,
    ...elementwise,
    ...exported,
    ...gathering,
    ...linearAttentionOperators,
    ...losses,
    ...movement,
    ...normalize,
    ...order,
    ...pooling,
    ...products,
    ...quantize,
    ...randomOperators,
    ...recurrent,
    ...reduceOperators,
    ...resizing,
    ...sampling,
    ...scattering,
    ...sequence,
    ...spectral,
    ...text,
  },
  "ai.onnx.ml": learning,
  "ai.onnx.preview": preview,
  "ai.onnx.preview.training": training,
  "com.microsoft": microsoft,
};
