/**
 * Turns of the event loop, and how much one may put into the heap.
 *
 * Finalizers run only between macrotasks, so what one turn may put into the heap without freeing it is limited to 192 MB; past that the caller
 * uses ordinary buffers, which the engine collects inside a loop too. Turns are counted with one timer, armed by the first allocation of a turn, never
 * while idle. When the engine is asked to collect is `collector.ts`.
 */

export interface PressureOptions {
  /** Bytes that a turn may hold in the heap before storages overflow. */
  readonly turnLimit?: number;
  /** Calls back in a later macrotask. */
  readonly schedule?: (callback: () => void) => void;
}

/** Calls back in a later macrotask, without keeping a process alive. */
export function afterThisTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => { unref?: () => void } };
  if (setImmediate !== undefined) {
    setImmediate(callback).unref?.();
  } else if (typeof MessageChannel === "function") {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      callback();
    };
    port2.postMessage(0);
  } else {
    setTimeout(callback, 0);
  }
}

export class Pressure {
  /** The number of this macrotask, as far as allocations can tell. */
  turn = 0;
  /** Bytes of this turn that are in the heap and were not freed. */
  #held = 0;
  #isArmed = false;
  readonly #turnLimit: number;
  readonly #schedule: (callback: () => void) => void;
  readonly #onTurn: () => void;
  readonly #endTurn: () => void;

  constructor(options: PressureOptions, onTurn: () => void) {
    this.#turnLimit = options.turnLimit ?? 192 * 2 ** 20;
    this.#schedule = options.schedule ?? afterThisTurn;
    this.#onTurn = onTurn;
    this.#endTurn = () => {
      this.#isArmed = false;
      this.turn++;
      this.#held = 0;
      this.#onTurn();
    };
  }

  /** True if and only if new storages stay out of the heap until the turn ends or gives bytes back. */
  get isHigh(): boolean {
    return this.#held >= this.#turnLimit;
  }

  /** Makes sure that the end of this turn is noticed. */
  arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#schedule(this.#endTurn);
  }

  /** Notes bytes taken from the heap. */
  took(bytes: number): void {
    this.arm();
    this.#held += bytes;
  }

  /** Notes bytes freed by hand that were taken in this turn. */
  gave(bytes: number, turn: number): void {
    if (turn === this.turn) this.#held -= bytes;
  }
}
