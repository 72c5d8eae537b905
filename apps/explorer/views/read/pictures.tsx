// The pictures of a digit.

import { pixelText, type Shrunk, shrink } from "../../../../demo/digits.js";
import { greyOf } from "../../digits.js";
import type { ViewProps } from "../../parts/common.js";
import { DigitPicture, DrawingPad } from "../../parts/picture.js";
import { useDark } from "../../theme.js";
import { type Examples, length, type Written } from "./written.js";

/** A digit as it was written, or a pad to write it on, and as the model sees it. */
export function Pictures(props: {
  written: Written;
  position: number;
  examples: Examples;
  ink: string | undefined;
  change: ViewProps["change"];
}) {
  const { written, position, examples, ink, change } = props;
  const dark = useDark();
  const pixels = written.pixels[position];
  const setInk = (image: Shrunk | undefined): void => {
    const pads = (ink ?? "").split(".");
    const own = image ? pixelText(image) : "";
    change({ ink: Array.from({ length }, (_, i) => (i === position ? own : (pads[i] ?? ""))).join(".") });
  };
  const putDigit = (digit: string): void => {
    for (const { truth, pictures } of examples.examples) {
      const at = truth.indexOf(digit);
      if (at < 0) continue;
      setInk(shrink(greyOf(pictures[at]), examples.side));
      break;
    }
  };
  return (
    <div class="pictures">
      {ink !== undefined ? (
        <DrawingPad
          label={`Digit ${position + 1}`}
          pixels={pixels}
          filled={pixels?.some(Boolean) ?? false}
          dark={dark}
          onDraw={(image) => setInk(shrink(image, examples.side))}
          onKey={putDigit}
          onClear={() => setInk(undefined)}
        />
      ) : (
        <DigitPicture
          grey={written.grey[position]}
          pixels={pixels}
          dark={dark}
          label={`Handwritten digit ${position + 1}`}
        />
      )}
      <span class="seen">
        <DigitPicture pixels={pixels} coarse dark={dark} label="as the model sees it" />
      </span>
    </div>
  );
}
