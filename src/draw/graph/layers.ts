/**
 * Boxes in layers: each is below all boxes that it has edges from, and edges that span several layers have a free lane in each of them, so no
 * edge crosses a box. Boxes of a layer are ordered by the mean of their neighbors, and are as close below those as their widths allow.
 */
export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface LaidOut {
  readonly width: number;
  readonly height: number;
  /** The top left corner of each box. */
  readonly positions: readonly (readonly [x: number, y: number])[];
  /** The points of each edge, from the lower side of its first box to the upper side of the second one. */
  readonly paths: readonly (readonly (readonly [x: number, y: number])[])[];
}

/** A box, or a lane of an edge. */
interface Cell {
  readonly width: number;
  readonly layer: number;
  readonly above: Cell[];
  readonly below: Cell[];
  /** The center. */
  x: number;
}

const gapX = 28;
const gapY = 44;
const laneWidth = 4;
const sweeps = 8;

/** Lays out boxes; edges are pairs of indices, and have no cycles. */
export function layOut(boxes: readonly Box[], edges: readonly (readonly [from: number, to: number])[]): LaidOut {
  const layers = layersOf(boxes.length, edges);
  const count = Math.max(0, ...layers) + 1;
  const rows: Cell[][] = Array.from({ length: count }, () => []);
  const addCell = (layer: number, width: number): Cell => {
    const cell: Cell = { layer, width, above: [], below: [], x: 0 };
    rows[layer].push(cell);
    return cell;
  };
  const cells = boxes.map(({ width }, k) => addCell(layers[k], width));
  const link = (upper: Cell, lower: Cell): void => {
    upper.below.push(lower);
    lower.above.push(upper);
  };
  const lanes = edges.map(([from, to]) => {
    const lane: Cell[] = [];
    let last = cells[from];
    for (let layer = layers[from] + 1; layer < layers[to]; layer++) {
      const cell = addCell(layer, laneWidth);
      link(last, cell);
      lane.push(cell);
      last = cell;
    }
    link(last, cells[to]);
    return lane;
  });
  assignX(rows);
  const left = Math.min(...rows.flat().map(({ x, width }) => x - width / 2), 0);
  for (const cell of rows.flat()) cell.x -= left;
  const heights = rows.map((_, layer) =>
    Math.max(0, ...boxes.map(({ height }, k) => (layers[k] === layer ? height : 0))),
  );
  const tops: number[] = [];
  let y = 0;
  for (const height of heights) {
    tops.push(y);
    y += height + gapY;
  }
  const positions = cells.map(({ x, width }, k): [number, number] => [x - width / 2, tops[layers[k]]]);
  const paths = edges.map(([from, to], k) => {
    const start = portOf(cells[from], cells[from].below, lanes[k][0] ?? cells[to]);
    const end = portOf(cells[to], cells[to].above, lanes[k].at(-1) ?? cells[from]);
    const through = lanes[k].flatMap(({ x, layer }): [number, number][] => [
      [x, tops[layer]],
      [x, tops[layer] + heights[layer]],
    ]);
    const bottom = positions[from][1] + boxes[from].height;
    // A short box has a free strip below it, in which the edge is vertical.
    const free: [number, number][] =
      boxes[from].height < heights[layers[from]] ? [[start, tops[layers[from]] + heights[layers[from]]]] : [];
    return [[start, bottom], ...free, ...through, [end, positions[to][1]]] as [number, number][];
  });
  const width = Math.max(0, ...rows.flat().map(({ x, width }) => x + width / 2));
  return { width, height: Math.max(0, y - gapY), positions, paths };
}

/** The layer of each box: one below the lowest box above it. Boxes without any above are just above their first user. */
function layersOf(count: number, edges: readonly (readonly [from: number, to: number])[]): number[] {
  const layers = new Array<number>(count).fill(0);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [from, to] of edges)
      if (layers[to] <= layers[from]) {
        layers[to] = layers[from] + 1;
        changed = true;
      }
  }
  const hasAbove = new Set(edges.map(([, to]) => to));
  for (let box = 0; box < count; box++) {
    const users = edges.filter(([from]) => from === box).map(([, to]) => layers[to]);
    if (!hasAbove.has(box) && users.length > 0) layers[box] = Math.min(...users) - 1;
  }
  return layers;
}

/** Orders the cells of all layers, and sets their centers. */
function assignX(rows: Cell[][]): void {
  const mean = (cells: readonly Cell[], otherwise: number): number =>
    cells.length === 0 ? otherwise : cells.reduce((sum, { x }) => sum + x, 0) / cells.length;
  for (const row of rows)
    spread(
      row,
      row.map((_, k) => k * 100),
    );
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const wanted = new Map(row.map((cell) => [cell, mean(isDown ? cell.above : cell.below, cell.x)]));
      row.sort((a, b) => Number(wanted.get(a)) - Number(wanted.get(b)));
      spread(
        row,
        row.map((cell) => Number(wanted.get(cell))),
      );
    }
  }
}

/** Sets the centers of the cells of a row as close as possible to the wanted ones, without overlap: pools of cells that touch have a common shift. */
function spread(row: readonly Cell[], wanted: readonly number[]): void {
  interface Pool {
    readonly first: number;
    count: number;
    sum: number;
  }
  const starts: number[] = [];
  let at = 0;
  row.forEach(({ width }, k) => {
    at += k === 0 ? 0 : (row[k - 1].width + width) / 2 + gapX;
    starts.push(at);
  });
  const pools: Pool[] = [];
  row.forEach((_, k) => {
    pools.push({ first: k, count: 1, sum: wanted[k] - starts[k] });
    for (;;) {
      const [before, last] = pools.slice(-2);
      if (last === undefined || before.sum / before.count <= last.sum / last.count) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop();
    }
  });
  for (const { first, count, sum } of pools)
    for (let k = first; k < first + count; k++) row[k].x = starts[k] + sum / count;
}

/** The x at which an edge meets a box: edges are spread over its side in the order of their other ends. */
function portOf(cell: Cell, neighbors: readonly Cell[], other: Cell): number {
  const ordered = [...neighbors].sort((a, b) => a.x - b.x);
  const step = Math.min(24, (cell.width - 24) / ordered.length);
  return cell.x + (ordered.indexOf(other) - (ordered.length - 1) / 2) * step;
}
