/**
 * PyTorch's parameters after the input, in its order. Those before the semicolon are positional here, those after it are options, under
 * this library's words for them (`torch-call.ts`). A name before the parenthesis is this library's where it is another one. Ops that take
 * what PyTorch takes, in its order, need no line.
 */

const reductions: Readonly<Record<string, string>> = {
  ...same("(dim; keepdim, dtype)", "sum", "nansum", "mean", "nanmean", "prod"),
  ...same(
    "(dim; keepdim)",
    "all",
    "any",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "aminmax",
    "median",
    "nanmedian",
    "mode",
    "logsumexp",
  ),
  max: "(dim; keepdim)",
  min: "(dim; keepdim)",
  var: "(dim; correction, keepdim)",
  std: "(dim; correction, keepdim)",
  var_mean: "(dim; correction, keepdim)",
  std_mean: "(dim; correction, keepdim)",
  norm: "(p, dim; keepdim, dtype)",
  kthvalue: "(k, dim; keepdim)",
  ...same("(q, dim; keepdim, interpolation)", "quantile", "nanquantile"),
  count_nonzero: "(dim)",
  ...same("(dim; dtype)", "cumsum", "cumprod", "softmax", "log_softmax", "softmin"),
  ...same("(dim)", "cummax", "cummin", "logcumsumexp", "glu"),
  cov: "(; correction, fweights, aweights)",
  diff: "(n, dim; prepend, append)",
  ...same("(x; dx, dim)", "trapezoid", "trapz", "cumulative_trapezoid"),
  gradient: "(; spacing, dim, edge_order)",
};

const movement: Readonly<Record<string, string>> = {
  ...same("(dim)", "cat", "concat", "stack"),
  flatten: "(start_dim, end_dim)",
  flip: "(dims)",
  roll: "(shifts, dims)",
  rot90: "(k, dims)",
  repeat_interleave: "(repeats, dim; output_size)",
  gather: "(dim, index)",
  scatter: "(dim, index, src; reduce)",
  scatter_add: "(dim, index, src)",
  scatter_reduce: "(dim, index, src, reduce; include_self)",
  index_add: "(dim, index, source; alpha)",
  index_reduce: "(dim, index, source, reduce; include_self)",
  index_put: "(indices, values; accumulate)",
  put: "(index, source; accumulate)",
  nonzero: "(; as_tuple)",
  ...same("(offset, dim1, dim2)", "diagonal", "diag_embed", "diagflat"),
  diagonal_scatter: "(src, offset, dim1, dim2)",
  as_strided: "(size, stride, storage_offset)",
  as_strided_scatter: "(src, size, stride, storage_offset)",
  meshgrid: "(; indexing)",
  narrow: "(dim, start, length)",
  combinations: "(r; with_replacement)",
  pad: "(pad; mode, value)",
  unfold: "Tensor.unfold(dimension, size, step)",
  "F.unfold": "ops.unfold(kernel_size; dilation, padding, stride)",
  "F.fold": "fold(output_size, kernel_size; dilation, padding, stride)",
  pixel_shuffle: "(upscale_factor)",
  pixel_unshuffle: "(downscale_factor)",
  one_hot: "(num_classes)",
};

const routines: Readonly<Record<string, string>> = {
  topk: "(k, dim; largest, sorted)",
  ...same("(dim; descending, stable)", "sort", "argsort"),
  unique: "(; sorted, return_inverse, return_counts, dim)",
  unique_consecutive: "(; return_inverse, return_counts, dim)",
  searchsorted: "(values; out_int32, right, side, sorter)",
  bucketize: "(boundaries; out_int32, right)",
  bincount: "(weights; minlength)",
  histc: "(bins; min, max)",
  histogram: "(bins; range, weight, density)",
};

const creation: Readonly<Record<string, string>> = {
  arange: "(end, step; dtype)",
  full: "(fill_value; dtype)",
  linspace: "(end, steps; dtype)",
  logspace: "(end, steps; base, dtype)",
  randint: "(high, size; dtype)",
  eye: "(m; dtype)",
  ...same("(; dtype)", "empty", "zeros", "ones", "zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"),
  full_like: "(fill_value; dtype)",
};

