/**
 * The names of ops in PyTorch and NumPy, for docs/ops/names.md. Every name was looked up in PyTorch 2.13 and NumPy 2.4. An op that is missing here
 * has no counterpart there.
 */

/** Ops that PyTorch has under the same name in snake_case, by module. */
const torchModules: Readonly<Record<string, string>> = {
  torch: `
    abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwiseAnd bitwiseLeftShift bitwiseNot
    bitwiseOr bitwiseRightShift bitwiseXor ceil clamp clampMax clampMin complex conj copysign cos cosh deg2rad
    digamma div eq erf erfc erfinv exp exp2 expm1 floatPower floor floorDivide fmax fmin fmod frac frexp gcd ge
    gt heaviside hypot i0 igamma igammac isclose isfinite isinf isnan isneginf isposinf isreal lcm ldexp le lerp
    lgamma log log10 log1p log2 logaddexp logaddexp2 logicalAnd logicalNot logicalOr logicalXor logit lt
    maskedFill maximum minimum mul mvlgamma nanToNum ne neg nextafter polar polygamma pow rad2deg reciprocal
    remainder round rsqrt rsub sgn sigmoid sign signbit sin sinc sinh sqrt square sub tan tanh trunc where xlogy
    all amax amin aminmax any argmax argmin countNonzero cummax cummin cumprod cumsum logcumsumexp logsumexp max
    mean min nanmean nansum prod std stdMean sum var varMean addbmm addmm addmv addr baddbmm bmm dot einsum
    inner kron matmul mm mv outer tensordot vdot argwhere asStridedScatter atleast1d atleast2d atleast3d
    blockDiag broadcastTensors broadcastTo cartesianProd cat chunk columnStack concat constantPadNd diag
    diagEmbed diagflat diagonal diagonalScatter dsplit dstack flatten flip fliplr flipud gather hsplit hstack
    imag indexAdd indexCopy indexFill indexPut indexReduce indexSelect maskedScatter maskedSelect meshgrid
    moveaxis movedim narrow nonzero nonzeroStatic permute put ravel real repeatInterleave reshape roll rot90
    rowStack scatter scatterAdd scatterReduce select selectScatter sliceScatter split squeeze stack swapaxes
    swapdims take takeAlongDim tensorSplit tile trace transpose tril triu unbind unflatten unravelIndex
    unsqueeze vander vsplit vstack allclose argsort bincount bucketize combinations corrcoef cov
    cumulativeTrapezoid diff equal gradient histc histogram histogramdd isin kthvalue median mode msort
    nanmedian nanquantile quantile searchsorted sort topk trapezoid trapz unique uniqueConsecutive cholesky
    choleskyInverse choleskySolve cross det dist geqrf inverse logdet luSolve luUnpack matrixExp matrixPower
    norm orgqr ormqr pcaLowrank pinverse qr slogdet svd svdLowrank triangularSolve istft stft cdist renorm
    bernoulli binomial multinomial normal poisson absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    clip concatenate conjPhysical divide fix ger greater greaterEqual less lessEqual multiply negative notEqual
    subtract trueDivide`,
  "torch.Tensor": "repeat reshapeAs sumToSize viewAs",
  "torch.fft": `
    fft.fft fft.fft2 fft.fftn fft.fftshift fft.hfft fft.hfft2 fft.hfftn fft.ifft fft.ifft2 fft.ifftn
    fft.ifftshift fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn`,
  "torch.linalg": `
    vectorNorm linalg.multiDot multiDot linalg.cholesky linalg.choleskyEx linalg.cond linalg.cross linalg.det
    linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.householderProduct linalg.inv
    linalg.invEx linalg.ldlFactor linalg.ldlFactorEx linalg.ldlSolve linalg.lstsq linalg.lu linalg.luFactor
    linalg.luFactorEx linalg.luSolve linalg.matrixExp linalg.matrixNorm linalg.matrixPower linalg.matrixRank
    linalg.norm linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.solveEx linalg.solveTriangular
    linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve linalg.vander linalg.vecdot linalg.vectorNorm`,
  "torch.masked": `
    masked.amax masked.amin masked.argmax masked.argmin masked.cumprod masked.cumsum masked.logSoftmax
    masked.logaddexp masked.logsumexp masked.mean masked.median masked.norm masked.normalize masked.prod
    masked.softmax masked.softmin masked.std masked.sum masked.var`,
  "torch.nn.functional": `
    celu elu gelu hardshrink hardsigmoid hardswish hardtanh leakyRelu mish relu relu6 selu silu softplus
    softshrink softsign tanhshrink threshold adaptiveAvgPool1d adaptiveAvgPool2d adaptiveAvgPool3d
    adaptiveMaxPool1d adaptiveMaxPool2d adaptiveMaxPool3d avgPool1d avgPool2d avgPool3d conv1d conv2d conv3d
    convTranspose1d convTranspose2d convTranspose3d lpPool1d lpPool2d maxPool1d maxPool2d maxPool3d maxUnpool1d
    maxUnpool2d maxUnpool3d channelShuffle embedding fold oneHot pad pixelShuffle pixelUnshuffle unfold
    affineGrid alphaDropout batchNorm bilinear binaryCrossEntropy binaryCrossEntropyWithLogits
    cosineEmbeddingLoss cosineSimilarity crossEntropy ctcLoss dropout dropout1d dropout2d dropout3d embeddingBag
    featureAlphaDropout gaussianNllLoss glu gridSample groupNorm hingeEmbeddingLoss huberLoss instanceNorm
    interpolate klDiv l1Loss layerNorm linear localResponseNorm logSoftmax marginRankingLoss mseLoss
    multiMarginLoss multilabelMarginLoss multilabelSoftMarginLoss nllLoss normalize pairwiseDistance pdist
    poissonNllLoss prelu rmsNorm rrelu scaledDotProductAttention smoothL1Loss softMarginLoss softmax softmin
    tripletMarginLoss tripletMarginWithDistanceLoss upsample upsampleBilinear upsampleNearest logsigmoid`,
  "torch.special": `
    airyAi besselJ0 besselJ1 besselY0 besselY1 chebyshevPolynomialT chebyshevPolynomialU chebyshevPolynomialV
    chebyshevPolynomialW entr erfcx gammainc gammaincc gammaln hermitePolynomialH hermitePolynomialHe i0e i1 i1e
    laguerrePolynomialL legendrePolynomialP logNdtr modifiedBesselI0 modifiedBesselI1 modifiedBesselK0
    modifiedBesselK1 multigammaln ndtr ndtri psi scaledModifiedBesselK0 scaledModifiedBesselK1
    shiftedChebyshevPolynomialT shiftedChebyshevPolynomialU shiftedChebyshevPolynomialV
    shiftedChebyshevPolynomialW sphericalBesselJ0 xlog1py zeta expit`,
};

