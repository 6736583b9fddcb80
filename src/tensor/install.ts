/**
 * Puts the methods that the files of this room define on the Tensor class. Called once, by `../runtime.ts`.
 */
import { ownBrand, tensorBrand } from "../base/foreign.ts";
import { accessMethods } from "./access/access-methods.ts";
import { convertMethods } from "./convert/convert-methods.ts";
import { cuteMethods } from "./cute/cute-methods.ts";
import { Tensor } from "./tensor.ts";
import { viewMethods } from "./views/view-methods.ts";

// The methods' types reach the published declarations only through files that are named there.
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