const contractions: Readonly<Record<string, string>> = {
  ...same("(mat1, mat2; beta, alpha)", "addmm", "addmv", "addr", "addbmm", "baddbmm"),
  tensordot: "(other, dims)",
  ...same("(weight, bias; stride, padding, dilation, groups)", "conv1d", "conv2d", "conv3d"),
  ...same(
    "(weight, bias; stride, padding, output_padding, groups, dilation)",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
  ),
  ...same(
    "(kernel_size; stride, padding, ceil_mode, count_include_pad, divisor_override)",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
  ),
  ...same(
    "(kernel_size; stride, padding, dilation, ceil_mode, return_indices)",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
  ),
  ...same(
    "(output_size)",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
  ),
  ...same("(indices, kernel_size; stride, padding, output_size)", "max_unpool1d", "max_unpool2d", "max_unpool3d"),
  cdist: "(x2, p; compute_mode)",
};

const composites: Readonly<Record<string, string>> = {
  layer_norm: "(normalized_shape, weight, bias; eps)",
  rms_norm: "(normalized_shape, weight; eps)",
  group_norm: "(num_groups, weight, bias; eps)",
  batch_norm: "(; running_mean, running_var, weight, bias, training, momentum, eps)",
  instance_norm: "(; running_mean, running_var, weight, bias, use_input_stats, momentum, eps)",
  prelu: "(weight)",
  pdist: "(p)",
  normalize: "(p, dim; eps)",
  cosine_similarity: "(x2; dim, eps)",
  pairwise_distance: "(x2; p, eps, keepdim)",
  ...same("(p; training)", "dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"),
  ...same(
    "(target; weight, size_average, ignore_index, reduce, reduction, label_smoothing)",
    "cross_entropy",
    "nll_loss",
  ),
  ...same(
    "(target; size_average, reduce, reduction)",
    "l1_loss",
    "mse_loss",
    "soft_margin_loss",
    "multilabel_margin_loss",
  ),
  smooth_l1_loss: "(target; size_average, reduce, reduction, beta)",
  huber_loss: "(target; reduction, delta, weight)",
  kl_div: "(target; size_average, reduce, reduction, log_target)",
  binary_cross_entropy: "(target; weight, size_average, reduce, reduction)",
  binary_cross_entropy_with_logits: "(target; weight, size_average, reduce, reduction, pos_weight)",
  poisson_nll_loss: "(target; log_input, full, size_average, eps, reduce, reduction)",
  gaussian_nll_loss: "(target, var; full, eps, reduction)",
  cosine_embedding_loss: "(x2, target; margin, size_average, reduce, reduction)",
  margin_ranking_loss: "(x2, target; margin, size_average, reduce, reduction)",
  triplet_margin_loss: "(positive, negative; margin, p, eps, swap, size_average, reduce, reduction)",
  hinge_embedding_loss: "(target; margin, size_average, reduce, reduction)",
  multi_margin_loss: "(target; p, margin, weight, size_average, reduce, reduction)",
  scaled_dot_product_attention: "(key, value; attn_mask, dropout_p, is_causal)",
  interpolate: "(; size, scale_factor, mode, align_corners, recompute_scale_factor)",
  grid_sample: "(grid; mode, padding_mode, align_corners)",
};

const matrices: Readonly<Record<string, string>> = {
  ...same("(ord, dim; keepdim, dtype)", "linalg.norm", "linalg.vector_norm", "linalg.matrix_norm"),
};

const transforms: Readonly<Record<string, string>> = {
  ...same("(n, dim; norm)", ...["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"].map((name) => `fft.${name}`)),
  ...same(
    "(s, dim; norm)",
    ...["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"].flatMap((name) => [`fft.${name}2`, `fft.${name}n`]),
  ),
  ...same("(dim)", "fft.fftshift", "fft.ifftshift"),
};

const masked: Readonly<Record<string, string>> = {
  ...same(
    "(dim; keepdim, dtype, mask)",
    ...["sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "logsumexp"].map(
      (name) => `masked.${name}`,
    ),
  ),
  ...same("(dim; unbiased, keepdim, dtype, mask)", "masked.var", "masked.std"),
  "masked.norm": "(ord, dim; keepdim, dtype, mask)",
  ...same("(indices, kernel_size; stride, padding, output_size)", "max_unpool1d", "max_unpool2d", "max_unpool3d"),
};

/** One signature for several ops. */
function same(signature: string, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, signature]));
}

/** All of them, by PyTorch's names without namespaces that have none here. */
export const signatures: Readonly<Record<string, string>> = {
  ...reductions,
  ...movement,
  ...routines,
  ...creation,
  ...contractions,
  ...composites,
  ...matrices,
  ...transforms,
  ...masked,
};
