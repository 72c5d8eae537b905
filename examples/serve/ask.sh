#!/bin/sh
# Asks a running `stargram serve MODEL` with curl. The model is a tagger; the words are made up.
#   stargram serve pos.sg & sh examples/serve/ask.sh http://127.0.0.1:8650
set -e
server=${1:-http://127.0.0.1:8650}
ask() { curl --silent --show-error --fail "$@"; }

# JSON: one prediction for each input
ask "$server/predict" -H 'Content-Type: application/json' -d '{"inputs": [{"tokens": ["the", "dog", "barks"]}], "nbest": 2}'

# text, as `stargram predict` reads and prints it
printf 'the\ndog\nbarks\n\n' | ask "$server/predict" -H 'Content-Type: text/plain' --data-binary @-

# JSON Lines of any length, answered as they come
printf '{"tokens": ["the", "dog"]}\n{"tokens": ["a", "cat"]}\n' |
  ask "$server/predict?marginals" -H 'Content-Type: application/x-ndjson' -T - -X POST
