/** Starts the library before each test file: a program does that with its first tensor, a unit test may make tensors by inner functions. */
import { boot } from "../../src/runtime.ts";

boot();
