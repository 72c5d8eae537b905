// Sizes on the command line.

import { InvalidArgumentError } from "commander";

/** `500kB`, `10MB`, `2GiB`, or a number of bytes, up to `most`. */
export function byteSize(most: number): (text: string) => number {
  return (text) => {
    const [, number, unit = "B"] = /^(\d+(?:\.\d+)?)\s*([kMGT]i?B|B)?$/.exec(text) ?? [];
    if (number === undefined) throw new InvalidArgumentError("It takes a size such as 500kB, 10MB or 1GiB.");
    const step = unit.includes("i") ? 1024 : 1000;
    const bytes = Math.floor(Number(number) * step ** "BkMGT".indexOf(unit[0]));
    if (bytes >= 1 && bytes <= most) return bytes;
    throw new InvalidArgumentError(`It takes a size from 1 byte to ${Math.floor(most / 1e6)}MB.`);
  };
}