/** Ops with another name in PyTorch. */
const torchOthers: Readonly<Record<string, string>> = {
  logSigmoid: "torch.nn.functional.logsigmoid",
  digitize: "torch.bucketize",
  lu: "torch.linalg.lu_factor",
  sampleBeta: "torch.distributions.Beta",
  sampleDirichlet: "torch.distributions.Dirichlet",
  standardGamma: "torch.distributions.Gamma",
  around: "torch.round",
  arrayEqual: "torch.equal",
  arraySplit: "torch.tensor_split",
  broadcastArrays: "torch.broadcast_tensors",
  conjugate: "torch.conj",
  degrees: "torch.rad2deg",
  expandDims: "torch.unsqueeze",
  invert: "torch.bitwise_not",
  leftShift: "torch.bitwise_left_shift",
  mod: "torch.remainder",
  permuteDims: "torch.permute",
  power: "torch.pow",
  radians: "torch.deg2rad",
  rightShift: "torch.bitwise_right_shift",
  rint: "torch.round",
  takeAlongAxis: "torch.take_along_dim",
};

/** Ops that NumPy has under the same name in snake_case, by module. */
const numpyModules: Readonly<Record<string, string>> = {
  np: `
    abs acos acosh add angle asin asinh atan atan2 atanh bitwiseAnd bitwiseLeftShift bitwiseNot bitwiseOr
    bitwiseRightShift bitwiseXor cbrt ceil conj copysign cos cosh deg2rad exp exp2 expm1 floatPower floor
    floorDivide fmax fmin fmod frexp gcd heaviside hypot i0 isclose isfinite isinf isnan isneginf isposinf
    isreal lcm ldexp log log10 log1p log2 logaddexp logaddexp2 logicalAnd logicalNot logicalOr logicalXor
    maximum minimum nanToNum nextafter pow rad2deg reciprocal remainder round sign signbit sin sinc sinh sqrt
    square tan tanh trunc where all amax amin any argmax argmin countNonzero cumprod cumsum max mean min nanmean
    nansum prod std sum var dot einsum inner kron matmul outer tensordot vdot append argwhere atleast1d
    atleast2d atleast3d block broadcastTo columnStack concat diag diagflat diagonal dsplit dstack ediff1d flip
    fliplr flipud hsplit hstack imag insert meshgrid moveaxis pad put ravel ravelMultiIndex real reshape roll
    rot90 squeeze stack swapaxes take tile trace tril trimZeros triu unravelIndex vander vsplit vstack allclose
    argpartition argsort average bincount convolve corrcoef correlate cov diff digitize gradient histogram
    histogramdd interp intersect1d isin lexsort median nanargmax nanargmin nancumprod nancumsum nanmax nanmedian
    nanmin nanpercentile nanprod nanquantile nanstd nanvar partition percentile polyadd polyder polydiv polyfit
    polyint polymul polysub polyval ptp quantile roots searchsorted setdiff1d setxor1d sort trapezoid union1d
    unique unwrap cross linalg.vander absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh clip
    concatenate divide fix greater greaterEqual less lessEqual multiply negative notEqual subtract trueDivide
    around arrayEqual arraySplit broadcastArrays conjugate degrees expandDims invert leftShift mod permuteDims power radians
    rightShift rint takeAlongAxis`,
  "np.fft": `
    fft.fft fft.fft2 fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft
    fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn`,
  "np.linalg": `
    vectorNorm linalg.multiDot multiDot cholesky det linalg.cholesky linalg.cond linalg.cross linalg.det
    linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq
    linalg.matrixNorm linalg.matrixPower linalg.matrixRank linalg.norm linalg.pinv linalg.qr linalg.slogdet
    linalg.solve linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve linalg.vecdot linalg.vectorNorm
    matrixPower norm qr slogdet svd`,
  "np.random": "binomial normal poisson standardGamma",
};

