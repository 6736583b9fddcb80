/**
 * When memory presses: what makes the engine collect, and when new storages stay out of the heap.
 *
 * The engine does not see the heap, so dropped storages there would not make it collect. A pulse does: for each 256 MB
 * allocated in the heap and not given back, one buffer of 128 MB is made and dropped. Finalizers run only between
 * macrotasks, so what one turn may put into the heap without giving it back is limited to 256 MB; past that the caller
 * uses ordinary buffers. Turns are counted with one timer, armed by the first allocation of a turn, never while idle.
 */

export interface PressureOptions {
  /** Bytes that a turn may hold in the heap before storages overflow. */
  readonly turnLimit?: number;
  /** Bytes allocated in the heap from one pulse to the next. */
  readonly pulseEvery?: number;
  /** Makes the engine notice this many bytes. */
  readonly pulse?: () => void;
  /** Calls back in a later macrotask. */
  readonly schedule?: (callback: () => void) => void;
}

const megabytes = 2 ** 20;

/** Drops a buffer of 128 MB: its pages are never touched, but the engine counts them. */
export function dropBuffer(): void {
  try {
    new ArrayBuffer(128 * megabytes);
  } catch {
    // Where so much is refused, the engine has just collected what it could.
  }
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
  /** Which macrotask this is, as far as allocations can tell. */
  turn = 0;
  /** How many pulses there were. */
  pulses = 0;
  /** Bytes of this turn that are in the heap and were not given back. */
  #held = 0;
  #sincePulse = 0;
  #isArmed = false;
  readonly #turnLimit: number;
  readonly #pulseEvery: number;
  readonly #pulse: () => void;
  readonly #schedule: (callback: () => void) => void;
  readonly #onTurn: () => void;
  readonly #endTurn: () => void;

  constructor(options: PressureOptions, onTurn: () => void) {
    this.#turnLimit = options.turnLimit ?? 256 * megabytes;
    this.#pulseEvery = options.pulseEvery ?? 256 * megabytes;
    this.#pulse = options.pulse ?? dropBuffer;
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
    this.#sincePulse += bytes;
    if (this.#sincePulse < this.#pulseEvery) return;
    this.#sincePulse = 0;
    this.pulses++;
    this.#pulse();
  }

  /** Notes bytes given back by hand that were taken in this turn and after so many pulses. */
  gave(bytes: number, turn: number, pulses: number): void {
    if (turn === this.turn) this.#held -= bytes;
    if (pulses === this.pulses) this.#sincePulse = Math.max(0, this.#sincePulse - bytes);
  }
}
