/** Samples of linear algebra, their arguments as text. */

const square = "tensor([[4, 2], [1, 3]])";
/** The rows of `square` in the opposite order, so that pivoting swaps them. */
const swapped = "tensor([[1, 3], [4, 2]])";
const symmetric = "tensor([[4, 2], [2, 3]])";
const tall = "tensor([[1, 2], [3, 4], [5, 7]])";
const wide = "tensor([[complex(1, 2), complex(0, 1), complex(3, 0)], [complex(2, 0), complex(1, -1), complex(0, 4)]])";
const batch = "tensor([[[4, 2], [1, 3]], [[1, 0], [2, 5]]])";
const columns = "tensor([[1, 0], [2, 5]])";
const packed = "tensor([[4, 2], [0.25, 2.5]]), tensor([1, 2], { dtype: 'int32' })";
const reflected = "tensor([[-5, -2], [0.5, 3], [0.25, 0.5]]), tensor([1.5, 1.6])";

/** By name. */
export const linalg: Readonly<Record<string, readonly string[]>> = {
  "linalg.solve": [`${square}, tensor([2, 1])`, `${batch}, ${columns}`, `${square}, ${columns}, { left: false }`],
  "linalg.solveEx": [`${square}, tensor([2, 1])`],
  "linalg.solveTriangular": [`${square}, ${columns}, { upper: true }`],
  "linalg.inv": [square, batch],
  "linalg.invEx": [square, "ones([2, 2])"],
  "linalg.det": [square, batch],
  "linalg.slogdet": [square, batch],
  "linalg.lu": [swapped, square, wide],
  "linalg.luFactor": [swapped, square, wide],
  "linalg.luFactorEx": [square],
  "linalg.luSolve": [`${packed}, ${columns}`],
  "linalg.cholesky": [symmetric, `${symmetric}, { upper: true }`],
  "linalg.choleskyEx": [symmetric, "tensor([[1, 2], [2, 1]])"],
  "linalg.qr": [tall, `${wide}, 'complete'`, `${tall}, 'r'`],
  "linalg.svd": [tall, `${tall}, false`],
  "linalg.svdvals": [tall, wide],
  "linalg.eigh": [symmetric],
  "linalg.eigvalsh": [symmetric, `${symmetric}, 'U'`],
  "linalg.eig": [square],
  "linalg.eigvals": [square, "tensor([[0, 1], [-1, 0]])"],
  "linalg.lstsq": [`${tall}, tensor([[1], [2], [3]])`, `${tall}, tensor([1, 2, 3]), { driver: 'gelsd' }`],
  "linalg.pinv": [tall, `${symmetric}, { hermitian: true }`],
  "linalg.matrixRank": ["tensor([[1, 2], [2, 4]])", tall],
  "linalg.cond": [square, `${square}, 1`],
  "linalg.matrixPower": [`${square}, 3`, `${square}, -1`, `${square}, 0`],
  "linalg.matrixExp": ["tensor([[0, 1], [0, 0]])", batch],
  "linalg.ldlFactor": [symmetric],
  "linalg.ldlFactorEx": [symmetric],
  "linalg.ldlSolve": ["tensor([[4, 0], [0.5, 2]]), tensor([1, 2], { dtype: 'int32' }), tensor([[8], [6]])"],
  "linalg.householderProduct": [reflected],
  "linalg.norm": ["tensor([3, 4])", `${square}, 'nuc'`, `${square}, 1, 0`],
  "linalg.vectorNorm": ["tensor([3, 4])", `${square}, 1, -1`],
  "linalg.matrixNorm": [square, `${square}, Infinity`, `${square}, 2, [1, 0], { keepdims: true }`],
  "linalg.multiDot": [`[${square}, ${columns}, tensor([1, 2])]`],
  "linalg.cross": ["tensor([1, 0, 0]), tensor([0, 1, 0])"],
  "linalg.vecdot": ["tensor([1, 2, 3]), tensor([4, 5, 6])"],
  "linalg.vander": ["tensor([2, 3])", "tensor([2, 3]), { N: 4 }"],
  "linalg.tensorinv": ["tensor([[[1, 2], [3, 4]]]).reshape(2, 2, 1), 1", "eye(4).reshape(2, 2, 2, 2)"],
  "linalg.tensorsolve": ["eye(4).reshape(2, 2, 2, 2), tensor([[1, 2], [3, 4]])"],
  "linalg.diagonal": [square, `${batch}, { offset: 1 }`],
  inverse: [square],
  det: [square],
  slogdet: [square],
  matrixPower: [`${square}, 3`],
  matrixExp: ["tensor([[0, 1], [0, 0]])"],
  logdet: [square],
  cholesky: [symmetric],
  choleskySolve: [`${columns}, tensor([[2, 0], [1, 3]])`],
  choleskyInverse: ["tensor([[2, 0], [1, 3]])"],
  triangularSolve: [`${columns}, ${square}`],
  qr: [tall],
  geqrf: [tall],
  ormqr: [`${reflected}, ones([3, 2])`, `${reflected}, ones([2, 3]), false, true`],
  orgqr: [reflected],
  svd: [tall],
  pinverse: [tall],
  lu: [square],
  luSolve: [`${columns}, ${packed}`],
  luUnpack: [packed],
  norm: ["tensor([3, 4])", `${square}, 1, 0`],
  dist: ["tensor([3, 4]), tensor([0, 0])"],
  cross: ["tensor([1, 0, 0]), tensor([0, 1, 0])"],
  svdLowrank: [`${tall}, 1`],
  pcaLowrank: [`${tall}, 1`],
  stft: ["arange(0, 12).to('float32'), 4", "ones([2, 12]), 4, { center: false, hopLength: 2 }"],
  istft: ["ones([3, 4], { dtype: 'complex64' }), 4"],
};
