/** Adds the methods defined in this folder to the Tensor class. Called once, by `../boot.ts`. */
import { ownBrand, tensorBrand } from "../base/foreign.ts";
import { accessMethods } from "./access/access-methods.ts";
import { convertMethods } from "./convert/convert-methods.ts";
import { cuteMethods } from "./cute/cute-methods.ts";
import { Tensor } from "./tensor.ts";
import { viewMethods } from "./views/view-methods.ts";

// The published declarations contain the types of methods only if they name these files.
export type {} from "./access/access-methods.ts";
export type {} from "./convert/convert-methods.ts";
export type {} from "./cute/cute-methods.ts";
export type {} from "./views/view-methods.ts";

const brand = { [tensorBrand]: ownBrand };
const tables: readonly object[] = [viewMethods, accessMethods, convertMethods, cuteMethods, brand];

export function installMethods(): void {
  for (const table of tables)
    for (const name of Reflect.ownKeys(table))
      Object.defineProperty(Tensor.prototype, name, {
        ...Object.getOwnPropertyDescriptor(table, name),
        enumerable: false,
      });
}
