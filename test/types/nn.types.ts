/** The compiler's knowledge of networks: arguments and results of layers, and their options. */
import { arange, type Shape, type Tensor, zeros } from "stridewise";
import {
  Conv2d,
  CrossEntropyLoss,
  Embedding,
  Flatten,
  GRUCell,
  Linear,
  LSTM,
  LSTMCell,
  type LSTMResult,
  MaxPool2d,
  Module,
  ModuleDict,
  ModuleList,
  MultiheadAttention,
  parameter,
  ReLU,
  Sequential,
  Softmax,
  TransformerEncoderLayer,
} from "stridewise/nn";
import type { Equal, Expect } from "../support/types.ts";

const x = zeros([2, 3]);
const linear = new Linear(3, 4).forward(x);
const convolved = new Conv2d(1, 2, 3, { padding: "same" }).forward(x);
const activated = new ReLU().forward(x);
const loss = new CrossEntropyLoss({ labelSmoothing: 0.1 }).forward(x, x);
const sequence = new Sequential(new Linear(3, 4), new ReLU(), new LSTM(4, 5));
const output = sequence.forward(x);
const recurrent = new LSTM(3, 5).forward(x);
const gated = new GRUCell(3, 5).forward(x);
let hidden = zeros([2, 5]);
hidden = new GRUCell(3, 5).forward(x, hidden);
const stepped = new LSTMCell(3, 5).forward(x, { hidden, cell: hidden });
const encoded = new TransformerEncoderLayer(4, 2).forward(x);
const embedded = new Embedding(10, 4).forward(arange(3));
const chained = new Sequential(new Linear(3, 4), new ReLU()).forward(x);
const second = sequence.at(2);
const attended = new MultiheadAttention(4, 2).forward(x, x, x, { needWeights: false });
const listed = new ModuleList([new Linear(1, 2)]).at(0);
const keyed = new ModuleDict({ a: new Linear(1, 2), b: new Flatten() }).get("b");
const marked = parameter(x);

class Net extends Module {
  layer = new Linear(3, 4);
  forward(input: Tensor, times: number): Tensor {
    return this.layer.forward(input).mul(times);
  }
}
const own = new Net().eval().forward(x, 2);

/** A variable that holds results of ops and of layers in turn, as models are written. */
export class Blocks extends Module {
  tokens = new Embedding(10, 4);
  positions = new Embedding(10, 4);
  nets = new ModuleList([new Net(), new Net()]);
  last = new Linear(4, 4);
  forward(indices: Tensor, offset: Tensor): Tensor {
    let x = this.tokens.forward(indices).add(this.positions.forward(indices));
    for (const net of this.nets) x = net.forward(x, 2);
    let y = offset.add(1);
    y = this.last.forward(y);
    y = y.view(-1, 4).mul(2);
    y = offset;
    let z = zeros([2, 2]).add(1);
    z = new Linear(2, 2).forward(z).view(2, 2);
    return x.add(y).add(z);
  }
}

// @ts-expect-error there is no such option
new Linear(3, 4, { biases: false });
// @ts-expect-error outputs are missing
new Linear(3);
// @ts-expect-error there is no such border
new Conv2d(1, 2, 3, { paddingMode: "mirror" });
// @ts-expect-error an array is not a tensor
new Linear(3, 4).forward([1, 2, 3]);
// @ts-expect-error Softmax needs an axis
new Softmax();
// @ts-expect-error ReLU has no settings
new ReLU(0.1);
// @ts-expect-error there is no such reduction
new CrossEntropyLoss({ reduction: "average" });
// @ts-expect-error a window has a size
new MaxPool2d({ stride: 2 });
// @ts-expect-error the first layer takes a tensor
sequence.forward(3);
// @ts-expect-error a function is not a module
new Sequential(new Linear(1, 2), Math.abs);
// @ts-expect-error there is no such module
new ModuleDict({ a: new Flatten() }).get("b");
// @ts-expect-error a module has a forward
new (class extends Module {})();

export type Statements = [
  Expect<Equal<typeof linear, Tensor<Shape, "float32">>>,
  Expect<Equal<typeof convolved, Tensor<Shape, "float32">>>,
  Expect<Equal<typeof activated, Tensor<Shape, "float32">>>,
  Expect<Equal<typeof chained, Tensor<Shape, "float32">>>,
  Expect<Equal<ReturnType<(typeof chained)["item"]>, number>>,
  Expect<Equal<ReturnType<(typeof loss)["item"]>, number>>,
  Expect<Equal<typeof output, ReturnType<LSTM["forward"]>>>,
  Expect<Equal<typeof recurrent, LSTMResult<Tensor<Shape, "float32">>>>,
  Expect<Equal<ReturnType<(typeof recurrent.cell)["item"]>, number>>,
  Expect<Equal<typeof gated, Tensor<Shape, "float32">>>,
  Expect<Equal<typeof stepped.cell, Tensor<[2, 5], "float32">>>,
  Expect<Equal<typeof encoded, Tensor<Shape, "float32">>>,
  Expect<Equal<typeof embedded, Tensor>>,
  Expect<Equal<typeof second, LSTM>>,
  Expect<Equal<(typeof attended)["weights"], Tensor<Shape, "float32"> | null>>,
  Expect<Equal<typeof listed, Linear>>,
  Expect<Equal<typeof keyed, Flatten>>,
  Expect<Equal<typeof marked, typeof x>>,
  Expect<Equal<typeof own, Tensor>>,
];
