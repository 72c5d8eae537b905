// Cipher texts to try. The first is a passage under a one-to-one substitution; the second is the Zodiac-408 of 1969, where
// common letters have several signs, in a usual transcription of its 54 signs.

export interface CipherExample {
  id: string;
  name: string;
  text: string;
  /** EM alone gets there, and is worth watching; else a search for a first key comes before it. */
  emAlone: boolean;
}

export const cipherExamples: readonly CipherExample[] = [
  {
    id: "riverbank",
    name: "A note in cipher",
    emAlone: true,
    text: `Quanx yqm dxwavvavw hf wxh sxkg hakxe fj mahhavw dg rxk mamhxk fv hrx dqvz, qve fj rqsavw vfhravw hf ef: fvnx fk hyanx mrx rqe ixxixe avhf hrx dffz rxk mamhxk yqm kxqeavw, doh ah rqe vf ianhokxm fk nfvsxkmqhafvm av ah.`,
  },
  {
    id: "zodiac",
    name: "Zodiac-408",
    emAlone: false,
    text: `9%P/Z/UB%kOR=pX=B
WV+eGYF69HP@K!qYe
MJY^UIk7qTtNQYD5)
S(/9#BPORAU%fRlqE
k^LMZJdr${"`"}pFHVWe8Y
@+qGD9KI)6qX85zS(
RNtIYElO8qGBTQS#B
Ld/P#B@XqEHMU^RRk
cZKqpI)Wq!85LMr9#
BPDR+j=6${"`"}N(eEUHkF
ZcpOVWI5+tL)l^R6H
I9DR_TYr${"`"}de/@XJQA
P5M8RUt%L)NVEKH=G
rI!Jk598LMlNA)Z(P
zUpkA9#BVW${"`"}+VTtOP
^=SrlfUe67DzG%%IM
Nk)ScE/9%%ZfAP#BV
peXqWq_F#8c+@9A9B
%OT5RUc+_dYq_^SqW
VZeGYKE_TYA9%#Lt_
H!FBX9zXADd${"`"}7L!=q
_ed##6e5PORXQF%Gc
Z@JTtq_8JI+rBPQW6
VEXr9WI6qEHM)=UIk`,
  },
];