/** Ops with another name in NumPy. */
const numpyOthers: Readonly<Record<string, string>> = {
  clamp: "np.clip",
  clampMax: "np.minimum",
  clampMin: "np.maximum",
  div: "np.divide",
  eq: "np.equal",
  ge: "np.greater_equal",
  gt: "np.greater",
  le: "np.less_equal",
  lt: "np.less",
  maskedFill: "np.where",
  mul: "np.multiply",
  ne: "np.not_equal",
  neg: "np.negative",
  sgn: "np.sign",
  sub: "np.subtract",
  logsumexp: "np.logaddexp.reduce",
  bmm: "np.matmul",
  mm: "np.matmul",
  mv: "np.matmul",
  broadcastTensors: "np.broadcast_arrays",
  cat: "np.concatenate",
  deleteAt: "np.delete",
  flatten: "np.ravel",
  gather: "np.take_along_axis",
  indexSelect: "np.take",
  maskedSelect: "np.extract",
  movedim: "np.moveaxis",
  nonzero: "np.argwhere",
  permute: "np.transpose",
  repeat: "np.tile",
  repeatInterleave: "np.repeat",
  rowStack: "np.vstack",
  swapdims: "np.swapaxes",
  takeAlongDim: "np.take_along_axis",
  tensorSplit: "np.array_split",
  transpose: "np.swapaxes",
  unsqueeze: "np.expand_dims",
  bucketize: "np.digitize",
  equal: "np.array_equal",
  histc: "np.histogram",
  kthvalue: "np.partition",
  msort: "np.sort",
  trapz: "np.trapezoid",
  inverse: "np.linalg.inv",
  pinverse: "np.linalg.pinv",
  multinomial: "np.random.choice",
  sampleBeta: "np.random.beta",
  sampleDirichlet: "np.random.dirichlet",
  conjPhysical: "np.conj",
  ger: "np.outer",
};

