/**
 * One table of kernels and one function that calls them by their place in it. Calls from JavaScript then go through a
 * single WebAssembly function whatever the number of kernels, which keeps the call site fast.
 */
import { KernelError } from "../../kernel/ir/error.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";

/** A compiled kernel: runs the units begin..end of its parallel loop with the arguments at an address. */
export type KernelFunction = (args: number, begin: number, end: number) => void;

/** `run(index, args, begin, end)`: calls the function at that index of the imported table. */
export const trampolineModule: WasmModule = {
  name: "trampoline",
  types: [{ params: ["i32", "i32", "i32"], results: [] }],
  imports: [{ module: "env", name: "table", kind: "table", initial: 0 }],
  functions: [
    {
      name: "run",
      params: ["i32", "i32", "i32", "i32"],
      results: [],
      locals: [],
      localNames: ["index", "args", "begin", "end"],
      code: [
        ["local.get", 1],
        ["local.get", 2],
        ["local.get", 3],
        ["local.get", 0],
        ["call_indirect", 0],
      ],
    },
  ],
  exports: [{ name: "run", function: 0 }],
};

export class Trampoline {
  readonly #table: WebAssembly.Table;
  readonly #free: number[] = [];
  #used = 0;
  /** Calls the kernel at a place; traps if there is none. */
  readonly run: (place: number, args: number, begin: number, end: number) => void;

  constructor() {
    this.#table = new WebAssembly.Table({ element: "anyfunc", initial: 64 });
    const module = new WebAssembly.Module(encodeModule(trampolineModule));
    const { exports } = new WebAssembly.Instance(module, { env: { table: this.#table } });
    this.run = exports["run"] as Trampoline["run"];
  }

  /** Puts a function that a WebAssembly module exports into the table and gives its place. */
  add(kernel: KernelFunction): number {
    const place = this.#free.pop() ?? this.#used++;
    if (place === this.#table.length) this.#table.grow(place);
    this.#table.set(place, kernel);
    return place;
  }

  /** Empties a place, which the next kernel may get. */
  remove(place: number): void {
    if (!this.#table.get(place)) throw new KernelError(`trampoline: there is no kernel at place ${place} to remove.`);
    this.#table.set(place, null);
    this.#free.push(place);
  }
}

/** A new table with its trampoline; throws where modules cannot be compiled. */
export function openTrampoline(): Trampoline {
  return new Trampoline();
}
