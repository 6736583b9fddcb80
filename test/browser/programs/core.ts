/**
 * A program with tensors, memory that grows, files and scopes, on the browser's own memory, Blob and Response. It
 * reports its results; the tests check them.
 */
import { _, arange, memoryStatistics, range, scope, type Tensor, tensor, zeros } from "../../../src/index.ts";
import { encodeNpy, encodeSafetensors, loadNpy, loadSafetensors } from "../../../src/io/index.ts";

/** A little of everything except kernels. */
export async function look(): Promise<Record<string, unknown>> {
  const a = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const before = a.at(_, range(null, null, -1));
  // 96 MB: the memory has to grow, and old elements must still be visible.
  const large = zeros([24 * 2 ** 20]);
  large.set(24 * 2 ** 20 - 1, 7);
  const reversed = before.toArray();
  const bytes = encodeNpy(a.T);
  const fromBlob = await loadNpy(new Blob([new Uint8Array(bytes)]));
  const files = encodeSafetensors({ weight: a, bias: arange(3) });
  const loaded = await loadSafetensors(new Response(new Uint8Array(files)));
  let atom: Tensor | null = null;
  const result = scope(() => {
    atom = zeros([10]);
    return a.clone();
  });
  let refused = "";
  try {
    (atom as Tensor | null)?.get(0);
  } catch (error) {
    refused = String(error);
  }
  let path = "";
  try {
    await loadNpy("weights.npy");
  } catch (error) {
    path = String(error);
  }
  return {
    isolated: globalThis.crossOriginIsolated,
    shared: memoryStatistics().shared,
    text: String(a),
    reversed,
    last: large.get(-1),
    fromBlob: fromBlob.toArray(),
    names: [...loaded.tensors.keys()].sort(),
    kept: result.toArray(),
    refused,
    path,
  };
}
