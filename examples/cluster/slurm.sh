#!/bin/sh
# A Slurm job array without a queue: each task predicts for a slice of the data.
#   sbatch --array=0-15 slurm.sh model.sg big.txt out;   when all are done: cat out/* > big.out
# With a Redis server, an array of workers does the work of any command with --queue:
#   sbatch --array=0-15 --cpus-per-task=4 --wrap "stargram worker --queue redis://server --store $PWD/blobs"
#SBATCH --job-name=stargram
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
set -e
# Slurm runs a copy of this script: slice.sh lies where it was submitted, unless SLICE says otherwise.
sh "${SLICE:-$SLURM_SUBMIT_DIR/slice.sh}" "$1" "$2" "$3" "$SLURM_ARRAY_TASK_ID" "$SLURM_ARRAY_TASK_COUNT"