/** Functions and members of tensors that are not ops, with their names in PyTorch and NumPy: one line each. */
export const namesBesideOps = `
  tensor | torch.tensor | np.array
  fromBuffer | torch.from_numpy, torch.frombuffer | np.asarray, np.frombuffer
  fromDLPack | torch.from_dlpack | np.from_dlpack
  zeros | torch.zeros | np.zeros
  ones | torch.ones | np.ones
  full | torch.full | np.full
  empty | torch.empty | np.empty
  zerosLike | torch.zeros_like | np.zeros_like
  onesLike | torch.ones_like | np.ones_like
  fullLike | torch.full_like | np.full_like
  emptyLike | torch.empty_like | np.empty_like
  arange | torch.arange | np.arange
  linspace | torch.linspace | np.linspace
  logspace | torch.logspace | np.logspace
  geomspace |  | np.geomspace
  eye | torch.eye | np.eye
  identity |  | np.identity
  tri |  | np.tri
  trilIndices | torch.tril_indices | np.tril_indices
  triuIndices | torch.triu_indices | np.triu_indices
  fromFunction |  | np.fromfunction
  windows.bartlett | torch.signal.windows.bartlett, torch.bartlett_window | np.bartlett
  windows.blackman | torch.signal.windows.blackman, torch.blackman_window | np.blackman
  windows.hamming | torch.signal.windows.hamming, torch.hamming_window | np.hamming
  windows.hann | torch.signal.windows.hann, torch.hann_window | np.hanning
  windows.kaiser | torch.signal.windows.kaiser, torch.kaiser_window | np.kaiser
  windows.cosine | torch.signal.windows.cosine |
  windows.exponential | torch.signal.windows.exponential |
  windows.gaussian | torch.signal.windows.gaussian |
  windows.generalCosine | torch.signal.windows.general_cosine |
  windows.generalHamming | torch.signal.windows.general_hamming |
  windows.nuttall | torch.signal.windows.nuttall |
  rand | torch.rand | np.random.rand
  randn | torch.randn | np.random.randn
  randint | torch.randint | np.random.randint
  permutation | torch.randperm | np.random.permutation
  randperm | torch.randperm | np.random.permutation
  manualSeed | torch.manual_seed | np.random.seed
  Generator | torch.Generator | np.random.Generator
  setDefaultDType | torch.set_default_dtype |
  setPrintOptions | torch.set_printoptions | np.set_printoptions
  promoteTypes | torch.promote_types | np.promote_types
  canCast | torch.can_cast | np.can_cast
  finfo | torch.finfo | np.finfo
  iinfo | torch.iinfo | np.iinfo
  version | torch.__version__ | np.__version__
  broadcastShapes | torch.broadcast_shapes | np.broadcast_shapes
  newaxis |  | np.newaxis
  range | slice | slice
  Tensor.at | x[...] | x[...]
  Tensor.assign | x[:] = v | x[:] = v
  Tensor.assignAt | x[i] = v | x[i] = v
  Tensor.pick | x[:, [2, 0]] | x[:, [2, 0]]
  Tensor.get | x[i, j].item() | x.item(i, j)
  Tensor.item | torch.Tensor.item | np.ndarray.item
  Tensor.toArray | torch.Tensor.tolist | np.ndarray.tolist
  Tensor.tolist | torch.Tensor.tolist | np.ndarray.tolist
  Tensor.toTypedArray | torch.Tensor.numpy |
  Tensor.to | torch.Tensor.to | np.ndarray.astype
  Tensor.astype |  | np.ndarray.astype
  Tensor.readonly |  | np.ndarray.setflags(write=False)
  Tensor.clone | torch.clone | np.copy
  Tensor.contiguous | torch.Tensor.contiguous | np.ascontiguousarray
  Tensor.view | torch.Tensor.view | np.reshape
  Tensor.expand | torch.Tensor.expand | np.broadcast_to
  Tensor.asStrided | torch.as_strided | np.lib.stride_tricks.as_strided
  Tensor.unfold | torch.Tensor.unfold | np.lib.stride_tricks.sliding_window_view
  Tensor.slice | x[a:b:c] | x[a:b:c]
  Tensor.T | torch.Tensor.T | np.ndarray.T
  Tensor.mT | torch.Tensor.mT | np.ndarray.mT
  Tensor.size | torch.Tensor.numel | np.ndarray.size
  Tensor.numel | torch.Tensor.numel | np.ndarray.size
  Tensor.rank | torch.Tensor.dim | np.ndarray.ndim
  Tensor.ndim | torch.Tensor.ndim | np.ndarray.ndim
  Tensor.dim | torch.Tensor.dim | np.ndarray.ndim
  Tensor.stride | torch.Tensor.stride | np.ndarray.strides
  Tensor.nbytes | torch.Tensor.nbytes | np.ndarray.nbytes
  Tensor.detach | torch.Tensor.detach |
  Tensor.backward | torch.Tensor.backward |
  grad | torch.autograd.grad |
  gradOf | torch.func.grad |
  valueAndGrad | torch.func.grad_and_value |
  vjp | torch.func.vjp |
  jvp | torch.func.jvp |
  jacobian | torch.func.jacrev, torch.func.jacfwd |
  hessian | torch.func.hessian |
  vmap | torch.vmap |
  compile | torch.compile |
  noGrad | torch.no_grad |
  inferenceMode | torch.inference_mode |
  checkpoint | torch.utils.checkpoint.checkpoint |
  gradcheck | torch.autograd.gradcheck |
`;

