/** Samples of composite ops, their arguments as text. */

const scores = "tensor([[1, 2, 0.5], [0, -1, 3]])";
const classes = 'tensor([1, 2], { dtype: "int64" })';
const values = "tensor([[0.2, 0.8], [1.5, -1]])";
const targets = "tensor([[0, 1], [1, 0.5]])";
const signs = "tensor([[1, -1], [-1, 1]])";
const image = "arange(0, 8).reshape(1, 2, 2, 2)";

/** By name. */
export const composite: Readonly<Record<string, readonly string[]>> = {
  softmax: [`${scores}, 1`, `${scores}, 0, { dtype: "float64" }`, "tensor(2), 0"],
  logSoftmax: [`${scores}, 1`, "tensor([-1000, 0, 1000]), 0"],
  softmin: [`${scores}, 1`],
  safeSoftmax: ["tensor([[0, 0], [-Infinity, -Infinity]]), 1"],
  glu: ["tensor([[3, 5, 0, 1]])"],
  prelu: ["tensor([[-1, 2], [3, -4]]), tensor([0.5, 0.1])"],
  rrelu: ["tensor([-1, 2])", "tensor([-1, 2]), { training: true }"],
  layerNorm: [
    "tensor([[1, 2, 3], [2, 2, 8]]), [3]",
    "arange(0, 12).reshape(2, 2, 3), [2, 3], ones([2, 3]), tensor([[1, 2, 3], [4, 5, 6]])",
  ],
  rmsNorm: ["tensor([[1, 2, 3], [2, 2, 8]]), [3], tensor([1, 2, 3])"],
  groupNorm: ["arange(0, 8).reshape(1, 4, 2), 2", "arange(0, 8).reshape(1, 4, 2), 2, ones([4]), tensor([1, 2, 3, 4])"],
  batchNorm: [
    `${image}, { training: true }`,
    `${image}, { runningMean: tensor([1, 5]), runningVar: tensor([4, 9]), weight: tensor([1, 2]) }`,
  ],
  instanceNorm: [`${image}`],
  localResponseNorm: ["arange(0, 6).reshape(1, 3, 2), 2, { alpha: 1 }"],
  normalize: ["tensor([[3, 4], [0, 2]])", "tensor([[3, 4], [0, 2]]), 1, 0"],
  renorm: ["tensor([[3, 4], [0.3, 0.4]]), 2, 0, 1"],
  linear: ["tensor([[1, 2]]), tensor([[3, 4], [5, 6], [7, 8]]), tensor([10, 20, 30])"],
  bilinear: ["tensor([[1, 2]]), tensor([[3, 4, 5]]), ones([2, 2, 3])"],
  dropout: ["ones([4]), 0.5"],
  dropout1d: ["ones([2, 3]), 0.5"],
  dropout2d: ["ones([1, 2, 2, 2]), 0.5"],
  dropout3d: ["ones([1, 2, 1, 2, 2]), 0.5"],
  alphaDropout: ["ones([4]), 0.5, { training: true }"],
  featureAlphaDropout: ["ones([1, 2, 3]), 0.5, { training: true }"],
  cosineSimilarity: ["tensor([[3, 4], [1, 0]]), tensor([[4, 3], [0, 1]])"],
  pairwiseDistance: ["tensor([[3, 4], [1, 0]]), tensor([[0, 0], [0, 1]])"],
  cdist: [
    "tensor([[0, 0], [3, 4]]), tensor([[3, 0], [0, 4], [1, 1]])",
    "tensor([[0, 0], [3, 4]]), tensor([[3, 0]]), 1",
    'tensor([[0, 0], [3, 4]]), tensor([[3, 0]]), 2, { computeMode: "use_mm_for_euclid_dist" }',
  ],
  pdist: ["tensor([[0, 0], [3, 4], [0, 1]])"],
  dist: ["tensor([1, 2, 3]), tensor([1, 5, 7])"],
  mseLoss: [`${values}, ${targets}`, `${values}, ${targets}, { reduction: "none" }`],
  l1Loss: [`${values}, ${targets}`],
  smoothL1Loss: [`${values}, ${targets}, { beta: 0.5 }`],
  huberLoss: [`${values}, ${targets}, { delta: 0.5 }`],
  softMarginLoss: [`${values}, ${signs}`],
  hingeEmbeddingLoss: [`${values}, ${signs}`],
  binaryCrossEntropy: ["tensor([0.2, 0.9]), tensor([0, 1])"],
  binaryCrossEntropyWithLogits: [`${values}, ${targets}`, `${values}, ${targets}, { posWeight: tensor([1, 2]) }`],
  poissonNllLoss: [`${values}, ${targets}`, `${values}, tensor([[0, 3], [2, 5]]), { full: true }`],
  gaussianNllLoss: [`${values}, ${targets}, ones([2, 2])`],
  klDiv: ['tensor([[-1, -0.5]]), tensor([[0.4, 0.6]]), { reduction: "batchmean" }'],
  marginRankingLoss: ["tensor([1, 5]), tensor([2, 2]), tensor([1, 1]), { margin: 1 }"],
  cosineEmbeddingLoss: [`${values}, ${targets}, tensor([1, -1])`],
  tripletMarginLoss: [`${values}, ${signs}, ${targets}`, `${values}, ${targets}, ${signs}`],
  tripletMarginWithDistanceLoss: [`${values}, ${targets}, ${signs}, { swap: true }`],
  nllLoss: [`logSoftmax(${scores}, 1), ${classes}`],
  crossEntropy: [
    `${scores}, ${classes}`,
    `${scores}, ${classes}, { labelSmoothing: 0.1, weight: tensor([1, 2, 3]) }`,
    `${scores}, tensor([[0, 1, 0], [0.5, 0, 0.5]])`,
  ],
  multiMarginLoss: [`${scores}, tensor([0, 2], { dtype: "int64" })`, `${scores}, ${classes}`],
  multilabelMarginLoss: [
    `${scores}, tensor([[0, -1, 1], [0, 2, -1]], { dtype: "int64" })`,
    `${scores}, tensor([[1, -1, 0], [0, 2, -1]], { dtype: "int64" })`,
  ],
  multilabelSoftMarginLoss: [`${values}, ${targets}`],
  ctcLoss: [`logSoftmax(arange(0, 12).reshape(4, 1, 3), 2), tensor([[1, 2]], { dtype: "int64" }), [4], [2]`],
  scaledDotProductAttention: [
    "tensor([[1, 0]]), tensor([[1, 0], [0, 1]]), tensor([[10, 20], [30, 40]])",
    "ones([2, 3, 2]), arange(0, 8).reshape(2, 2, 2), arange(0, 12).reshape(2, 2, 3), { isCausal: true }",
  ],
  interpolate: [
    "tensor([[[1, 2, 3]]]), { scaleFactor: 2 }",
    `${image}, { size: [3, 3], mode: "bilinear", alignCorners: true }`,
    `${image}, { size: 3, mode: "bicubic" }`,
  ],
  upsample: ["tensor([[[1, 2, 3]]]), { size: 5 }"],
  upsampleNearest: [`${image}, { scaleFactor: 2 }`],
  upsampleBilinear: [`${image}, { size: [3, 3] }`],
  gridSample: [`${image}, tensor([[[[0, 0], [1, -1]]]]), { alignCorners: true }`],
  affineGrid: ["tensor([[[1, 0, 0], [0, 1, 0]]]), [1, 1, 2, 2]"],
  embeddingBag: [
    'tensor([[0, 2], [0, 1]], { dtype: "int64" }), tensor([[1, 10], [2, 20], [3, 30]])',
    'tensor([0, 2, 1], { dtype: "int64" }), tensor([[1, 10], [2, 20], [3, 30]]), { offsets: tensor([0, 2], { dtype: "int64" }), mode: "max" }',
  ],
};
