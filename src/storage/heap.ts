/**
 * The heap: one WebAssembly memory, divided into blocks that start at multiples of 64 bytes.
 *
 * The first 64 kB are reserved, so that address 0 is never valid and workers have a mailbox. When it is full, the memory grows by half of
 * its size, at most by 32 MB; bytes keep their addresses. `regions.ts` decides when a block is freed.
 *
 * `openWasmMemory` opens the largest WebAssembly memory that the engine allows: shared in Node and on cross-origin isolated pages, because
 * elsewhere a shared memory cannot be posted to a worker. Some engines reject large maxima, so smaller ones are tried in turn, then the same
 * unshared. A maximum reserves addresses, not memory. V8 reserves 10 GB of them for any maximum, so that it need not check bounds, unless
 * Node is started with --disable-wasm-trap-handler; under a lower limit (ulimit -v) every maximum fails without that flag.
 */
import { nodeVersion } from "../base/host.ts";
import { Blocks } from "./blocks.ts";
import { alignment, BufferMemory, type Memory, registerBuffer } from "./memory.ts";

/** The part of WebAssembly.Memory that is used. */
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
  /** The largest maximum to try, in pages. */
  readonly maximumPages?: number;
  readonly initialPages?: number;
  /** Whether to try a shared memory first; by default if it can be posted to workers. */
  readonly shared?: boolean;
  /** Creates the memory; throws if it cannot. By default WebAssembly.Memory. */
  readonly memory?: (description: MemoryDescription) => GrowingMemory;
}

interface WasmMemory {
  readonly memory: GrowingMemory;
  readonly shared: boolean;
  readonly maximumPages: number;
}

/** Bytes of one page of WebAssembly memory. */
export const pageBytes = 65536;

/** The maxima to try, in pages. */
export const maximaToTry: readonly number[] = [65536, 32768, 16384, 8192, 4096];

/** True in Node (and compatible runtimes) and on cross-origin isolated pages. */
export function canShareMemory(): boolean {
  return nodeVersion() !== undefined || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
}

/** Opens the largest memory that is available, or returns null. */
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

/** The bytes at the start that belong to no block. */
export const reservedBytes = 65536;

/** The maximum growth in pages, unless a block needs more: pages once touched stay resident. */
const maxGrowth = (32 * 2 ** 20) / pageBytes;

/** The remedy for a page that cannot run WebAssembly. */
export const policyHint = "A page with a content security policy needs 'wasm-unsafe-eval' in script-src.";

/** Opens a heap over a WebAssembly memory. Returns null, with one warning, if there is none. */
export function openHeap(options: WasmMemoryOptions = {}, warn: (text: string) => void = console.warn): Heap | null {
  const opened = openWasmMemory(options);
  if (opened !== null) return new Heap(opened.memory, opened.shared, opened.maximumPages);
  warn(
    "stridewise: no WebAssembly memory can be created here. Everything works, but slowly. " +
      "If addresses are limited (ulimit -v), start node --disable-wasm-trap-handler. " +
      policyHint,
  );
  return null;
}

export class Heap {
  declare readonly memory: Memory;
  declare readonly shared: boolean;
  /** The memory as WebAssembly modules import it. */
  declare readonly source: GrowingMemory;
  /** The free and used blocks, in units of 64 bytes. */
  declare readonly blocks: Blocks;
  readonly #bytes: BufferMemory;
  /** Growth to this many pages is not tried: it exceeds the maximum or has failed. */
  #failedPages: number;

  constructor(source: GrowingMemory, shared: boolean, maximumPages: number) {
    this.source = source;
    this.shared = shared;
    this.#bytes = new BufferMemory("heap", source.buffer);
    this.memory = this.#bytes;
    this.#failedPages = maximumPages + 1;
    this.blocks = new Blocks(reservedBytes / alignment);
    registerBuffer(this.#bytes);
    this.#cover();
  }

  /** The current size of the memory in bytes. */
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

  /** The maximum size of the heap in bytes. */
  get maximum(): number {
    return (this.#failedPages - 1) * pageBytes;
  }

  /** Bytes that can still be allocated if the heap grows to its maximum. */
  get remaining(): number {
    return this.maximum - this.used;
  }

  /** The largest block that can be allocated if the heap grows to its maximum. */
  get largestFree(): number {
    const atEnd = this.maximum - this.reserved + this.blocks.freeAtEnd * alignment;
    return Math.max(this.blocks.largestFree * alignment, atEnd);
  }

  /** Allocates a block of at least this many bytes and returns its node, or -1 if the heap is full. */
  allocate(bytes: number): number {
    const units = Math.max(1, Math.ceil(bytes / alignment));
    if (units >= 2 ** 26) return -1;
    const node = this.blocks.allocate(units);
    if (node >= 0 || !this.#grow(units)) return node;
    return this.blocks.allocate(units);
  }

  /** The address of a block. */
  offsetOf(node: number): number {
    return this.blocks.startOf(node) * alignment;
  }

  /** The size of a block in bytes. */
  sizeOf(node: number): number {
    return this.blocks.lengthOf(node) * alignment;
  }

  /** Frees a block. */
  release(node: number): void {
    this.blocks.release(node);
  }

  /** Resizes a block in place. Returns false if the bytes after it are used. */
  resize(node: number, bytes: number): boolean {
    return this.blocks.resize(node, Math.max(1, Math.ceil(bytes / alignment)));
  }

  /** Grows the memory for another block of `units`. Returns false if it cannot grow. */
  #grow(units: number): boolean {
    const pages = this.reserved / pageBytes;
    // The search skips blocks that barely fit, so an eighth is added to the block.
    const missing = (units + (units >>> 3) + 8 - this.blocks.freeAtEnd) * alignment;
    const needed = pages + Math.max(1, Math.ceil(missing / pageBytes));
    const exact = pages + Math.max(1, Math.ceil(((units - this.blocks.freeAtEnd) * alignment) / pageBytes));
    const generous = Math.min(Math.max(needed, pages + Math.min(pages >> 1, maxGrowth)), this.#failedPages - 1);
    return (generous >= needed && this.#growTo(generous)) || this.#growTo(needed) || this.#growTo(exact);
  }

  #growTo(pages: number): boolean {
    if (pages >= this.#failedPages) return false;
    try {
      this.source.grow(pages - this.reserved / pageBytes);
    } catch {
      this.#failedPages = pages;
      return false;
    }
    this.#bytes.replace(this.source.buffer);
    registerBuffer(this.#bytes);
    this.#cover();
    return true;
  }

  /** Adds all new bytes to the blocks, except the last 64 of 4 GiB, which typed arrays may not reach. */
  #cover(): void {
    this.blocks.extend(Math.min(this.reserved / alignment, 2 ** 26 - 1) - this.blocks.end);
  }
}
