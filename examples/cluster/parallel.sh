#!/bin/sh
# GNU parallel cuts a file of sentences between blank lines and keeps the order of what comes out (-k). Beyond one machine: add
# --sshlogin 4/host1,4/host2 --transferfile model.sg
#   sh parallel.sh model.sg big.txt > big.out
set -e
parallel --no-notice --pipe -k --regexp --recend '\n\n+' --block "${BLOCK:-10M}" \
  "${STARGRAM:-stargram} predict $1 -" < "$2"
