/** A product where the addresses of the process are limited: which memory there is, and how long the product takes. */
import { configure, features, matmul, ones } from "../../../src/index.ts";

// The bundle has no worker next to it.
configure({ threads: 1 });
const n = Number(process.argv[2]);
const started = performance.now();
const total = matmul(ones([n, n]), ones([n, n]))
  .sum()
  .item();
const { maximumBytes } = features().memory;
console.log(JSON.stringify({ total, maximumBytes, seconds: (performance.now() - started) / 1000 }));
