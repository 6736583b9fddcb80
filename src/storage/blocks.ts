/**
 * The used and free blocks of a range of memory: the bookkeeping of an allocator, without the memory, in units.
 *
 * Every unit belongs to one block, used or free; no two free blocks are adjacent. Free blocks are in lists by size, eight per
 * power of two, and a bit per list says whether it is empty, so allocate and free take constant time. A block is identified by a small
 * number, its node, which is stable until it is freed.
 */

const start = 0;
const length = 1;
const before = 2; // the node of the block that ends where this one starts
const after = 3;
const previousFree = 4; // `inUse` marks a used block
const nextFree = 5;
const fields = 6;

const none = -1;
const inUse = -2;
/** Lists for blocks of up to 2^27 - 1 units. */
const listCount = 25 * 8;
/** The number of blocks of the list below the safe one that are tried before an allocation fails. */
const maxTries = 32;

/** The list of blocks of this length. Increasing; exact below 16. */
function listOf(units: number): number {
  const log = 31 - Math.clz32(units);
  return log < 3 ? units : (log - 2) * 8 + (units >>> (log - 3)) - 8;
}

/** One block in the result of `Blocks.list`. */
interface BlockView {
  readonly start: number;
  readonly length: number;
  readonly used: boolean;
}

export class Blocks {
  /** The unit after the last block. */
  declare end: number;
  /** The number of free units. */
  free = 0;
  #nodes = new Int32Array(fields * 32);
  #nodeCount = 0;
  #spare = none;
  #last = none;
  readonly #heads = new Int32Array(listCount).fill(none);
  readonly #filled = new Int32Array(Math.ceil(listCount / 32));

  /** An empty range that starts at this unit; `extend` adds units. */
  constructor(from: number) {
    this.end = from;
  }

  /** The first unit of a block. */
  startOf(node: number): number {
    return this.#nodes[node * fields + start];
  }

  /** The number of units of a block. */
  lengthOf(node: number): number {
    return this.#nodes[node * fields + length];
  }

  /** The number of free units at the end, which an extension adds to. */
  get freeAtEnd(): number {
    return this.#last !== none && !this.#isUsed(this.#last) ? this.lengthOf(this.#last) : 0;
  }

