// The sounds of the CMU dictionary (ARPAbet, without stress) in the International Phonetic Alphabet, as in General American English.

const signs: Record<string, string> = {
  AA: "ɑ",
  AE: "æ",
  AH: "ʌ",
  AO: "ɔ",
  AW: "aʊ",
  AY: "aɪ",
  B: "b",
  CH: "tʃ",
  D: "d",
  DH: "ð",
  EH: "ɛ",
  ER: "ɝ",
  EY: "eɪ",
  F: "f",
  G: "ɡ",
  HH: "h",
  IH: "ɪ",
  IY: "i",
  JH: "dʒ",
  K: "k",
  L: "l",
  M: "m",
  N: "n",
  NG: "ŋ",
  OW: "oʊ",
  OY: "ɔɪ",
  P: "p",
  R: "ɹ",
  S: "s",
  SH: "ʃ",
  T: "t",
  TH: "θ",
  UH: "ʊ",
  UW: "u",
  V: "v",
  W: "w",
  Y: "j",
  Z: "z",
  ZH: "ʒ",
};

/** Sounds as one word of phonetic signs; undefined if one of them is none of the dictionary's. */
export function ipaOf(sounds: readonly string[]): string | undefined {
  const written = sounds.map((sound) => signs[sound.replace(/\d$/, "")]);
  return written.every((sign) => sign !== undefined) ? written.join("") : undefined;
}