/** Ops that behave differently under the same name, with the difference. */
export const differences: Readonly<Record<string, string>> = {
  argsort: "int32 indices",
  argmax: "int32 indices",
  argmin: "int32 indices",
  append: "returns a copy, as in NumPy",
  diag: "a copy; `diagonal` is a view",
  digitize: "as in NumPy; `bucketize` has PyTorch's arguments",
  equal: "one boolean, as in PyTorch; `eq` is elementwise",
  histc: "counts only; `histogram` returns counts and edges",
  max: "with an axis returns `{ values, indices }`, as in PyTorch; `amax` returns values",
  median: "the lower of two middle elements, as in PyTorch; `quantile(x, 0.5)` interpolates",
  meshgrid: 'indexing "ij" by default, as in PyTorch; NumPy\'s default is "xy"',
  min: "with an axis returns `{ values, indices }`, as in PyTorch; `amin` returns values",
  multinomial: "returns int32 indices",
  nonzero: "one row for each element, as in PyTorch; `{ asTuple: true }` as in NumPy",
  pad: "widths from the last axis backwards, as in PyTorch",
  put: "returns a copy",
  repeat: "repeats the whole tensor, as in PyTorch; NumPy's `repeat` is `repeatInterleave`",
  select: "removes an axis, as in PyTorch",
  sort: "returns `{ values, indices }`, as in PyTorch",
  split: "takes sizes, as in PyTorch; `tensorSplit` takes a number of parts or indices",
  std: "correction 1 by default, as in PyTorch; NumPy's default is 0",
  take: "indices into the flattened tensor, as in PyTorch; NumPy's `take` with an axis is `indexSelect`",
  transpose: "exchanges two axes, as in PyTorch; NumPy's `transpose` is `permute`",
  unfold: "image windows; the method `unfold` is a sliding window along one axis",
  unique: "sorted; options for inverse and counts",
  var: "correction 1 by default, as in PyTorch; NumPy's default is 0",
};

/** "leakyRelu" as "leaky_relu". The functions of NumPy with a dimension in their name have one more underscore. */
const snakeCase = (name: string): string =>
  name.replace(/^atleast/, "atleast_").replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const byOp = (
  modules: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(modules).flatMap(([module, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, `${module}.${snakeCase(name.split(".").at(-1) as string)}`] as const),
    ),
    ...Object.entries(others),
  ]);

/** PyTorch's name of each op that it has. */
export const torchNames: ReadonlyMap<string, string> = byOp(torchModules, torchOthers);

/** NumPy's name of each op that it has. */
export const numpyNames: ReadonlyMap<string, string> = byOp(numpyModules, numpyOthers);
