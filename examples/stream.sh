#!/bin/sh
# A pipe of any length through `stargram predict`: every sequence is answered as soon as it is complete, and nothing is kept, so
# memory stays the same however long the stream is. Usage: sh examples/stream.sh [SEQUENCES]
set -eu
PATH="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.bin:$PATH" # where the command lies in a clone of this repository
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Tokens and labels in columns, a blank line between sentences.
for word in dog cat bird; do
  printf 'the DT\n%s NN\nsleeps VB\n\nthe DT\nold JJ\n%s NN\nsings VB\n\n' "$word" "$word"
done >"$folder/train.txt"
stargram train tag "$folder/train.txt" --out "$folder/model.sg" --quiet

# An endless source, cut by its reader: both ends of the pipe stop without a complaint.
yes 'the
old
fox
sleeps
' | stargram predict "$folder/model.sg" | head -n 5

# A long one, counted: one object a sequence.
awk -v n="${1:-2000}" 'BEGIN { for (i = 0; i < n; i++) print "the\nbird\nsings\n" }' |
  stargram predict "$folder/model.sg" --json |
  grep -c '"labels":\["DT","NN","VB"\]'
