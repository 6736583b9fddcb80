/**
 * `configure`: changes the speed options (`settings.ts`). A program that never calls it does not load what only it can ask for, which is
 * the way to a native library for products of matrices.
 */
import { nearest } from "../../base/arguments.ts";
import { settleBlas } from "../blas/settle-blas.ts";
import {
  type Configuration,
  ConfigurationError,
  changeOptions,
  check,
  configuration,
  installBlas,
  type Options,
  onConfigure,
  rules,
} from "./settings.ts";

export { type Configuration, ConfigurationError, configuration, type Options, onConfigure };

installBlas(settleBlas);

/**
 * Changes options and gives what is in effect then. An unknown option or a bad value is refused and nothing changes. What
 * `configuration()` gave before may be given back as it is.
 */
export function configure(settings: Options | Configuration): Configuration {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new ConfigurationError(
      `configure: takes an object with options, got ${Array.isArray(settings) ? "an array" : String(settings)}. Write configure({ threads: 2 }).`,
    );
  const { report: _, ...options } = settings as Configuration;
  for (const name of Object.keys(options)) if (!Object.hasOwn(rules, name)) throw unknownOption(name);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
  for (const name of Object.keys(given) as (keyof Options)[]) check("configure", name, given[name]);
  return changeOptions(settings as Configuration, given);
}

function unknownOption(name: string): ConfigurationError {
  const names = Object.keys(rules);
  const close = nearest(name, names);
  const remedy = close === undefined ? `The options are ${names.join(", ")}.` : `Did you mean ${close}?`;
  return new ConfigurationError(`configure: there is no option "${name}". ${remedy}`);
}
