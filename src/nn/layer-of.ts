/**
 * Layers that are an op with its settings. The arguments of the op after its inputs are those of the constructor: `relu(x)` is `new ReLU()`,
 * `softmax(x, -1)` is `new Softmax(-1)`, `mseLoss(x, target, { reduction })` is `new MSELoss({ reduction })`.
 */
import { Tensor } from "../index.ts";
import { Layer, type Output, type Part, partsOf } from "./module.ts";
import { buffer, markOf } from "./parameter.ts";
import { stateName } from "./state-dict.ts";

/** A layer without parameters. */
export interface OpLayer<I extends readonly unknown[], R = Tensor> extends Layer {
  forward(...inputs: I): R;
}
/** A layer of one tensor without parameters that keeps the dtype. */
export interface TensorLayer extends Layer {
  forward<X extends Tensor>(x: X): Output<X>;
}

/** A class of such layers. */
export type OpLayerClass<I extends readonly unknown[], S extends readonly unknown[], R = Tensor> = new (
  ...settings: S
) => [I, Tensor] extends [[x: Tensor], R] ? TensorLayer : OpLayer<I, R>;

/** A class to extend, of layers that apply an op. Tensors among the options are buffers. */
export function layerOf<I extends readonly unknown[], S extends readonly unknown[], R = Tensor>(
  op: (...args: [...I, ...S]) => R,
): OpLayerClass<I, S, R> {
  return class extends Layer {
    private readonly opArguments: S;

    constructor(...settings: S) {
      super(...settings);
      this.opArguments = settings.map((value) =>
        typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : value,
      ) as unknown as S;
      for (const { owner, key } of this[partsOf]()) {
        const t = owner[key] as Tensor;
        if (markOf(t) === undefined) buffer(t);
      }
    }

    /** @internal */
    override [partsOf](): readonly Part[] {
      const parts: Part[] = [];
      for (const options of this.opArguments)
        if (typeof options === "object" && options !== null)
          for (const [key, value] of Object.entries(options))
            if (value instanceof Tensor)
              parts.push({ name: stateName(key), owner: options as Record<string, unknown>, key });
      return parts;
    }

    forward(...inputs: I): R {
      return op(...inputs, ...this.opArguments);
    }
  } as unknown as OpLayerClass<I, S, R>;
}
