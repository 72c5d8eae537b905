// The pictures of a digit or letter.

import { pixelText, type Shrunk } from "../../../../demo/digits.js";
import type { ViewProps } from "../../parts/common.js";
import { DrawingPad, Picture } from "../../parts/picture.js";
import type { Examples, Script } from "../../scripts.js";
import { useDark } from "../../theme.js";
import type { Written } from "./written.js";

/** A digit or letter as it was written, or a pad to write it on, and as the model sees it, where that is less. */
export function Pictures(props: {
  script: Script;
  written: Written;
  position: number;
  examples: Examples | undefined;
  ink: string | undefined;
  change: ViewProps["change"];
}) {
  const { script, written, position, examples, ink, change } = props;
  const dark = useDark();
  const { symbol, columns } = script;
  const pixels = written.pixels[position];
  const grey = written.grey[position];
  const setInk = (image: Shrunk | undefined): void => {
    const own = written.pixels.map((pixels, i) => (i === position ? image : pixels));
    change({ ink: own.map((picture) => (picture?.some(Boolean) ? pixelText(picture) : "")).join(".") });
  };
  const seen = <Picture pixels={pixels} columns={columns} dark={dark} label="as the model sees it" />;
  if (ink === undefined) {
    const label = `Handwritten ${symbol} ${position + 1}`;
    return (
      <div class="pictures">
        <Picture grey={grey} pixels={pixels} columns={columns} dark={dark} label={label} />
        {grey && <span class="seen">{seen}</span>}
      </div>
    );
  }
  return (
    <div class="pictures">
      <DrawingPad
        script={script}
        position={position}
        pixels={pixels}
        dark={dark}
        onDraw={(drawing, side) => setInk(script.drawn(drawing, side))}
        onKey={(key) => setInk(script.typed(key, examples))}
        onClear={() => setInk(undefined)}
      />
      <span class="seen">{seen}</span>
    </div>
  );
}
