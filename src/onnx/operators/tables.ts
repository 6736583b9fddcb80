/** All operators, by domain. */
import type { OperatorTable } from "../operator.ts";
import { arithmetic } from "./arithmetic.ts";
import { attention } from "./attention.ts";
import { basics } from "./basics.ts";
import { cast } from "./cast.ts";
import { comparison } from "./comparison.ts";
import { control } from "./control.ts";
import { convolution } from "./convolution.ts";
import { creation } from "./creation.ts";
import { elementwise } from "./elementwise.ts";
import { gathering } from "./gather.ts";
import { learning } from "./learning.ts";
import { microsoft } from "./microsoft.ts";
import { movement } from "./movement.ts";
import { normalize } from "./normalize.ts";
import { order } from "./order.ts";
import { products } from "./products.ts";
import { quantize } from "./quantize.ts";
import { randomOperators } from "./random.ts";
import { recurrent } from "./recurrent.ts";
import { reduceOperators } from "./reduce.ts";
import { resize } from "./resize.ts";
import { scattering } from "./scatter.ts";
import { sequence } from "./sequence.ts";
import { spectral } from "./spectral.ts";
import { text } from "./text.ts";

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
    ...elementwise,
    ...gathering,
    ...movement,
    ...normalize,
    ...order,
    ...products,
    ...quantize,
    ...randomOperators,
    ...recurrent,
    ...reduceOperators,
    ...resize,
    ...scattering,
    ...sequence,
    ...spectral,
    ...text,
  },
  "ai.onnx.ml": learning,
  "com.microsoft": microsoft,
};
