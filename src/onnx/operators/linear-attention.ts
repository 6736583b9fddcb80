/**
 * Linear attention: a state of keys by values is updated by each token, and read by its queries. Few tokens are unrolled, and many are a loop of the
 * compiled program.
 */
import * as sw from "../../index.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

/** The number of tokens up to which they are unrolled. */
const maxUnrolled = 8;

/** The rules by name: whether the state decays, and whether it learns the difference to the value that it has. */
const rules = {
  linear: { decays: false, corrects: false },
  gated: { decays: true, corrects: false },
  delta: { decays: false, corrects: true },
  gated_delta: { decays: true, corrects: true },
} as const;

/** One token: query [batch, heads, group, keys], key [batch, heads, keys, 1], value [batch, heads, 1, values], decay and rate [batch, heads, ?, 1]. */
type Token = readonly sw.Tensor[];

function linearAttention(call: Call): readonly sw.Tensor[] {
  const own = call.tensor(0).dtype;
  const dtype = computedAs(own);
  const name = call.string("update_rule", "gated_delta");
  if (!Object.hasOwn(rules, name))
    throw call.error(`update_rule must be ${Object.keys(rules).join(", ")}, got "${name}"`);
  const { decays, corrects } = rules[name as keyof typeof rules];
  const [heads, queryHeads] = [call.int("kv_num_heads"), call.int("q_num_heads")];
  if (heads < 1 || queryHeads < 1 || Math.max(heads, queryHeads) % Math.min(heads, queryHeads) !== 0)
    throw call.error(`one of kv_num_heads=${heads} and q_num_heads=${queryHeads} must divide the other one`);
  if (call.int("state_window", 0) !== 0) throw call.error("a state_window is not supported");
  const [batch, length] = call.tensor(0).shape;
  /** Input k as [length, batch, heads, ...]. */
  const tokens = (k: number, count: number, ...rest: number[]): sw.Tensor =>
    call
      .tensor(k)
      .to(dtype)
      .reshape([batch, length, count, ...rest])
      .transpose(0, 1);
  const [keySize, valueSize] = [call.tensor(0).shape[2] / queryHeads, call.tensor(2).shape[2] / heads];
  /** Heads of queries or keys, which neighboring heads of values may share, as [length, batch, heads, ...]. */
  const shared = (t: sw.Tensor): sw.Tensor => (t.shape[2] >= heads ? t : sw.repeatInterleave(t, heads / t.shape[2], 2));
  const groups = Math.max(1, queryHeads / heads);
  const scale = call.float("scale", 0) || 1 / Math.sqrt(keySize);
  const inputs = [
    sw.mul(shared(tokens(0, queryHeads / groups, groups, keySize)), scale),
    shared(tokens(1, call.tensor(1).shape[2] / keySize, keySize, 1)),
    tokens(2, heads, 1, valueSize),
    ...(decays ? [sw.exp(tokens(4, heads, call.tensor(4).shape[2] / heads, 1))] : []),
    ...(corrects ? [tokens(5, call.tensor(5).shape[2], 1, 1)] : []),
  ];
  const step = (state: sw.Tensor, [query, key, value, ...rest]: Token): readonly [sw.Tensor, sw.Tensor] => {
    const decayed = decays ? sw.mul(state, rest[0]) : state;
    let next: sw.Tensor;
    if (corrects) {
      const known = sw.matmul(key.transpose(2, 3), decayed);
      const rate = rest[decays ? 1 : 0];
      next = sw.elementwise("decayed + rate * key * (value - known)", { decayed, rate, key, value, known });
    } else next = sw.elementwise("decayed + key * value", { decayed, key, value });
    return [next, sw.matmul(query, next)];
  };
  const past = call.optionalTensor(3);
  let state: sw.Tensor = past?.to(dtype) ?? sw.zeros([batch, heads, keySize, valueSize], { dtype });
  let outputs: sw.Tensor;
  if (length === 0) outputs = sw.zeros([0, batch, heads, groups, valueSize], { dtype });
  else if (length > maxUnrolled) [state, outputs] = sw.scan(step, state, inputs);
  else {
    const list: sw.Tensor[] = [];
    for (let t = 0; t < length; t++) {
      const [next, output] = step(
        state,
        inputs.map((each) => each.select(0, t)),
      );
      state = next;
      list.push(output);
    }
    outputs = sw.stack(list);
  }
  const result: sw.Tensor = outputs.transpose(0, 1).reshape([batch, length, groups * heads * valueSize]);
  return [result.to(own), state.to(past?.dtype ?? own)];
}

/** The decay and the rate of linear attention: the decay is scaled Softplus of a projection, the rate is Sigmoid of another one. */
function linearAttentionGate(call: Call): readonly (sw.Tensor | null)[] {
  const [a, bias, scale, b] = [call.tensor(0), call.tensor(1), call.tensor(2), call.optionalTensor(3)];
  const decay = sw.mul(sw.softplus(sw.add(a.to("float32"), bias)), scale).to(a.dtype);
  return [decay, b === null ? null : sw.sigmoid(b)];
}

/** Linear attention of com.microsoft. */
export const microsoftLinearAttention: OperatorTable = {
  LinearAttention: linearAttention,
  LinearAttentionGate: linearAttentionGate,
};

export const linearAttentionOperators: OperatorTable = { LinearAttention: linearAttention };
