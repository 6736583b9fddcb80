/**
 * `configure`: changes the options of `settings.ts`. A program that never calls it does not load the code that opens a native library for
 * matrix products.
 */
import { nearest } from "../../base/arguments.ts";
import { resolveBlas } from "../blas/resolve-blas.ts";
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

/**
 * Changes options and returns the configuration in effect. An unknown option or an invalid value throws, and nothing changes. An
 * earlier result of `configuration()` restores its options.
 */
export const configure: (settings: Options | Configuration) => Configuration = /* @__PURE__ */ withBlas(change);

/** Installs the code that opens a native library, in every program that keeps the function it returns. */
function withBlas(configure: (settings: Options | Configuration) => Configuration): typeof configure {
  installBlas(resolveBlas);
  return configure;
}

function change(settings: Options | Configuration): Configuration {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new ConfigurationError(
      `configure: needs an object with options, got ${Array.isArray(settings) ? "an array" : String(settings)}. Write configure({ threads: 2 }).`,
    );
  const { report: _, ...options } = settings as Configuration;
  for (const name of Object.keys(options)) if (!Object.hasOwn(rules, name)) throw unknownOption(name);
  const changes = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
  for (const name of Object.keys(changes) as (keyof Options)[]) check("configure", name, changes[name]);
  return changeOptions(settings as Configuration, changes);
}

function unknownOption(name: string): ConfigurationError {
  const names = Object.keys(rules);
  const close = nearest(name, names);
  const remedy = close === undefined ? `The options are ${names.join(", ")}.` : `Did you mean ${close}?`;
  return new ConfigurationError(`configure: there is no option ${name}. ${remedy}`);
}
