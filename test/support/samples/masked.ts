/** Samples of the ops that take a mask. */
export const masked: Readonly<Record<string, readonly string[]>> = {
  "masked.sum": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.prod": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.amax": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.amin": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.mean": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.logsumexp": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.argmax": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.argmin": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), null, { mask: tensor([true, false, true]), keepdims: true }",
  ],
  "masked.var": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0, { unbiased: false }",
  ],
  "masked.variance": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0, { unbiased: false }",
  ],
  "masked.std": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0, { unbiased: false }",
  ],
  "masked.median": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]])",
  ],
  "masked.norm": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 2, 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), -1, 0, { mask: tensor([true, false, true]) }",
  ],
  "masked.softmax": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0",
  ],
  "masked.logSoftmax": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0",
  ],
  "masked.softmin": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0",
  ],
  "masked.cumsum": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0",
  ],
  "masked.cumprod": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
    "tensor([[1, -2, 3], [4, 5, -6]]), 0",
  ],
  "masked.normalize": [
    "tensor([[1, -2, 3], [4, 5, -6]]), 2, 1, { mask: tensor([[true, false, true], [true, true, false]]) }",
  ],
  "masked.logaddexp": [
    "tensor([1, 2, 3]), tensor([3, 2, 1]), { inputMask: tensor([true, true, false]), otherMask: tensor([false, true, true]) }",
  ],
};
