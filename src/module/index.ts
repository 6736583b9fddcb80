/** Standalone modules: `stridewise/module`. A compiled function as files that run without this library. */
export { saveModule } from "./save-module.ts";
export { type ModuleOptions, type StandaloneModule, toModule } from "./to-module.ts";
