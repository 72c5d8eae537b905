#!/bin/sh
# Predicts for one of COUNT slices of a file of sentences in columns: what a task of a job array does. Slices are whole sentences, and
# the slices put together are the prediction of the whole file:
#   sh slice.sh model.sg big.txt out 0 4   …   sh slice.sh model.sg big.txt out 3 4;   cat out/*
# A slice that is there is not made again, and has its name only when it is whole, so tasks can be run again.
set -e
model=$1 data=$2 out=$3 index=$4 count=$5
slice=$out/$(printf %05d "$index")
[ -e "$slice" ] && exit 0
mkdir -p "$out"
total=$(awk -v RS= 'END { print NR }' "$data")
from=$((total * index / count)) to=$((total * (index + 1) / count))
awk -v RS= -v ORS='\n\n' -v from="$from" -v to="$to" 'NR > from && NR <= to' "$data" |
  ${STARGRAM:-stargram} predict "$model" - > "$slice.partial.$$"
mv "$slice.partial.$$" "$slice"
