// Pictures of digits: as written, as the model sees them, and pads to draw on.

import { useEffect, useRef } from "preact/hooks";
import { imageSide, type Shrunk } from "../../../demo/digits.js";
import { normalised } from "../digits.js";

/** Pixels on a canvas, black on nothing, so that it looks right on any ground. */
function paint(canvas: HTMLCanvasElement | null, side: number, alpha: (p: number) => number): void {
  const context = canvas?.getContext("2d");
  if (!context) return;
  const pixels = context.createImageData(side, side);
  const colour = getComputedStyle(canvas as HTMLCanvasElement)
    .color.match(/[\d.]+/g)
    ?.map(Number) ?? [0, 0, 0];
  for (let p = 0; p < side * side; p++) {
    pixels.data.set([colour[0], colour[1], colour[2], Math.round(255 * alpha(p))], 4 * p);
  }
  context.putImageData(pixels, 0, 0);
}

/** An image in grey, or its few pixels where there is none. */
export function DigitPicture(props: {
  grey?: Float32Array;
  pixels: Shrunk;
  label: string;
  coarse?: boolean;
  dark: boolean;
}) {
  const { grey, pixels, label, coarse, dark } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const side = grey && !coarse ? imageSide : Math.sqrt(pixels.length);
  useEffect(() => {
    paint(canvas.current, side, (p) => (grey && !coarse ? grey[p] : pixels[p] ? 1 : 0));
  }, [grey, pixels, coarse, side, dark]);
  return <canvas class="digit" ref={canvas} width={side} height={side} role="img" aria-label={label} />;
}

const padSide = 140; // pixels of the drawing
const stroke = 13; // pixels

/** A square to draw a digit in. A digit key puts in a written one, for those who cannot draw. */
export function DrawingPad(props: {
  label: string;
  pixels: Shrunk;
  /** Whether something is drawn or put in. */
  filled: boolean;
  dark: boolean;
  onDraw: (image: Float32Array) => void;
  onKey: (digit: string) => void;
  onClear: () => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef(false);
  const { filled, pixels, dark } = props;
  const begin = (event: PointerEvent): void => {
    const element = canvas.current as HTMLCanvasElement;
    event.preventDefault();
    element.focus();
    if (!drawn.current) contextOf(element).clearRect(0, 0, padSide, padSide);
    drawn.current = true;
    drawLine(element, event, () => {
      const image = normalised(inkOf(element), padSide);
      if (image) props.onDraw(image);
    });
  };
  useEffect(() => {
    if (filled) return;
    drawn.current = false;
    canvas.current?.getContext("2d")?.clearRect(0, 0, padSide, padSide);
  }, [filled]);
  // What came with the address or by a key is known by its few pixels alone.
  useEffect(() => {
    if (canvas.current && !drawn.current && filled) drawPixels(canvas.current, pixels);
  }, [pixels, filled, dark]);
  return (
    <canvas
      class="digit pad"
      ref={canvas}
      width={padSide}
      height={padSide}
      tabIndex={0}
      role="img"
      aria-label={`${props.label}: draw a digit, or press 0 to 9`}
      onPointerDown={begin}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) {
          drawn.current = false;
          props.onKey(event.key);
        } else if (event.key === "Backspace" || event.key === "Delete") props.onClear();
      }}
    />
  );
}

function contextOf(element: HTMLCanvasElement): CanvasRenderingContext2D {
  return element.getContext("2d") as CanvasRenderingContext2D;
}

/** A line that follows the pointer from where it was put down until it is lifted. */
function drawLine(element: HTMLCanvasElement, start: PointerEvent, onEnd: () => void): void {
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

/** Few pixels as squares. */
function drawPixels(element: HTMLCanvasElement, pixels: Shrunk): void {
  const context = contextOf(element);
  const side = Math.sqrt(pixels.length);
  const size = padSide / (side + 2);
  context.clearRect(0, 0, padSide, padSide);
  context.fillStyle = getComputedStyle(element).color;
  pixels.forEach((black, p) => {
    if (black) context.fillRect((1 + (p % side)) * size, (1 + Math.floor(p / side)) * size, size + 0.5, size + 0.5);
  });
}
