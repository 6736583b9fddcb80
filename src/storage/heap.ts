/**
 * The heap: one WebAssembly memory, cut into blocks that start at multiples of 64 bytes.
 *
 * The first 64 kB are reserved, so that address 0 is never valid and workers have a mailbox. The memory grows by half of its size, or by
 * 32 MB if that is less, when it is full; bytes keep their addresses. `regions.ts` decides when a block is freed.
 *
 * `openWasmMemory` opens the largest WebAssembly memory that the engine allows: shared in Node and on cross-origin isolated pages, because
 * elsewhere a shared memory cannot be posted to a worker. Some engines refuse large maxima, so smaller ones are tried in turn; then the same
 * unshared; null if there is none at all. A maximum reserves addresses, not memory. V8 reserves 10 GB of them for any maximum, so that it need
 * not check bounds, unless Node is started with --disable-wasm-trap-handler; under a lower limit (ulimit -v) every maximum fails without
 * that flag.
 */
import { Blocks } from "./blocks.ts";
import { alignment, BufferMemory, type Memory, rememberBuffer } from "./memory.ts";

/** What is used of WebAssembly.Memory. */
export interface GrowingMemory {
  readonly buffer: ArrayBufferLike;
  /** Adds pages of 64 kB; throws if it cannot. */
  grow(pages: number): number;
}

export interface MemoryDescription {
  readonly initial: number;
  readonly maximum: number;
  readonly shared: boolean;
}

export interface WasmMemoryOptions {
  /** Try no larger maximum than this many pages. */
  readonly maximumPages?: number;
  readonly initialPages?: number;
  /** Whether to ask for a shared memory first; by default what the place allows. */
  readonly shared?: boolean;
  /** Makes the memory; throws if it cannot. By default WebAssembly.Memory. */
  readonly memory?: (description: MemoryDescription) => GrowingMemory;
}

export interface WasmMemory {
  readonly memory: GrowingMemory;
  readonly shared: boolean;
  readonly maximumPages: number;
}

/** Bytes of one page of WebAssembly memory. */
export const pageBytes = 65536;

/** The maxima to try, in pages. */
export const maximaToTry: readonly number[] = [65536, 32768, 16384, 8192, 4096];

/** True in Node (and what calls itself Node) and on pages that are cross-origin isolated. */
export function canShareMemory(): boolean {
  const place = globalThis as { crossOriginIsolated?: boolean; process?: { versions?: { node?: string } } };
  return typeof place.process?.versions?.node === "string" || place.crossOriginIsolated === true;
}

/** The largest memory that can be had, or null. */
export function openWasmMemory(options: WasmMemoryOptions = {}): WasmMemory | null {
  const limit = options.maximumPages ?? maximaToTry[0];
  const maxima = [limit, ...maximaToTry.filter((pages) => pages < limit)];
  const make =
    options.memory ?? ((description: MemoryDescription) => new WebAssembly.Memory(description) as GrowingMemory);
  for (const shared of (options.shared ?? canShareMemory()) ? [true, false] : [false])
    for (const maximum of maxima)
      try {
        const memory = make({ initial: Math.min(options.initialPages ?? 16, maximum), maximum, shared });
        return { memory, shared, maximumPages: maximum };
      } catch {
        // The next one may be allowed.
      }
  return null;
}

/** The bytes at the start that no block gets. */
export const reservedBytes = 65536;

/** The pages that the memory grows by at most for blocks that need less: pages once touched stay resident. */
const mostGrowth = (32 * 2 ** 20) / pageBytes;

/** What a page may lack that can run no WebAssembly. */
export const policyHint = "A page with a content security policy needs 'wasm-unsafe-eval' in script-src.";

/** A heap over a WebAssembly memory, or null, with one warning, where there is none. */
export function openHeap(options: WasmMemoryOptions = {}, warn: (text: string) => void = console.warn): Heap | null {
  const opened = openWasmMemory(options);
  if (opened !== null) return new Heap(opened.memory, opened.shared, opened.maximumPages);
  warn(
    "stridewise: no WebAssembly memory can be made here. Everything works, slowly. " +
      "Where addresses are limited (ulimit -v), start node --disable-wasm-trap-handler. " +
      policyHint,
  );
  return null;
}

