// What `stargram decipher --help` says after its options.

import { DOUBTFUL } from "../../tasks/decipher/warnings.js";

export const decipherHelp = `
The plain text teaches how the language goes; it need not hold the message. The more the better: some books for letters,
thousands of sentences of the same kind for words.
  --level char   letters are enciphered: cryptograms (letters with spaces), or numbers (27 40 7 or 27,40,7) or any
                 characters without spaces, one or several for each letter
  --level word   words are enciphered; sentences stand on lines, symbols between spaces
Without --level it is char, unless the cipher is numbers: more than 400 different ones stand for words; with more than 120,
both are tried, letters first, and which it was is said.
  --spaces known       spaces part words (usual for letters)
  --spaces unknown     spaces mean nothing (usual for all else, and for letters in groups of equal length: XKJDW QPLRA)
  --spaces enciphered  a cipher symbol stands for the space

Letters: keys are searched by annealing, from one beginning after the other, until the best end has come up three times;
a model of words from the same plain text decides between the best. Words: EM begins from nothing, and each of
--restarts then shakes its key and lets it settle again. The key printed is the likeliest as a whole. A symbol's probability
is its share among keys drawn in proportion to their likelihood; with --restarts 0 or --no-refine it holds only if the rest
of the key is right. What is less probable than ${DOUBTFUL} is [in brackets], on a terminal underlined, and has a ? in the
table (--no-marks: the text alone). When the text is too short for its
number of symbols or reads unlike the language, or the key is probably wrong, that is said. Ctrl-C ends the work with
the best key so far.

Letters that are rare in the plain text, such as those of a line in another script, are left out; --alphabet names the letters
that there are. Accents of the plain text are left out (ä as a), unless the cipher text has letters with accents; --fold says
otherwise. What became of letters is said.

A text without spaces that cannot be read as it is written may have been written in another order. Orders in which it repeats
itself more than by chance are then tried, and the one that was found is said. --reading gives one, and \`--reading lines\` none
but the usual:
  lines, lines-back, snake, columns, columns-back, columns-snake, diagonals, diagonals-snake, antidiagonals, spiral
  step-1-2               one line down and two columns to the right each time, around the edges
  columnar-3-1-2         written in lines under three columns, which were then taken in this order
  9:step-1-2/6:columns/lines   parts of 9 and 6 lines, and the rest;  back/snake   all of it backwards

Caesar, Atbash and affine ciphers, Vigenère's and Beaufort's are recognised and read at once, from a dozen letters or two on;
--kind substitution says that it is none of them, --kind shift that it is one.

  --nulls              some signs may stand for nothing
  --nomenclator 200    signs may also stand for one of the 200 commonest words of the plain text
Both are for texts without spaces. They make more readings possible, so say them only if you have a reason to.

Parts of the key that are known (--key, --key-file) and words known at a place (--at) narrow the search:
  --at 3:2=am          word 2 of line 3 is \`am\`
  --at 120=butter      letters 120 to 125, counted without spaces, spell \`butter\``;
