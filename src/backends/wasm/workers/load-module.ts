/** Imports a module whose address is known only at run time; bundlers leave it alone. */

/** The module at this address. */
export function loadModule(address: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ address);
}
