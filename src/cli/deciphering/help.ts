// What `stargram decipher --help` says after its options.

import { DOUBTFUL } from "../../tasks/decipher/warnings.js";

export const decipherHelp = `
The plain text teaches the language; it need not contain the message. More is better: a few books for letters, thousands of sentences of the same kind for words.
  --level char   letters are enciphered: cryptograms (letters with spaces), or numbers (27 40 7 or 27,40,7) or any
                 characters without spaces, one or several for each letter
  --level word   words are enciphered; one sentence per line, symbols separated by spaces
Without --level it is char, unless the cipher is numbers: more than 400 different ones are read as words; with more than 120, both are tried, letters first, and a message says which was used.
  --spaces known       spaces separate words (usual for letters)
  --spaces unknown     spaces mean nothing (usual otherwise, and for letters in groups of equal length: XKJDW QPLRA)
  --spaces enciphered  a cipher symbol stands for the space

Letters: keys are searched by annealing with restarts until the best key has been found three times; a word model of the same plain text decides between the best. Words: EM finds a first key, and each of --restarts perturbs it and lets it settle again. The printed key is the most likely one as a whole. A symbol's probability is its share among keys sampled in proportion to their likelihood; with --restarts 0 or --no-refine it holds only if the rest of the key is right. Letters below ${DOUBTFUL} are [in brackets], underlined on a terminal, and have a ? in the table (--no-marks: the text alone). A message says if the text is too short for its number of symbols, does not read like the language, or if the key is probably wrong. Ctrl-C stops with the best key so far.

Letters that are rare in the plain text, such as those of a line in another script, are left out; --alphabet sets the letters. Accents of the plain text are removed (ä as a), unless the cipher text has letters with accents; --fold overrides this. A message lists the changes.

A text without spaces that cannot be read as written may be in another order. Orders in which signs repeat more than by chance are then tried, and a message says which was used. --reading sets the order; \`--reading lines\` means as written:
  lines, lines-back, snake, columns, columns-back, columns-snake, diagonals, diagonals-snake, antidiagonals, spiral
  step-1-2               one line down and two columns to the right each time, around the edges
  columnar-3-1-2         written in lines under three columns, which were then read in this order
  9:step-1-2/6:columns/lines   parts of 9 and 6 lines, and the rest;  back/snake   all of it backwards

Caesar, Atbash, affine, Vigenère and Beaufort ciphers are detected and solved at once, from one or two dozen letters on; --kind substitution excludes them, --kind shift tries nothing else.

  --nulls              some signs may stand for nothing
  --nomenclator 200    signs may also stand for one of the 200 most frequent words of the plain text
Both need texts without spaces. They allow more readings, so use them only if you have a reason to.

Known parts of the key (--key, --key-file) and known words at a position (--at) narrow the search:
  --at 3:2=am          word 2 of line 3 is \`am\`
  --at 120=butter      letters 120 to 125, counted without spaces, spell \`butter\``;
