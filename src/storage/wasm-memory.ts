/**
 * Opens the largest WebAssembly memory that the engine allows.
 *
 * Shared in Node and on cross-origin isolated pages, because elsewhere a shared memory cannot be posted to a worker. Some
 * engines refuse large maxima, so smaller ones are tried in turn; then the same unshared; null if there is none at all.
 * A maximum reserves addresses, not memory. V8 reserves 10 GB of them for any maximum, so that it need not check bounds, unless Node is
 * started with --disable-wasm-trap-handler; under a lower limit (ulimit -v) no maximum can be had without that flag.
 */

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
  const limit = options.maximumPages ?? (maximaToTry[0] as number);
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
