/**
 * Puts the methods that the files of this room define on the Tensor class. Called once, by `../runtime.ts`.
 */
import { accessMethods } from "./access-methods.ts";
import { Tensor } from "./tensor.ts";
import { viewMethods } from "./view-methods.ts";

const tables: readonly object[] = [viewMethods, accessMethods];

export function installMethods(): void {
  for (const table of tables)
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(table)))
      Object.defineProperty(Tensor.prototype, name, { ...descriptor, enumerable: false });
}
