/**
 * A dimension that is an affine expression: pages of 128 elements and a tail of 64 are joined, so the result has 128 * i + 64 elements. The
 * expression flows through the graph; the kernels take the sizes as arguments and serve every i.
 *
 *   npx tsx examples/affine-shapes.ts
 */
import { cat, compile, dim, kernelStatistics, ones, parseExpr, printGraph, type Tensor } from "stridewise";

export function affineShapes(log: (line: string) => void) {
  const i = dim("i", { min: 1, max: 64 });
  const total = compile((pages: Tensor, tail: Tensor) => cat([pages.flatten(), tail]).mul(2).add(1).sum(0), {
    inputs: [[i, 128], [64]],
  });
  const pages = [2, 2, 5, 7, 11, 64].map((n) => [ones([n, 128]), ones([64])] as const);
  const sums: number[] = [];
  let kernels = 0;
  pages.forEach(([x, tail], k) => {
    sums.push(Number(total(x, tail).item()));
    if (k === 2) kernels = kernelStatistics().compiled;
  });
  const graph = total.graph();
  const joined = graph.nodes.find(({ op }) => op.name === "cat")?.results[0]?.type.shape[0];
  log(printGraph(graph));
  log(`joined: ${joined}; kernels compiled for three further sizes: ${kernelStatistics().compiled - kernels}`);
  return {
    sums,
    joined: String(joined),
    expected: String(parseExpr("i * 128 + 64")),
    later: kernelStatistics().compiled - kernels,
  };
}

if (process.argv[1]?.endsWith("affine-shapes.ts")) affineShapes(console.log);
