#!/bin/sh
# The first full training run, from the rules alone: four generations of self-play at 2,000 nodes a move, 314,000 games,
# each generation played with the tables fitted to the games before; without endgame databases, which kr did not have
# yet. Its tables were the first that kr came with; those of today are fitted to 1,687,000 games played since, in steps
# that begin with these tables (weights/README.md). About an hour and a half on two cores; run the same command to
# resume. Kept as the record of that run: kr train makes generations by itself (docs/lab/training.md).
set -eu
out=${1:-runs/full}
mkdir -p "$out"

# play GENERATION GAMES WEIGHTS; the number of the generation is its seed.
play() {
    kr selfplay --games "$2" --nodes 2000 --seed "$1" --weights "$3" --egdb none --out "$out/games$1"
}

# A fit with the settings of that time.
fit() {
    kr fit "$@" --no-parts --l2 5 --max-iter 60
}

play 1 42000 material
fit "$out/games1" --layout base --label mix=0.6 --out "$out/g1.h5"
play 2 80000 "$out/g1.h5"
fit "$out/games2" --layout base --label mix=0.6 --out "$out/g2.h5"
play 3 92000 "$out/g2.h5"
fit "$out/games2" "$out/games3" --layout base --label mix=0.8 --out "$out/g3.h5"
play 4 100000 "$out/g3.h5"
fit "$out/games2" "$out/games3" "$out/games4" --layout wide --label mix=0.8 --out "$out/kr.h5"
