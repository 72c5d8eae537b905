// What the page shows as files: charts as SVG or PNG, tables and models as they are.

/** Gives a file to the browser's downloads. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** A drawing as a file of its own: colours of the page as they are now, on its ground. */
export function svgText(chart: SVGElement): string {
  const styles = getComputedStyle(document.documentElement);
  const copy = chart.cloneNode(true) as SVGElement;
  copy.removeAttribute("aria-hidden");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", styles.color);
  copy.style.background = styles.getPropertyValue("--ground").trim();
  copy.style.fontFamily = styles.fontFamily;
  const text = new XMLSerializer().serializeToString(copy);
  return text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => styles.getPropertyValue(name).trim());
}

/** The same as pixels, twice as many in each direction as on the page. */
export async function pngOf(chart: SVGElement): Promise<Blob> {
  const { width, height } = chart.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(chart))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim();
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be created"))),
      "image/png",
    ),
  );
}
