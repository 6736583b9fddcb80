/**
 * Pictures of layouts and of their memory: `stridewise/draw`. Builders create a picture; renderers convert it to SVG, text or LaTeX.
 * Charts of numbers are created directly as SVG.
 */
export { type Bar, type BarChartOptions, type BarGroup, barChart } from "./charts/bar-chart.ts";
export { type ConfusionMatrixOptions, confusionMatrix } from "./charts/confusion-matrix.ts";
export { type ChartSeries, type LineChartOptions, lineChart } from "./charts/line-chart.ts";
export { type DrawnFunction, drawGraph, type GraphDrawingOptions } from "./graph/draw-graph.ts";
export { drawMemory, type MemoryDrawingOptions } from "./graph/draw-memory.ts";
export type { GridOptions } from "./grid.ts";
export { type LatexOptions, toLatex } from "./latex.ts";
export {
  type ColorBy,
  type ColorFunction,
  type LayoutPictureOptions,
  layoutPicture,
  type Values,
  valuesPicture,
} from "./layout-picture.ts";
export { type DrawnMemory, type MemoryPictureOptions, memoryPicture } from "./memory-picture.ts";
export {
  type Axis,
  type Cell,
  type LegendEntry,
  type Panel,
  type PanelGroup,
  type Picture,
  type Span,
  sideBySide,
} from "./picture.ts";
export { printLatex, printLayout } from "./print-layout.ts";
export { slicePicture } from "./slice-picture.ts";
export { type SvgOptions, toSvg } from "./svg.ts";
export { type SwizzlePictureOptions, swizzlePicture } from "./swizzle-picture.ts";
export type { DrawnTensor } from "./targets.ts";
export { type TextOptions, toText } from "./text.ts";
export { partitionPicture, type ThreadValueOptions, threadValuePicture } from "./thread-value-picture.ts";
export { tilingPicture } from "./tiling-picture.ts";
