#!/bin/sh
# The usual round on the command line: train, evaluate, a check for scripts, predict with alternatives, known labels, reasons.
set -eu
PATH="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.bin:$PATH" # where the command lies in a clone of this repository
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

for word in dog cat bird fish; do
  printf 'the B-NP\n%s I-NP\nsleeps O\n\nmy B-NP\nold I-NP\n%s I-NP\nsees O\na B-NP\n%s I-NP\n\n' "$word" "$word" "$word"
done >train.txt
printf 'the B-NP\nold I-NP\nfish I-NP\nsleeps O\n\na B-NP\nbird I-NP\nsees O\nthe B-NP\ndog I-NP\n\n' >test.txt

stargram train tag train.txt --order 2 --passes 5 --out model.sg --quiet
stargram evaluate model.sg test.txt
stargram evaluate model.sg test.txt --json --require chunkF1=0.9 >report.json && echo "good enough"

printf 'the\nold\nsleeps\n' | stargram predict model.sg --nbest 2
printf 'the _\nold O\nsleeps _\n' | stargram predict model.sg --known
stargram inspect model.sg --explain "the old fish" --position 3 --top 4
