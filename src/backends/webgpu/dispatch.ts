/**
 * The ops on tensors of a WebGPU device: the handler of the dispatch key "webgpu" for every op that has no kernel of its own for it.
 *
 * It plans a call as graphs do: the op allocates its results on the device, lowers its work to the steps of a program, and the program's launches are
 * recorded. Views and copies run their usual functions, which reach the device through their programs. Composite ops call other ops.
 */
import type { StridewiseError } from "../../base/errors.ts";
import type { Program, Step } from "../../kernel/program/program.ts";
import { bindingOf, runProgram } from "../../kernel/program/run-program.ts";
import { cpu, type Device, deviceKeys, equalDevice, formatDevice } from "../../storage/device.ts";
import type { DType } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { toDevice } from "../../tensor/convert/to-device.ts";
import { DispatchError, type Fallback, type Operator } from "../../tensor/dispatch/operator.ts";
import { lowerCall } from "../../tensor/program-cache.ts";
import { keyArguments } from "../../tensor/program-keys.ts";
import { scope } from "../../tensor/scope.ts";
import { Tensor } from "../../tensor/tensor.ts";

/** Runs an op on the device of its tensors. */
export const onWebGpu: Fallback = (op, _keys, args) =>
  scope(() => {
    const device = deviceOf(args);
    return run(
      op,
      args.map((arg) => onDevice(op.name, arg, device)),
      device,
    );
  });

function run(op: Operator, args: readonly unknown[], device: Device): unknown {
  const kernel = op.kernelFor("cpu");
  const isForAll = kernel !== null && kernel === op.kernelFor("meta") && op.facts.random === undefined;
  const plan = isForAll ? null : op.plan;
  if (plan === null) {
    if (!isForAll) throw unsupported(op, device, "it has no kernel");
    return kernel(...(args as never[]));
  }
  const call = plan(args, (bytes) => Storage.allocate(bytes, { device }));
  if (call === null) return (kernel as (...args: readonly unknown[]) => unknown)(...args);
  if (call.isHost === true) throw unsupported(op, device, "it is a function of the CPU");
  const slots = keyArguments(args);
  const wide = [...call.results, ...slots].find((one) => one instanceof Tensor && isWide(one.type));
  if (wide !== undefined)
    throw unsupported(op, device, `it computes in float32 there, and ${(wide as Tensor).type} needs more`);
  const { builder } = lowerCall(call, slots);
  const program = builder.finish();
  const step = hostStepOf(program);
  if (step !== null) throw unsupported(op, device, `one of its steps runs on the CPU: ${step}`);
  runProgram(program, bindingOf(builder));
  call.finish?.();
  return call.value ?? call.results[0];
}

const isWide = (dtype: DType | null): boolean => dtype === "float64" || dtype === "complex128";

/** The name of a step that reads or writes elements on the CPU; null if there is none. */
function hostStepOf({ steps }: Pick<Program, "steps">): string | null {
  for (const step of steps) {
    const name = step.kind === "pieces" ? hostStepOf(step) : stepName(step);
    if (name !== null) return name;
  }
  return null;
}

function stepName(step: Step): string | null {
  switch (step.kind) {
    case "launch":
    case "pieces":
      return null;
    case "host":
      return step.rule?.kind === "bounds" && step.rule.bounds !== null ? null : step.name;
    case "copy":
      return "a copy";
    default:
      return step.name;
  }
}

const unsupported = ({ name }: Operator, device: Device, reason: string): StridewiseError =>
  new DispatchError(
    `${name}: is not supported on ${formatDevice(device)}, because ${reason}. Compute it on the CPU: (await x.cpu()), and copy the result back with to(device)`,
  );

/** The device of the first tensor on a WebGPU device. */
function deviceOf(args: readonly unknown[]): Device {
  for (const arg of args) {
    if (arg instanceof Tensor) {
      if (arg.bits & deviceKeys.webgpu) return arg.device;
    } else if (typeof arg === "object" && arg !== null) {
      const device = deviceOf(Array.isArray(arg) ? arg : Object.values(arg));
      if (device !== cpu) return device;
    }
  }
  return cpu;
}

/** Returns an argument with 0-d tensors on the CPU copied to the device. Throws if another tensor is on another device. */
function onDevice(who: string, arg: unknown, device: Device): unknown {
  if (arg instanceof Tensor) {
    const own = arg.device;
    if (equalDevice(own, device)) return arg;
    if (own.type === "cpu" && arg.rank === 0) return toDevice(arg, device);
    throw new DispatchError(
      `${who}: tensors are on ${formatDevice(device)} and ${formatDevice(own)}. Move all to one device first: x.to(device), or await x.cpu()`,
    );
  }
  if (Array.isArray(arg))
    return arg.some((one) => one instanceof Tensor) ? arg.map((one) => onDevice(who, one, device)) : arg;
  if (typeof arg !== "object" || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
  const entries = Object.entries(arg);
  if (!entries.some(([, value]) => value instanceof Tensor)) return arg;
  return Object.fromEntries(entries.map(([key, value]) => [key, onDevice(who, value, device)]));
}
