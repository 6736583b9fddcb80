/** The pictures in README.md, as code: `npx tsx examples/readme-pictures.ts` writes them to docs/pictures/. */
import { composition, makeLayout, parseLayout, swizzle } from "stridewise";
import { layoutPicture, type Picture, sideBySide, swizzlePicture, threadValuePicture, toSvg } from "stridewise/draw";

const pictures: Readonly<Record<string, () => Picture>> = {
  "three-orders": () =>
    sideBySide(
      layoutPicture(makeLayout([4, 4]), { title: "column-major (4,4):(1,4)" }),
      layoutPicture(makeLayout([4, 4], "right"), { title: "row-major (4,4):(4,1)" }),
      layoutPicture(parseLayout("((2,2),(2,2)):((1,4),(2,8))"), { title: "nested ((2,2),(2,2)):((1,4),(2,8))" }),
    ),
  "threads-and-values": () =>
    threadValuePicture(parseLayout("((4,8),2):((16,1),8)"), [8, 8], { title: "who holds what: ((4,8),2):((16,1),8)" }),
  swizzle: () => swizzlePicture(composition(swizzle(3, 0, 3), makeLayout([8, 8], "right")), { banks: 8 }),
};

/** File name and SVG text of every README picture. */
export const readmePictures = (): (readonly [file: string, svg: string])[] =>
  Object.entries(pictures).map(([name, picture]) => [`docs/pictures/${name}.svg`, toSvg(picture())]);

if (process.argv[1]?.endsWith("readme-pictures.ts")) {
  const { writeFileSync } = await import("node:fs");
  for (const [file, svg] of readmePictures()) writeFileSync(file, svg);
}
