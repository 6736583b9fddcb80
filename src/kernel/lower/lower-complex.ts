/**
 * Replaces complex dtypes by pairs of floats: a buffer becomes a buffer of floats of twice the length, a scalar parameter `a` becomes `a_re` and
 * `a_im`, and a value becomes two values (`complex-functions.ts`).
 *
 * Postconditions: the result has no complex dtype, and stores the same values: the same bits if only copies, select, add, sub, mul, div, neg and
 * conj are used. Strides and walked offsets still count complex numbers, because whole indices are doubled. Accumulators by products throw,
 * because their parts cannot be combined separately.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { type Complex, type DType, isComplexDType, realDType } from "../../storage/dtype.ts";
import { parameterBindings, statementBindings } from "../ir/bindings.ts";
import { KernelError } from "../ir/error.ts";
import type { Kernel, Statement, StoreStatement } from "../ir/kernel.ts";
import {
  bitcast,
  type CallScalar,
  type CastScalar,
  call,
  cast,
  constantScalar,
  indexScalar,
  type LoadScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../ir/scalar.ts";
import { statementsOf } from "../ir/visit.ts";
import { type ComplexParts, pairFunctions, partFunctions } from "./complex-functions.ts";
import { rewriteKernel } from "./rewrite.ts";

/** Returns the kernel without complex64 and complex128. */
export function lowerComplex(kernel: Kernel): Kernel {
  const pass = new ComplexPass(kernel);
  const lowered = rewriteKernel(kernel, {
    scalar: (node, original) => pass.scalar(node, original),
    statement: (statement, original) => pass.statement(statement, original),
  });
  if (![...kernel.buffers, ...kernel.scalars].some(({ dtype }) => isComplexDType(dtype))) return lowered;
  return {
    ...lowered,
    buffers: kernel.buffers.map((buffer) => ({ ...buffer, dtype: realDType(buffer.dtype) })),
    scalars: kernel.scalars.flatMap((scalar) =>
      isComplexDType(scalar.dtype)
        ? pass.namesOf(scalar.name).map((name) => ({ name, dtype: realDType(scalar.dtype) }))
        : [scalar],
    ),
  };
}

class ComplexPass {
  /** The parts of each complex value of the kernel. */
  readonly #pairs = new Map<Scalar, ComplexParts>();
  readonly #names = new Map<string, readonly [re: string, im: string]>();
  readonly #usedNames: Set<string>;

  constructor(kernel: Kernel) {
    const bound = statementsOf(kernel).flatMap(({ statement }) => statementBindings(statement));
    this.#usedNames = new Set([...parameterBindings(kernel), ...bound].map(([name]) => name));
  }

  #fresh(name: string): string {
    let free = name;
    while (this.#usedNames.has(free)) free += "_";
    this.#usedNames.add(free);
    return free;
  }

  /** The names of the parts of a named value. */
  namesOf(name: string): readonly [re: string, im: string] {
    return getOrCompute(this.#names, name, () => [this.#fresh(`${name}_re`), this.#fresh(`${name}_im`)]);
  }

  #pairOf(original: Scalar): ComplexParts {
    return this.#pairs.get(original) as ComplexParts;
  }

