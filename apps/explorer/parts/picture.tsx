// Pictures of digits and letters: as written, as the model sees them, and pads to draw on.

import { useEffect, useRef } from "preact/hooks";
import { imageSide, type Shrunk } from "../../../demo/digits.js";
import type { Script } from "../scripts.js";

/** Pixels on a canvas, black on nothing, so that it looks right on any ground. */
function paint(canvas: HTMLCanvasElement | null, alpha: (p: number) => number): void {
  const context = canvas?.getContext("2d");
  if (!canvas || !context) return;
  const pixels = context.createImageData(canvas.width, canvas.height);
  const colour = getComputedStyle(canvas)
    .color.match(/[\d.]+/g)
    ?.map(Number) ?? [0, 0, 0];
  for (let p = 0; p < canvas.width * canvas.height; p++) {
    pixels.data.set([colour[0], colour[1], colour[2], Math.round(255 * alpha(p))], 4 * p);
  }
  context.putImageData(pixels, 0, 0);
}

/** An image in grey, or its few pixels where there is none. */
export function Picture(props: {
  grey?: Float32Array;
  pixels: Shrunk;
  /** Of the pixels. */
  columns: number;
  label: string;
  dark: boolean;
}) {
  const { grey, pixels, columns, label, dark } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, height] = grey ? [imageSide, imageSide] : [columns, pixels.length / columns];
  useEffect(() => {
    paint(canvas.current, (p) => (grey ? grey[p] : pixels[p] ? 1 : 0));
  }, [grey, pixels, width, height, dark]);
  const shape = width < height ? "picture tall" : "picture";
  return <canvas class={shape} ref={canvas} width={width} height={height} role="img" aria-label={label} />;
}

const padSide = 140; // pixels of the drawing

/**
 * A square to draw a digit or letter in. Its key puts in a written one, for those who cannot draw, and goes on to the next pad;
 * arrow keys move between pads.
 */
export function DrawingPad(props: {
  script: Script;
  position: number;
  pixels: Shrunk;
  dark: boolean;
  onDraw: (ink: Float32Array, side: number) => void;
  onKey: (symbol: string) => void;
  onClear: () => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef(false);
  const { script, position, pixels, dark } = props;
  const filled = pixels.some(Boolean);
  const begin = (event: PointerEvent): void => {
    const element = canvas.current as HTMLCanvasElement;
    event.preventDefault();
    element.focus();
    if (!drawn.current) contextOf(element).clearRect(0, 0, padSide, padSide);
    drawn.current = true;
    drawLine(element, event, script.stroke, () => props.onDraw(inkOf(element), padSide));
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const symbol = event.key.toLowerCase();
    if (script.symbols.includes(symbol)) {
      drawn.current = false;
      props.onKey(symbol);
      queueMicrotask(() => focusPad(canvas.current, 1)); // after the page has drawn itself, perhaps with one more pad
    } else if (event.key === "Backspace" || event.key === "Delete") {
      if (filled) props.onClear();
      else if (event.key === "Backspace") focusPad(canvas.current, -1);
    } else if (event.key === "ArrowRight") focusPad(canvas.current, 1);
    else if (event.key === "ArrowLeft") focusPad(canvas.current, -1);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (filled) return;
    drawn.current = false;
    canvas.current?.getContext("2d")?.clearRect(0, 0, padSide, padSide);
  }, [filled]);
  // What came with the address or by a key is known by its few pixels alone.
  useEffect(() => {
    if (canvas.current && !drawn.current && filled) drawPixels(canvas.current, pixels, script.columns);
  }, [pixels, filled, dark]);
  return (
    <canvas
      class="picture pad"
      ref={canvas}
      width={padSide}
      height={padSide}
      tabIndex={0}
      role="img"
      aria-label={`Box ${position + 1}: draw a ${script.symbol}, or press ${script.keys}`}
      onPointerDown={begin}
      onKeyDown={press}
    />
  );
}

/** Goes to another pad of the same row. */
function focusPad(from: HTMLCanvasElement | null, step: number): void {
  const pads = [...(from?.closest(".slots")?.querySelectorAll<HTMLElement>(".pad") ?? [])];
  pads[pads.indexOf(from as HTMLElement) + step]?.focus();
}

function contextOf(element: HTMLCanvasElement): CanvasRenderingContext2D {
  return element.getContext("2d") as CanvasRenderingContext2D;
}

/** A line that follows the pointer from where it was put down until it is lifted. */
function drawLine(element: HTMLCanvasElement, start: PointerEvent, stroke: number, onEnd: () => void): void {
  const context = contextOf(element);
  element.setPointerCapture(start.pointerId);
  context.lineWidth = stroke;
  context.lineCap = context.lineJoin = "round";
  context.strokeStyle = getComputedStyle(element).color;
  const place = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [((clientX - box.left) / box.width) * padSide, ((clientY - box.top) / box.height) * padSide];
  };
  context.beginPath();
  context.moveTo(...place(start));
  const draw = (moved: PointerEvent): void => {
    context.lineTo(...place(moved));
    context.stroke();
  };
  draw(start);
  const end = (): void => {
    element.removeEventListener("pointermove", draw);
    element.removeEventListener("pointerup", end);
    element.removeEventListener("pointercancel", end);
    onEnd();
  };
  element.addEventListener("pointermove", draw);
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
}

/** [padSide²] how black each pixel is, from 0 to 1. */
function inkOf(element: HTMLCanvasElement): Float32Array {
  const { data } = contextOf(element).getImageData(0, 0, padSide, padSide);
  return Float32Array.from({ length: padSide * padSide }, (_, p) => data[4 * p + 3] / 255);
}

/** Few pixels as squares, in the middle of the pad. */
function drawPixels(element: HTMLCanvasElement, pixels: Shrunk, columns: number): void {
  const context = contextOf(element);
  const rows = pixels.length / columns;
  const size = padSide / (Math.max(columns, rows) + 2);
  const [left, top] = [(padSide - columns * size) / 2, (padSide - rows * size) / 2];
  context.clearRect(0, 0, padSide, padSide);
  context.fillStyle = getComputedStyle(element).color;
  pixels.forEach((black, p) => {
    if (!black) return;
    context.fillRect(left + (p % columns) * size, top + Math.floor(p / columns) * size, size + 0.5, size + 0.5);
  });
}
