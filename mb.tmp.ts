import { configure, empty, rand, elementwise } from "./src/index.ts";
configure({ threads: 1, relaxedSimd: process.argv[2] === "relaxed" });
const time = (name: string, f: () => void, n = 15) => { f(); f(); const t: number[] = []; for (let i = 0; i < n; i++) { const s = performance.now(); f(); t.push(performance.now() - s); } t.sort((a, b) => a - b); console.log(name.padEnd(24), "min", t[0]!.toFixed(2), "med", t[n >> 1]!.toFixed(2)); };
const n = 4096;
const x = rand([n, n]); const y = empty([n, n]);
const small = rand([4096]), out = empty([4096]);
for (const f of ["x * 2 + 1", "exp(x)", "sin(x)", "tanh(x)", "log(x)", "erf(x)", "sigmoid(x)"]) { const e = elementwise(f); time(f, () => { e({ x }, { out: y }); }); let best = 1e9; for (let r = 0; r < 20; r++) { const s = performance.now(); for (let i = 0; i < 500; i++) e({ x: small }, { out }); best = Math.min(best, (performance.now() - s) / 500 / 4096 * 1e6); } console.log("   in cache ns", best.toFixed(3)); }
