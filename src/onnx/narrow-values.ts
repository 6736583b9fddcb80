/**
 * Finds the values of a graph that have a narrow element type. Their tensors do not show it, because they have a wider dtype. Types do not change
 * between runs, so they are found once, from the declarations and nodes of the graph.
 */
import { type NarrowType, narrowTypes } from "./narrow.ts";
import type { GraphProto, NodeProto, TensorProto, ValueInfoProto } from "./proto/types.ts";

/** Operators whose first output has the element type of their first input, and which accept narrow types. */
const keepsType = new Set(["Flatten", "Identity", "Pad", "Reshape", "Squeeze", "Transpose", "Unsqueeze"]);

export class NarrowValues {
  readonly #types = new Map<string, NarrowType>();
  /** The types that a graph declares for the outputs of its nodes. */
  readonly #declared = new Map<string, NarrowType>();

  of(name: string): NarrowType | null {
    return this.#types.get(name) ?? null;
  }

  /** Adds a value; null if its type is not narrow. */
  set(name: string, type: NarrowType | null): void {
    if (type === null) this.#types.delete(name);
    else this.#types.set(name, type);
  }

  /** Adds the inputs, initializers and declarations of a graph. */
  addGraph({ input, output, initializer, valueInfo }: GraphProto): void {
    for (const info of input) this.set(info.name, declaredType(info));
    for (const each of initializer) this.set(each.name, typeOfTensor(each));
    for (const info of [...valueInfo, ...output]) this.declare(info.name, declaredType(info));
  }

  /** Declares the output of a node that has not been added yet. */
  declare(name: string, type: NarrowType | null): void {
    if (type === null) this.#declared.delete(name);
    else this.#declared.set(name, type);
  }

  /** Adds the outputs of a node. */
  addNode(node: NodeProto): void {
    for (const [k, name] of node.output.entries())
      if (name !== "") this.set(name, (k === 0 ? this.#resultOf(node) : null) ?? this.#declared.get(name) ?? null);
  }

  #resultOf({ opType, input, attribute }: NodeProto): NarrowType | null {
    const int = (name: string): NarrowType | null =>
      narrowTypes[Number(attribute.find((each) => each.name === name)?.i ?? 0)] ?? null;
    const inputType = (k: number): NarrowType | null => this.of(input[k] ?? "");
    if (keepsType.has(opType)) return inputType(0);
    switch (opType) {
      case "Cast":
      case "BitCast":
        return int("to");
      case "CastLike":
        return inputType(1);
      case "QuantizeLinear":
        return inputType(2) ?? int("output_dtype");
      case "Constant":
      case "ConstantOfShape":
        return typeOfTensor(attribute.find((each) => each.name === "value")?.t);
      default:
        return null;
    }
  }
}

const typeOfTensor = (t: TensorProto | undefined): NarrowType | null => narrowTypes[t?.dataType ?? 0] ?? null;

const declaredType = ({ type }: ValueInfoProto): NarrowType | null =>
  narrowTypes[type?.tensorType?.elemType ?? 0] ?? null;
