/**
 * The JavaScript of a module: a text with a head, which differs, and the driver, which is the same in all modules. The driver has no imports. It
 * places the slots of a plan in the module's memory, writes the argument blocks of kernels, and runs the steps. Its parts:
 * `place` is the memory plan of `../graph/lower/arena.ts`, `write` the argument block of `../backends/wasm/arguments.ts`.
 */

/** The driver, as text. It must not contain template literals. */
const driver = `
const arrays = {
  bool: Uint8Array, uint8: Uint8Array, int8: Int8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, float16: Uint16Array, bfloat16: Uint16Array, float32: Float32Array, float64: Float64Array,
  complex64: Float32Array, complex128: Float64Array,
};
/** Elements of the typed array for one element of a tensor. */
const partsOf = (dtype) => (dtype.startsWith("complex") ? 2 : 1);
const bytesOf = (dtype) => arrays[dtype].BYTES_PER_ELEMENT * partsOf(dtype);
const countOf = (shape) => shape.reduce((a, b) => a * b, 1);
const align = (at) => Math.ceil(at / 64) * 64;

/** Loads the module: the .wasm file next to this one, or a URL, bytes, a response or a compiled module. */
export async function load(source = new URL("./" + name + ".wasm", import.meta.url)) {
  const module = await compiled(source);
  const [section] = WebAssembly.Module.customSections(module, "plan");
  const plan = JSON.parse(new TextDecoder().decode(section));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(plan.end / 65536), maximum: 65536 });
  const scratch = new WebAssembly.Global({ value: "i32", mutable: false }, plan.scratch);
  const instance = await WebAssembly.instantiate(module, { env: { memory, scratch }, Math });
  return new Model(plan, memory, instance.exports);
}

async function compiled(source) {
  const from = await source;
  if (from instanceof WebAssembly.Module) return from;
  if (from instanceof ArrayBuffer || ArrayBuffer.isView(from)) return WebAssembly.compile(from);
  if (typeof Response !== "undefined" && from instanceof Response) return WebAssembly.compile(await from.arrayBuffer());
  const url = new URL(from, import.meta.url);
  if (url.protocol !== "file:") return compiled(await fetch(url));
  const files = "node:fs/promises";
  return WebAssembly.compile(await (await import(/* @vite-ignore */ files)).readFile(url));
}

class Model {
  #plan;
  #memory;
  #kernels;
  /** The sizes for which the steps are ready. */
  #key = null;
  #variant = null;
  #values = [];
  #addresses = {};
  #steps = [];

  constructor(plan, memory, kernels) {
    this.#plan = plan;
    this.#memory = memory;
    this.#kernels = kernels;
    /** Numbers that the next run uses. */
    this.numbers = { ...plan.numbers };
  }

  /** Computes the function. */
  run(inputs, sizes = {}) {
    this.#bind(sizes);
    const variant = this.#variant;
    if (!Array.isArray(inputs) || inputs.length !== variant.inputs.length)
      throw new TypeError(name + ": run needs a list of " + variant.inputs.length + " typed arrays");
    variant.inputs.forEach((input, k) => this.#check(inputs[k], input, "input " + k));
    variant.inputs.forEach((input, k) => this.#window(input).set(inputs[k]));
    for (const [slot, { kind, name }] of Object.entries(variant.slots))
      if (kind === "number") new Float64Array(this.#memory.buffer, this.#addresses[slot], 1)[0] = this.numbers[name];
    for (const step of this.#steps) step();
    for (const k of variant.written) inputs[k].set(this.#window(variant.inputs[k]));
    const outputs = variant.outputs.map((output) => this.#read(output, this.#addresses[output.slot]));
    return this.#result(variant.result, outputs);
  }

  /** Returns a copy of a tensor that the function captured. */
  read(tensor) {
    const state = this.#state(tensor);
    return this.#read(state, this.#plan.data[state.data]);
  }

  /** Replaces the elements of a tensor that the function captured. */
  write(tensor, values) {
    const state = this.#state(tensor);
    this.#check(values, state, tensor);
    const [to, parts] = [this.#all(state, this.#plan.data[state.data]), partsOf(state.dtype)];
    let k = 0;
    each(state, (at) => {
      for (let i = 0; i < parts; i++) to[at * parts + i] = values[k++];
    });
  }

  #state(tensor) {
    if (!Object.hasOwn(this.#plan.state, tensor)) throw new TypeError(name + ": there is no captured tensor " + tensor);
    return this.#plan.state[tensor];
  }

  /** The number of a plan: itself, or the value of an expression. */
  #number = (x) => (typeof x === "number" ? x : this.#values[x[0]]);

  #sized = ({ shape, strides, start, ...rest }) => ({
    ...rest, shape: shape.map(this.#number), strides: strides.map(this.#number), start: this.#number(start),
  });

  #check(values, tensor, what) {
    const { dtype, shape } = this.#sized(tensor);
    const [array, length] = [arrays[dtype], countOf(shape) * partsOf(dtype)];
    if (!(values instanceof array) || values.length !== length)
      throw new TypeError(name + ": " + what + " must be a " + array.name + " of " + length + " elements, for " + dtype + "[" + shape.join(", ") + "]");
  }

  /** All elements of a slot from its start. */
  #all({ dtype }, at) {
    const array = arrays[dtype];
    return new array(this.#memory.buffer, at, Math.floor((this.#memory.buffer.byteLength - at) / array.BYTES_PER_ELEMENT));
  }

  #window(input) {
    return this.#all(input, this.#addresses[input.slot]).subarray(0, countOf(input.shape.map(this.#number)) * partsOf(input.dtype));
  }

  /** A row-major copy of a tensor. */
  #read(tensor, address) {
    const sized = this.#sized(tensor);
    const [from, parts] = [this.#all(sized, address), partsOf(sized.dtype)];
    if (isRowMajor(sized)) return from.slice(sized.start * parts, (sized.start + countOf(sized.shape)) * parts);
    const values = new arrays[sized.dtype](countOf(sized.shape) * parts);
    let k = 0;
    each(sized, (at) => {
      for (let i = 0; i < parts; i++) values[k++] = from[at * parts + i];
    });
    return values;
  }

  #result([kind, value], outputs) {
    if (kind === "output") return outputs[value];
    if (kind === "list") return value.map((each) => this.#result(each, outputs));
    if (kind === "record") return Object.fromEntries(value.map(([key, each]) => [key, this.#result(each, outputs)]));
    return kind === "number" ? this.#number(value) : value;
  }

  /** Makes the steps ready for some sizes: places slots, and writes argument blocks. */
  #bind(sizes) {
    const plan = this.#plan;
    const values = plan.symbols.map(({ name }) => sizes[name]);
    const key = values.join();
    if (key === this.#key) return;
    plan.symbols.forEach(({ name: size, min, max, multipleOf }, k) => {
      if (Number.isInteger(values[k]) && values[k] >= min && values[k] <= max && values[k] % multipleOf === 0) return;
      const what = multipleOf === 1 ? "an integer" : "a multiple of " + multipleOf;
      throw new RangeError(name + ": " + size + " must be " + what + " from " + min + " to " + max + ", got " + values[k]);
    });
    const index = plan.table !== null
      ? plan.table[plan.symbols.reduce((at, { min, max, multipleOf }, k) => at * ((max - min) / multipleOf + 1) + (values[k] - min) / multipleOf, 0)]
      : plan.variants.findIndex(({ ranges }) => ranges.every(([min, max], k) => values[k] >= min && values[k] <= max));
    const variant = plan.variants[index];
    this.#key = null;
    this.#variant = variant;
    this.#values = expressions[index](sizes);
    const number = this.#number;
    const addresses = {};
    let end = align(plan.end + variant.blocks);
    const take = (bytes) => {
      const at = end;
      end = align(end + bytes);
      return at;
    };
    const temporaries = [];
    for (const [slot, each] of Object.entries(variant.slots)) {
      if (each.kind === "temporary") temporaries.push({ slot, ...each, bytes: align(number(each.bytes)) });
      else if (each.kind === "data") addresses[slot] = plan.data[each.data];
      else if (each.kind === "number") addresses[slot] = take(8);
      else if (each.kind === "sequence") addresses[slot] = take(number(each.count) * bytesOf(each.dtype));
      else addresses[slot] = take(number(each.bytes));
    }
    end += place(temporaries, addresses, end);
    const pages = Math.ceil(end / 65536) - this.#memory.buffer.byteLength / 65536;
    if (pages > 0) this.#memory.grow(pages);
    this.#addresses = addresses;
    for (const [slot, each] of Object.entries(variant.slots)) this.#fill(each, addresses[slot]);
    let block = plan.end;
    const reserve = (bytes) => {
      block += bytes;
      return block - bytes;
    };
    this.#steps = this.#stepsOf(variant.steps, reserve, false);
    this.#key = key;
  }

  #fill(slot, at) {
    if (slot.kind === "fill") {
      const bytes = this.#number(slot.bytes);
      const to = new Uint8Array(this.#memory.buffer, at, bytes);
      to.set(slot.element.slice(0, bytes));
      for (let done = slot.element.length; done < bytes; done *= 2) to.copyWithin(done, 0, Math.min(done, bytes - done));
    } else if (slot.kind === "sequence") {
      const [to, start, step] = [this.#all(slot, at), this.#number(slot.start), this.#number(slot.step)];
      const isBig = to instanceof BigInt64Array;
      for (let k = 0; k < this.#number(slot.count); k++) to[k] = isBig ? BigInt(start + k * step) : start + k * step;
    }
  }

  #stepsOf(steps, reserve, moves) {
    return steps.map((step) => this.#stepOf(step, reserve, moves));
  }

  /** Returns the function of a step. In a loop, arguments are written again in each iteration. */
  #stepOf(step, reserve, moves) {
    const number = this.#number;
    const addresses = this.#addresses;
    const { buffer } = this.#memory;
    const at = ({ slot, shift }) => addresses[slot] + number(shift);
    switch (step.do) {
      case "run": {
        const block = reserve(8 * Math.ceil(step.words.reduce((sum, word) => sum + (isFloat(word) ? 2 : 1), 0) / 2));
        const [kernel, units] = [this.#kernels[step.kernel], number(step.units)];
        const write = () => this.#writeBlock(step.words, block);
        // In several calls, so that the engine can switch to optimized code between them.
        const chunk = Math.ceil(units / 16);
        if (!moves) write();
        return () => {
          if (moves) write();
          for (let unit = 0; unit < units; unit += chunk) kernel(block, unit, Math.min(units, unit + chunk));
        };
      }
      case "repeat": {
        const inner = this.#stepsOf(step.steps, reserve, true);
        return () => {
          for (let round = 0; round < number(step.rounds); round++) {
            for (const { slot, base, shift, advance } of step.moving)
              addresses[slot] = addresses[base] + number(shift) + round * number(advance);
            for (const each of inner) each();
          }
        };
      }
      case "if even": {
        const lists = [step.steps, step.otherwise].map((list) => this.#stepsOf(list, reserve, moves));
        const [counts, times, max] = [step.counts.map(number), number(step.times), number(step.max)];
        return () => {
          const values = new Float64Array(buffer, at(step), 2 * counts.length);
          const isEven = counts.every((count, k) => values[2 * k] * count <= times * values[2 * k + 1] && values[2 * k] < max);
          for (const each of lists[isEven ? 0 : 1]) each();
        };
      }
      case "check": {
        const [count, min, end] = [step.count, step.min, step.end].map(number);
        return () => {
          const values = new arrays[step.dtype](buffer, at(step), count);
          for (const value of values)
            if (value < min || value >= end)
              throw new RangeError(name + ": " + step.error.map((part) => (typeof part === "string" ? part : number(part))).join("").replace("#", value));
        };
      }
      case "join":
        return () => {
          const all = new Uint8Array(buffer);
          let to = at(step);
          for (const part of step.parts) {
            const bytes = number(part.bytes);
            all.copyWithin(to, at(part), at(part) + bytes);
            to += bytes;
          }
        };
    }
  }

  #writeBlock(words, block) {
    const view = new DataView(this.#memory.buffer);
    const number = this.#number;
    let to = block;
    for (const word of words) {
      const [kind, a, b] = typeof word === "number" ? [] : word;
      if (kind === "at") view.setUint32(to, this.#addresses[a] + number(b), true);
      else if (kind === "here") view.setUint32(to, block + number(a), true);
      else if (kind === "f32") view.setFloat32(to, number(a), true);
      else if (kind === "f64") view.setFloat64(to, number(a), true);
      else view.setInt32(to, number(word), true);
      to += isFloat(word) ? 8 : 4;
    }
  }
}

const isFloat = (word) => typeof word === "object" && (word[0] === "f32" || word[0] === "f64");

const isRowMajor = ({ shape, strides }) =>
  shape.every((size, axis) => size === 1 || strides[axis] === countOf(shape.slice(axis + 1)));

/** Calls fn with the index of each element of a tensor in row-major order. */
function each({ shape, strides, start }, fn, axis = 0) {
  if (axis === shape.length) fn(start);
  else for (let k = 0; k < shape[axis]; k++) each({ shape, strides, start: start + k * strides[axis] }, fn, axis + 1);
}

/** Places temporaries from an address on, so that those that live at the same time do not overlap. Returns their bytes. */
function place(temporaries, addresses, from) {
  const done = [];
  let size = 0;
  for (const one of temporaries.sort((a, b) => b.bytes - a.bytes || a.first - b.first)) {
    const others = done.filter((other) => other.first <= one.last && one.first <= other.last).sort((a, b) => a.at - b.at);
    let at = 0;
    for (const other of others) {
      if (other.at - at >= one.bytes) break;
      at = Math.max(at, other.at + other.bytes);
    }
    done.push({ ...one, at });
    addresses[one.slot] = from + at;
    size = Math.max(size, at + one.bytes);
  }
  return size;
}
`;

/** Returns the JavaScript of a module. `expressions` is one function for each variant, as text. */
export const moduleText = (name: string, about: readonly string[], expressions: readonly string[]): string =>
  [
    ...about.map((line) => `// ${line}`),
    "",
    `const name = ${JSON.stringify(name)};`,
    "/** The numbers that depend on sizes, for each variant of the program. */",
    `const expressions = [\n${expressions.map((each) => `  ${each},\n`).join("")}];`,
    driver.trim(),
    "",
  ].join("\n");
