/**
 * Computes in float32 what a kernel computes in float64, for machines without numbers of 64 bits. Elements in memory stay float64: they are rounded
 * after a load, and converted back before a store. Kernels over other dtypes use float64 for totals and statistics only, so their results
 * are as precise as sums in float32 are. Runs after `lowerComplex` and `lowerHalf`, and before `lowerMath`.
 *
 * Postcondition: only loads and stores, and casts of and to these, have float64 values.
 */
import { KernelError } from "../ir/error.ts";
import type { Kernel, Statement } from "../ir/kernel.ts";
import { cast, type Scalar } from "../ir/scalar.ts";
import { rewriteKernel } from "./rewrite.ts";

/** Returns the kernel without arithmetic on float64. */
export function lowerDouble(kernel: Kernel): Kernel {
  const buffers = new Set(kernel.buffers.map(({ name }) => name));
  const lowered = rewriteKernel(kernel, {
    scalar(node, original) {
      if (node.kind !== "load" || node.dtype !== "float64") return lowerScalar(node, original);
      // Memory of a unit is float32, too.
      if (!buffers.has(node.buffer)) return { ...node, dtype: "float32" };
      return cast(
        "float32",
        node.otherwise === undefined ? node : { ...node, otherwise: cast("float64", node.otherwise) },
      );
    },
    statement(statement, original): readonly Statement[] | undefined {
      if (statement.kind === "allocate" && statement.dtype === "float64") return [{ ...statement, dtype: "float32" }];
      if (statement.kind !== "store" || (original as typeof statement).value.dtype !== "float64") return undefined;
      return buffers.has(statement.buffer) ? [{ ...statement, value: cast("float64", statement.value) }] : undefined;
    },
  });
  const scalars = kernel.scalars.map((scalar) =>
    scalar.dtype === "float64" ? { ...scalar, dtype: "float32" as const } : scalar,
  );
  return { ...lowered, scalars };
}

function lowerScalar(node: Scalar, original: Scalar): Scalar | undefined {
  if (node.kind === "cast") {
    const from = (original as typeof node).of.dtype;
    if (from !== "float64" && node.dtype !== "float64") return undefined;
    if (node.how === "bits")
      throw new KernelError("kernel: the bits of float64 are not available on this device. Use float32.");
    return cast(node.dtype === "float64" ? "float32" : node.dtype, node.of);
  }
  return node.dtype === "float64" ? { ...node, dtype: "float32" } : undefined;
}