  /** Splits a complex value into parts (the value itself stays, unused), or computes a real value from the parts of one. */
  scalar(node: Scalar, original: Scalar): Scalar | undefined {
    if (isComplexDType(node.dtype)) {
      this.#pairs.set(original, this.#partsOf(node, original));
      return undefined;
    }
    if (original.kind === "cast" && isComplexDType(original.of.dtype))
      return castFromPair(node as CastScalar, this.#pairOf(original.of));
    const operand = original.kind === "call" ? original.args[0] : undefined;
    if (original.kind !== "call" || operand === undefined || !isComplexDType(operand.dtype)) return undefined;
    const [a, b] = original.args.map((arg) => this.#pairOf(arg));
    return partFunctions[original.fn]?.(a, b) ?? refuse(original);
  }

  #partsOf(node: Scalar, original: Scalar): ComplexParts {
    const part = realDType(node.dtype);
    const zero = constantScalar(part, 0);
    switch (node.kind) {
      case "constant": {
        const { value } = node;
        const { re, im }: Complex = typeof value === "object" ? value : { re: Number(value), im: 0 };
        return { re: constantScalar(part, re), im: constantScalar(part, im) };
      }
      case "parameter":
      case "named": {
        const make = node.kind === "named" ? namedScalar : parameterScalar;
        const [re, im] = this.namesOf(node.name);
        return { re: make(part, re), im: make(part, im) };
      }
      case "index":
        return { re: indexScalar(part, node.value), im: zero };
      case "load": {
        const { otherwise } = original as LoadScalar;
        const other = otherwise && this.#pairOf(otherwise);
        const at = node.index.mul(2);
        return {
          re: loadScalar(part, node.buffer, at, node.mask, other?.re),
          im: loadScalar(part, node.buffer, at.add(1), node.mask, other?.im),
        };
      }
      case "cast": {
        const { of } = original as CastScalar;
        if (node.how === "bits") return pairFromBits(node.of);
        const from = this.#pairs.get(of) ?? { re: node.of, im: zero };
        return { re: cast(part, from.re), im: cast(part, from.im) };
      }
      case "call":
        return this.#callParts(node, original as CallScalar);
      default:
        return node satisfies never;
    }
  }

  #callParts(node: CallScalar, { fn, args }: CallScalar): ComplexParts {
    const [first, second] = node.args;
    if (fn === "complex") return { re: first, im: second };
    const [a, b, c] = args.map((arg) => this.#pairs.get(arg)) as [ComplexParts, ComplexParts, ComplexParts];
    if (fn === "select") return { re: call("select", first, b.re, c.re), im: call("select", first, b.im, c.im) };
    return pairFunctions[fn]?.(a, b) ?? refuse(node);
  }

  statement(statement: Statement, original: Statement): readonly Statement[] | undefined {
    if (statement.kind === "allocate" && isComplexDType(statement.dtype))
      return [{ ...statement, dtype: realDType(statement.dtype), length: 2 * statement.length }];
    const value =
      original.kind === "accumulator"
        ? original.initial
        : original.kind === "let" || original.kind === "store" || original.kind === "accumulate"
          ? original.value
          : undefined;
    if (value === undefined || !isComplexDType(value.dtype)) return undefined;
    const { re, im } = this.#pairOf(value);
    switch (statement.kind) {
      case "let": {
        const [reName, imName] = this.namesOf(statement.name);
        return [
          { ...statement, name: reName, value: re },
          { ...statement, name: imName, value: im },
        ];
      }
      case "accumulator": {
        const [reName, imName] = this.namesOf(statement.name);
        return [
          { ...statement, name: reName, initial: re },
          { ...statement, name: imName, initial: im },
        ];
      }
      case "accumulate": {
        if (statement.fn !== "add")
          throw new KernelError(
            `lowerComplex: ${statement.into} combines complex numbers by ${statement.fn}, and only add is supported. Use real accumulators.`,
          );
        const [reName, imName] = this.namesOf(statement.into);
        return [
          { ...statement, into: reName, value: re },
          { ...statement, into: imName, value: im },
        ];
      }
      case "store":
        return this.#store(statement, { re, im });
      default:
        return undefined;
    }
  }

  /** Computes all parts before the first store, because the store may overwrite elements that they, or the mask, are computed from. */
  #store(statement: StoreStatement, { re, im }: ComplexParts): Statement[] {
    const lets: Statement[] = [];
    const named = (suffix: string, value: Scalar): Scalar => {
      const name = this.#fresh(`${statement.buffer}_${suffix}`);
      lets.push({ kind: "let", name, value });
      return namedScalar(value.dtype, name);
    };
    const masked = statement.mask ? { ...statement, mask: named("mask", statement.mask) } : statement;
    const [reValue, imValue] = [named("re", re), named("im", im)];
    const at = statement.index.mul(2);
    return [...lets, { ...masked, index: at, value: reValue }, { ...masked, index: at.add(1), value: imValue }];
  }
}

function refuse({ fn, args }: CallScalar): never {
  throw new KernelError(`lowerComplex: ${fn} is not supported on ${args.map(({ dtype }) => dtype).join(", ")}.`);
}

function castFromPair({ dtype, how }: CastScalar, { re, im }: ComplexParts): Scalar {
  const zero = constantScalar(re.dtype, 0);
  if (how === "bits") return bitsOfPair(dtype, re, im);
  return dtype === "bool" ? call("or", call("ne", re, zero), call("ne", im, zero)) : cast(dtype, re);
}

/** The 64 bits of two float32, the real part in the lower half. */
function bitsOfPair(dtype: DType, re: Scalar, im: Scalar): Scalar {
  const low = cast("uint64", bitcast("uint32", re));
  const high = cast("uint64", bitcast("uint32", im));
  return bitcast(dtype, call("or", low, call("shiftLeft", high, constantScalar("uint64", 32))));
}

function pairFromBits(of: Scalar): ComplexParts {
  const bits = bitcast("uint64", of);
  const part = (half: Scalar): Scalar => bitcast("float32", cast("uint32", half));
  return { re: part(bits), im: part(call("shiftRight", bits, constantScalar("uint64", 32))) };
}
