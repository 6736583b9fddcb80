/**
 * Random kernels of several threads: shared and private memory, values of every kind that live across barriers, uniform and varying loops and
 * conditions, nested. Between two barriers threads store to one array, each to its own elements, and load from the others, so most kernels
 * have no race; some barriers are left out.
 */
import { randomNumbers } from "./kernels.ts";

/** The number of threads, and of elements of shared memory. */
export const threads = 16;

/** Returns the text of a kernel; the same seed returns the same text. */
export function randomBlockText(seed: number): string {
  const random = randomNumbers(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const chance = (p: number): boolean => random() < p;

  const lines: string[] = [];
  let indent = "      ";
  let names = 0;
  const fresh = (like: string): string => `${like}${++names}`;
  const put = (text: string): void => void lines.push(indent + text);

  let floats: string[] = ["a", "w"];
  let accumulators: string[] = [];
  /** Integers of threads, and those that are the same for all. */
  let integers: string[] = ["t"];
  let uniform: string[] = ["n", "u", "g"];
  /** The array that threads store to until the next barrier. */
  let target: "s" | "q" | "none" = "none";

  const integer = (): string => pick([...integers, ...integers, ...uniform]);
  /** An element of shared memory. */
  const at = (): string =>
    pick([
      () => "t",
      () => `${threads - 1} - t`,
      () => `xor(t, ${below(threads)})`,
      () => `(t + ${below(threads)})%${threads}`,
      () => `(${integer()} + ${integer()})%${threads}`,
      () => `(4*t + t/4)%${threads}`,
      () => `and(${integer()}, ${below(threads)})`,
      () => `shiftRight(${threads - 1}, and(${integer()}, 3))`,
      () => `${below(threads)}`,
    ])();
  /** An element that no other thread has. */
  const own = (): string => pick(["t", `${threads - 1} - t`, `xor(t, ${below(threads)})`, `(4*t + t/4)%${threads}`]);

  const number = (): string =>
    pick([
      () => `int32[${integer()}]`,
      () => `y[${threads}*u + ${at()}]`,
      () => (target === "q" ? `int32[t]` : `q[${at()}]`),
      () => `int32(${below(9) - 4})`,
    ])();
  const value = (depth = 2): string => {
    if (depth > 0 && chance(0.5)) {
      const [left, right] = [value(depth - 1), value(depth - 1)];
      return pick([`${left} + ${right}`, `${left} - (${right})`, `max(${left}, ${right})`, `(${left}) * float32(0.5)`]);
    }
    return pick([
      () => pick([...floats, ...accumulators]),
      () => `x[${threads}*u + ${at()}]`,
      () => (target === "s" ? "w" : `s[${at()}]`),
      () => `r[${pick(["t%4", "n%4", `${below(4)}`])}]`,
      () => `float32[${integer()}]`,
      () => `float32(${below(20) / 4 - 2})`,
    ])();
  };
  const varying = (): string => pick([`${number()} < ${number()}`, `${value(1)} < ${value(1)}`]);
  const same = (): string =>
    pick([`int32[${pick(uniform)}] < int32(${below(5)})`, "w < x[u]", `a < float32(${below(3)})`]);

  /** Runs `make` with indentation; names bound in it are out of scope after it. */
  function block(open: string, make: () => void): void {
    const before = [floats, accumulators, integers, uniform] as const;
    [floats, accumulators, integers, uniform] = [[...floats], [...accumulators], [...integers], [...uniform]];
    put(`${open} {`);
    indent += "  ";
    make();
    indent = indent.slice(2);
    put("}");
    [floats, accumulators, integers, uniform] = before;
  }

  function barrier(): void {
    if (!chance(0.1)) put("barrier");
    target = pick(["s", "q", "none"] as const);
  }

  /** A statement without a barrier. */
  function plain(depth: number): void {
    const makers: (() => void)[] = [
      () => {
        const name = fresh("v");
        put(`let ${name}: float32 = ${value()}`);
        floats.push(name);
      },
      () => {
        const name = fresh("k");
        put(`fetch ${name} = ${number()}`);
        integers.push(name);
      },
      () => {
        const name = fresh("m");
        const isSame = chance(0.3);
        put(`index ${name} = (${isSame ? pick(uniform) : integer()} + ${below(5)})%8`);
        (isSame ? uniform : integers).push(name);
      },
      () => {
        const name = fresh("c");
        put(`accumulator ${name}: float32 = ${value(1)}`);
        accumulators.push(name);
      },
      () => put(`r[${pick(["t%4", "n%4", `${below(4)}`])}] = ${value()}`),
      () => {
        if (accumulators.length > 0) put(`${pick(accumulators)} ${pick(["add", "max", "min"])}= ${value()}`);
      },
      ...new Array<() => void>(3).fill(() => {
        if (target === "s") put(`s[${own()}] = ${value()}${chance(0.3) ? ` where ${varying()}` : ""}`);
        if (target === "q") put(`q[${own()}] = ${number()} + ${number()}`);
      }),
    ];
    if (depth > 0)
      makers.push(
        () => block(`if ${varying()}`, () => list(depth - 1, false)),
        () => {
          const name = fresh("i");
          block(
            `${chance(0.3) ? `unrolled ${name} in 0..2` : `serial ${name} in 0..${pick(["2", "n", "t%3"])}`}`,
            () => {
              integers.push(name);
              list(depth - 1, false);
            },
          );
        },
        () => {
          const name = fresh("z");
          block(`vector ${name} in 0..4 by 4`, () => {
            put(`r[${name}] = r[${name}] + ${pick(floats)}`);
            if (accumulators.length > 0) put(`${pick(accumulators)} add= r[${name}]`);
          });
        },
      );
    pick(makers)();
  }

  function list(depth: number, hasBarriers: boolean): void {
    for (let count = (hasBarriers ? 3 : 1) + below(4); count > 0; count--) {
      if (!hasBarriers || chance(0.6)) plain(depth);
      else if (depth === 0 || chance(0.5)) barrier();
      else {
        const name = fresh("i");
        const isLoop = chance(0.6);
        block(isLoop ? `serial ${name} in 0..${pick(["n", "2", "u%3"])}` : `if ${same()}`, () => {
          if (isLoop) uniform.push(name);
          barrier();
          list(depth - 1, true);
          barrier();
        });
        barrier();
      }
    }
  }

  put("allocate r: float32[4] in rmem");
  for (let k = 0; k < 4; k++) put(`r[${k}] = x[${threads}*u + t] + float32(${k})`);
  put(`s[t] = x[${threads}*u + ${at()}]`);
  put(`q[${own()}] = y[${threads}*u + t]`);
  put("barrier");
  list(3, true);
  put("barrier");
  target = "none";
  put(`out[${threads}*u + ${own()}] = ${value()} + r[t%4]`);
  put(`more[${threads}*u + ${own()}] = ${number()}`);
  return `kernel random_${seed}
  buffer x: float32 read
  buffer y: int32 read
  buffer out: float32 write
  buffer more: int32 write
  scalar a: float32
  size n: 0..3
  size units: 0..4
{
  parallel u in 0..units {
    let w: float32 = x[u]
    fetch g = y[u] + int32(${below(3)})
    allocate s: float32[${threads}] in smem
    allocate q: int32[${threads}] in smem
    threads t in 0..${threads} {
${lines.join("\n")}
    }
  }
}`;
}