  /** The length of the longest free block. */
  get largestFree(): number {
    let longest = 0;
    for (let list = listCount - 1; list >= 0 && longest === 0; list--)
      for (let node = this.#heads[list]; node !== none; node = this.#nodes[node * fields + nextFree])
        longest = Math.max(longest, this.lengthOf(node));
    return longest;
  }

  /** Adds free units at the end. */
  extend(units: number): void {
    if (units <= 0) return;
    const node = this.#newNode(this.end, units, this.#last, none);
    if (this.#last !== none) this.#nodes[this.#last * fields + after] = node;
    this.#last = node;
    this.end += units;
    this.free += units;
    this.#insert(this.#joinBefore(node));
  }

  /** Allocates a block of exactly `units` and returns its node, or -1 if there is no space. */
  allocate(units: number): number {
    const node = this.#find(units);
    if (node === none) return none;
    this.#remove(node);
    this.#markUsed(node);
    this.#cut(node, units);
    this.free -= units;
    return node;
  }

  /** Frees a block and joins it with adjacent free blocks. */
  release(node: number): void {
    this.free += this.lengthOf(node);
    this.#insert(this.#joinBefore(this.#joinAfter(node)));
  }

  /** Resizes a used block in place. Returns false if the units after it are used. */
  resize(node: number, units: number): boolean {
    const old = this.lengthOf(node);
    const next = this.#nodes[node * fields + after];
    if (units > old && (next === none || this.#isUsed(next) || old + this.lengthOf(next) < units)) return false;
    if (units > old) this.#joinAfter(node);
    this.#cut(node, units);
    this.free += old - units;
    return true;
  }

  /** All blocks in order of address. */
  list(): BlockView[] {
    const blocks: BlockView[] = [];
    for (let node = this.#last; node !== none; node = this.#nodes[node * fields + before])
      blocks.push({ start: this.startOf(node), length: this.lengthOf(node), used: this.#isUsed(node) });
    return blocks.reverse();
  }

  #isUsed(node: number): boolean {
    return this.#nodes[node * fields + previousFree] === inUse;
  }

  #markUsed(node: number): void {
    this.#nodes[node * fields + previousFree] = inUse;
  }

  /** A free block of at least `units`. Every block of a higher list fits, and some of its own list. */
  #find(units: number): number {
    const log = 31 - Math.clz32(units);
    const own = listOf(units);
    const safe = listOf(log < 3 ? units : units + (1 << (log - 3)) - 1);
    if (safe >= listCount) return none;
    const list = this.#firstFilled(safe);
    if (list !== none) return this.#heads[list];
    let node = own === safe ? none : this.#heads[own];
    for (let i = 0; node !== none && i < maxTries; i++) {
      if (this.lengthOf(node) >= units) return node;
      node = this.#nodes[node * fields + nextFree];
    }
    return none;
  }

  /** The first list from `list` on that holds a block. */
  #firstFilled(list: number): number {
    let word = list >>> 5;
    let bits = this.#filled[word] & (-1 << (list & 31));
    while (bits === 0) {
      if (++word === this.#filled.length) return none;
      bits = this.#filled[word];
    }
    return word * 32 + 31 - Math.clz32(bits & -bits);
  }

  /** Splits the units of a used block after the first `units` off as a free block. */
  #cut(node: number, units: number): void {
    const at = node * fields;
    const rest = this.#nodes[at + length] - units;
    if (rest === 0) return;
    const next = this.#nodes[at + after];
    const tail = this.#newNode(this.#nodes[at + start] + units, rest, node, next);
    // newNode may have replaced the array.
    this.#nodes[at + length] = units;
    this.#nodes[at + after] = tail;
    if (next === none) this.#last = tail;
    else this.#nodes[next * fields + before] = tail;
    this.#insert(this.#joinAfter(tail));
  }

  /** Joins the next block to this one if it is free. */
  #joinAfter(node: number): number {
    const nodes = this.#nodes;
    const at = node * fields;
    const next = nodes[at + after];
    if (next === none || this.#isUsed(next)) return node;
    this.#remove(next);
    const past = nodes[next * fields + after];
    nodes[at + length] = nodes[at + length] + nodes[next * fields + length];
    nodes[at + after] = past;
    if (past === none) this.#last = node;
    else nodes[past * fields + before] = node;
    nodes[next * fields + after] = this.#spare;
    this.#spare = next;
    return node;
  }

  /** Joins this block to the previous one if that is free. Returns the node of the result, which is in no list. */
  #joinBefore(node: number): number {
    const previous = this.#nodes[node * fields + before];
    if (previous === none || this.#isUsed(previous)) return node;
    this.#remove(previous);
    this.#markUsed(previous);
    this.#insert(node);
    return this.#joinAfter(previous);
  }

  #insert(node: number): void {
    const list = listOf(this.lengthOf(node));
    const head = this.#heads[list];
    this.#nodes[node * fields + previousFree] = none;
    this.#nodes[node * fields + nextFree] = head;
    if (head !== none) this.#nodes[head * fields + previousFree] = node;
    this.#heads[list] = node;
    this.#filled[list >>> 5] = this.#filled[list >>> 5] | (1 << (list & 31));
  }

  #remove(node: number): void {
    const nodes = this.#nodes;
    const previous = nodes[node * fields + previousFree];
    const next = nodes[node * fields + nextFree];
    if (next !== none) nodes[next * fields + previousFree] = previous;
    if (previous !== none) {
      nodes[previous * fields + nextFree] = next;
      return;
    }
    const list = listOf(this.lengthOf(node));
    this.#heads[list] = next;
    if (next === none) this.#filled[list >>> 5] = this.#filled[list >>> 5] & ~(1 << (list & 31));
  }

  /** A node for a block that is in no list. */
  #newNode(from: number, units: number, previous: number, next: number): number {
    let node = this.#spare;
    if (node !== none) this.#spare = this.#nodes[node * fields + after];
    else {
      node = this.#nodeCount++;
      if (this.#nodeCount * fields > this.#nodes.length) {
        const nodes = new Int32Array(this.#nodes.length * 2);
        nodes.set(this.#nodes);
        this.#nodes = nodes;
      }
    }
    const at = node * fields;
    this.#nodes[at + start] = from;
    this.#nodes[at + length] = units;
    this.#nodes[at + before] = previous;
    this.#nodes[at + after] = next;
    this.#nodes[at + previousFree] = inUse;
    return node;
  }
}
