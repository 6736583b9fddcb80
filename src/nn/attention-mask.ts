/**
 * The masks of attention as one. Here, as in PyTorch's layers, true hides a key; the op takes true for keys that are seen, or numbers that
 * are added to the scores.
 */
import { DTypeError, logicalNot, logicalOr, ones, ShapeError, type Tensor, triu, where } from "../index.ts";

export interface Masks {
  /** [N, S] or [S]: true for keys that no query may see, or numbers to be added. */
  readonly keyPaddingMask?: Tensor | null | undefined;
  /** [L, S] or [N * heads, L, S]: true where a query may not see a key, or numbers to be added. */
  readonly attnMask?: Tensor | null | undefined;
}

export interface MaskSizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
}

/** True above the diagonal: what a query may not see if it sees no later keys. */
export const causalMask = (queries: number, keys = queries): Tensor =>
  triu(ones([queries, keys], { dtype: "bool" }), 1);

/** A mask over [batch, heads, queries, keys] as the op takes it, or null if nothing is masked. */
export function mergedMask(
  who: string,
  { keyPaddingMask, attnMask }: Masks,
  sizes: MaskSizes,
  like: Tensor,
): Tensor | null {
  const { batch, heads, queries, keys } = sizes;
  const masks: Tensor[] = [];
  if (attnMask) {
    const each = [batch * heads, queries, keys];
    if (attnMask.rank === 2) masks.push(shaped(who, "attnMask", attnMask, [[queries, keys]]));
    else masks.push(shaped(who, "attnMask", attnMask, [each, [queries, keys]]).reshape([batch, heads, queries, keys]));
  }
  if (keyPaddingMask)
    masks.push(
      shaped(who, "keyPaddingMask", keyPaddingMask, [[batch, keys], ...(batch === 1 ? [[keys]] : [])]).reshape([
        batch,
        1,
        1,
        keys,
      ]),
    );
  const [first, second] = masks;
  if (first === undefined) return null;
  if (masks.every(({ dtype }) => dtype === "bool"))
    return logicalNot(second === undefined ? first : logicalOr(first, second));
  const added = masks.map((mask): Tensor => (mask.dtype === "bool" ? where(mask, -Infinity, 0) : mask).to(like.dtype));
  return added.length === 1 ? (added[0] as Tensor) : (added[0] as Tensor).add(added[1] as Tensor);
}

function shaped(who: string, name: string, mask: Tensor, shapes: readonly (readonly number[])[]): Tensor {
  if (mask.dtype !== "bool" && !/^b?float/.test(mask.dtype))
    throw new DTypeError(
      `${who}: only bool and floating types of ${name} are supported, got ${mask.dtype}. Where true hides: to("bool")`,
    );
  if (shapes.some((shape) => shape.join() === mask.shape.join())) return mask;
  const wanted = shapes.map((shape) => `[${shape.join(", ")}]`).join(" or ");
  throw new ShapeError(`${who}: the shape of ${name} is [${mask.shape.join(", ")}], but should be ${wanted}`);
}
