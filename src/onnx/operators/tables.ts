/** All operators, by domain. */
import type { OperatorTable } from "../operator.ts";
import { arithmetic } from "./arithmetic.ts";
import { attention, preview } from "./attention.ts";
import { basics } from "./basics.ts";
import { control } from "./control.ts";
import { convolution } from "./convolution.ts";
import { creation } from "./creation.ts";
import { deformable } from "./deformable.ts";
import { detection } from "./detection.ts";
import { elementwise } from "./elementwise.ts";
import { learning } from "./learning.ts";
import { linearAttentionOperators } from "./linear-attention.ts";
import { losses } from "./losses.ts";
import { microsoft } from "./microsoft.ts";
import { movement } from "./movement.ts";
import { normalize } from "./normalize.ts";
import { pooling } from "./pooling.ts";
import { products } from "./products.ts";
import { quantize } from "./quantize.ts";
import { recurrent } from "./recurrent.ts";
import { reduceOperators } from "./reduce.ts";
import { resizing } from "./resize.ts";
import { sampling } from "./sampling.ts";
import { sequence } from "./sequence.ts";
import { spectral } from "./spectral.ts";
import { text } from "./text.ts";

export const operatorTables: Readonly<Record<string, OperatorTable>> = {
  "": {
    ...arithmetic,
    ...attention,
    ...basics,
    ...control,
    ...convolution,
    ...creation,
    ...deformable,
    ...detection,
    ...elementwise,
    ...linearAttentionOperators,
    ...losses,
    ...movement,
    ...normalize,
    ...pooling,
    ...products,
    ...quantize,
    ...recurrent,
    ...reduceOperators,
    ...resizing,
    ...sampling,
    ...sequence,
    ...spectral,
    ...text,
  },
  "ai.onnx.ml": learning,
  "ai.onnx.preview": preview,
  "com.microsoft": microsoft,
};
