// @ts-check
/**
 * The module form of parallelLoops inside a worker: calls a function of the user's module for a range of regions.
 * It imports nothing but that module, so that a worker finds it alone. `regions.ts` says what the numbers are.
 */

/** @type {Map<string, Promise<any>>} */
const modules = new Map();

/**
 * @param {any} data the tensor's storage
 * @param {number} begin
 * @param {number} end
 * @param {{ module: string, name: string, regions: import("./regions.ts").Regions }} info
 */
export async function callRegions(data, begin, end, { module, name, regions }) {
  let loaded = modules.get(module);
  if (loaded === undefined) {
    loaded = import(/* @vite-ignore */ /* webpackIgnore: true */ module);
    modules.set(module, loaded);
  }
  const called = (await loaded)[name];
  if (typeof called !== "function") throw new TypeError(`the module has no function ${name}`);
  const { sizes, strides, start, parts, stride, restShape } = regions;
  for (let region = begin; region < end; region++) {
    let offset = start;
    let left = region;
    for (let d = sizes.length - 1; d >= 0; d--) {
      const size = /** @type {number} */ (sizes[d]);
      const digit = left % size;
      left = (left - digit) / size;
      offset += digit * /** @type {number} */ (strides[d]);
    }
    await called(data, offset * parts, stride, restShape);
  }
}
