/**
 * Layers that are an op with its settings: what the op takes behind its inputs, the layer takes when it is made. `relu(x)` is
 * `new ReLU()`, `softmax(x, -1)` is `new Softmax(-1)`, `mseLoss(x, target, { reduction })` is `new MSELoss({ reduction })`.
 */
import { Tensor } from "../index.ts";
import { Layer, type Part, partsOf } from "./module.ts";
import { buffer, markOf } from "./parameter.ts";
import { stateName } from "./state-dict.ts";

/** A layer without parameters. */
export interface OpLayer<I extends readonly unknown[], R = Tensor> extends Layer {
  forward(...inputs: I): R;
}

/** A class of such layers. */
export type OpLayerClass<I extends readonly unknown[], S extends readonly unknown[], R = Tensor> = new (
  ...settings: S
) => OpLayer<I, R>;

/** A class to extend, of layers that are an op; tensors among the options are buffers. */
export function layerOf<I extends readonly unknown[], S extends readonly unknown[], R = Tensor>(
  op: (...args: [...I, ...S]) => R,
): OpLayerClass<I, S, R> {
  return class extends Layer {
    private readonly given: S;

    constructor(...settings: S) {
      super(...settings);
      this.given = settings.map((value) =>
        typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : value,
      ) as unknown as S;
      for (const options of this.given)
        if (typeof options === "object" && options !== null)
          for (const value of Object.values(options))
            if (value instanceof Tensor && markOf(value) === undefined) buffer(value);
    }

    /** @internal */
    override [partsOf](): readonly Part[] {
      const found: Part[] = [];
      for (const options of this.given)
        if (typeof options === "object" && options !== null)
          for (const [key, value] of Object.entries(options))
            if (value instanceof Tensor)
              found.push({ name: stateName(key), owner: options as Record<string, unknown>, key });
      return found;
    }

    forward(...inputs: I): R {
      return op(...inputs, ...this.given);
    }
  };
}
