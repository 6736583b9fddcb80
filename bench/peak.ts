/**
 * Measures the peak rate at which the engine multiplies and adds: twelve sums in registers, each multiplied by one
 * number and increased by another, without loads or stores. No matrix product that multiplies and adds separately can
 * be faster with the same flags.
 */

/** A WebAssembly function f(rounds) with 12 x 4 vector steps per round, encoded by hand. */
function moduleOf(isRelaxed: boolean): Uint8Array<ArrayBuffer> {
  const sums = 12;
  const [factor, term] = [sums + 1, sums + 2];
  const simd = (code: number): number[] => (code < 128 ? [0xfd, code] : [0xfd, (code & 127) | 128, code >> 7]);
  const splat = (value: number): number[] => [
    0x43,
    ...new Uint8Array(new Float32Array([value]).buffer),
    ...simd(0x13), // f32x4.splat
  ];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const step = (sum: number): number[] =>
    isRelaxed
      ? [...get(sum), ...get(factor), ...get(term), ...simd(0x105), ...set(sum)] // f32x4.relaxed_madd
      : [...get(sum), ...get(factor), ...simd(0xe6), ...get(term), ...simd(0xe4), ...set(sum)]; // mul, add
  const all = Array.from({ length: sums }, (_, k) => k + 1);
  const body = [
    ...splat(1.0001),
    ...set(factor),
    ...splat(0.9999),
    ...set(term),
    ...[0x03, 0x40], // loop
    ...[0, 1, 2, 3].flatMap(() => all.flatMap(step)),
    ...[0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b], // until --rounds is 0
    ...get(1),
    ...all.slice(1).flatMap((sum) => [...get(sum), ...simd(0xe4)]),
    ...[...simd(0x1f), 0, 0x0b], // one lane, so that the work is not eliminated
  ];
  const length = (size: number): number[] => (size < 128 ? [size] : [(size & 127) | 128, ...length(size >> 7)]);
  const section = (id: number, bytes: readonly number[]): number[] => [id, ...length(bytes.length), ...bytes];
  const code = [1, sums + 2, 0x7b, ...body];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7d]),
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, ...length(code.length), ...code]),
  ]);
}

/**
 * Returns a function that measures GFLOP/s for about `milliseconds`, or null if the engine lacks these instructions.
 */
export function peakMeter(isRelaxed: boolean, milliseconds: number): (() => number) | null {
  let run: (rounds: number) => number;
  try {
    run = new WebAssembly.Instance(new WebAssembly.Module(moduleOf(isRelaxed))).exports["f"] as typeof run;
  } catch {
    return null;
  }
  run(2_000_000);
  run(2_000_000);
  const rounds = Math.ceil(milliseconds * 70_000);
  return () => {
    const begun = performance.now();
    run(rounds);
    return (rounds * 12 * 4 * 8) / (performance.now() - begun) / 1e6;
  };
}