export class Heap {
  declare readonly memory: Memory;
  declare readonly shared: boolean;
  /** The memory as WebAssembly modules import it. */
  declare readonly source: GrowingMemory;
  /** Where the free and used blocks are, in units of 64 bytes. */
  declare readonly blocks: Blocks;
  readonly #bytes: BufferMemory;
  /** Growth to this many pages is not tried: it is past the maximum, or was refused. */
  #refusedPages: number;

  constructor(source: GrowingMemory, shared: boolean, maximumPages: number) {
    this.source = source;
    this.shared = shared;
    this.#bytes = new BufferMemory("heap", source.buffer);
    this.memory = this.#bytes;
    this.#refusedPages = maximumPages + 1;
    this.blocks = new Blocks(reservedBytes / alignment);
    rememberBuffer(this.#bytes);
    this.#cover();
  }

  /** Bytes of the memory now. */
  get reserved(): number {
    return this.#bytes.byteLength;
  }

  /** Bytes in free blocks. */
  get free(): number {
    return this.blocks.free * alignment;
  }

  /** Bytes in used blocks, the reserved ones included. */
  get used(): number {
    return this.reserved - this.free;
  }

  /** The most bytes that the heap may have. */
  get maximum(): number {
    return (this.#refusedPages - 1) * pageBytes;
  }

  /** Bytes that the heap could still serve if it grew to its maximum. */
  get remaining(): number {
    return this.maximum - this.used;
  }

  /** The largest block that could be served if the heap grew to its maximum. */
  get largestFree(): number {
    const atEnd = this.maximum - this.reserved + this.blocks.freeAtEnd * alignment;
    return Math.max(this.blocks.largestFree * alignment, atEnd);
  }

  /** The node of a block of at least this many bytes, or -1 if the heap is full. */
  allocate(bytes: number): number {
    const units = Math.max(1, Math.ceil(bytes / alignment));
    if (units >= 2 ** 26) return -1;
    const node = this.blocks.allocate(units);
    if (node >= 0 || !this.#grow(units)) return node;
    return this.blocks.allocate(units);
  }

  /** Where a block starts. */
  offsetOf(node: number): number {
    return this.blocks.startOf(node) * alignment;
  }

  /** How many bytes a block has. */
  sizeOf(node: number): number {
    return this.blocks.lengthOf(node) * alignment;
  }

  /** Gives a block back. */
  release(node: number): void {
    this.blocks.release(node);
  }

  /** Gives a block another size where it stands; false if the bytes behind it are taken. */
  resize(node: number, bytes: number): boolean {
    return this.blocks.resize(node, Math.max(1, Math.ceil(bytes / alignment)));
  }

  /** Makes space for one more block of so many units; false if the memory cannot grow. */
  #grow(units: number): boolean {
    const pages = this.reserved / pageBytes;
    // The search skips blocks that barely fit, so the space asked for has an eighth on top of the block.
    const missing = (units + (units >>> 3) + 8 - this.blocks.freeAtEnd) * alignment;
    const needed = pages + Math.max(1, Math.ceil(missing / pageBytes));
    const exact = pages + Math.max(1, Math.ceil(((units - this.blocks.freeAtEnd) * alignment) / pageBytes));
    const generous = Math.min(Math.max(needed, pages + Math.min(pages >> 1, mostGrowth)), this.#refusedPages - 1);
    return (generous >= needed && this.#growTo(generous)) || this.#growTo(needed) || this.#growTo(exact);
  }

  #growTo(pages: number): boolean {
    if (pages >= this.#refusedPages) return false;
    try {
      this.source.grow(pages - this.reserved / pageBytes);
    } catch {
      this.#refusedPages = pages;
      return false;
    }
    this.#bytes.replace(this.source.buffer);
    rememberBuffer(this.#bytes);
    this.#cover();
    return true;
  }

  /** Hands all bytes past the known end to the blocks, but the last 64 of 4 GiB, which typed arrays may not reach. */
  #cover(): void {
    this.blocks.extend(Math.min(this.reserved / alignment, 2 ** 26 - 1) - this.blocks.end);
  }
}
