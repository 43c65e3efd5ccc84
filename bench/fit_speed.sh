#!/bin/sh
# Time and memory of a fit: about 5 and 50 million positions of very fast games, which are made first. About half an hour.
#   sh bench/fit_speed.sh [DIR]
set -eu
out=${1:-build/fit-speed}
mkdir -p "$out"
for games in 130k 1300k; do
    kr selfplay --games $games --nodes 20 --weights material --egdb none --seed 1 --out "$out/games-$games"
    rm -f "$out/$games.h5"
    /usr/bin/time -v kr fit "$out/games-$games" --out "$out/$games.h5" 2>"$out/$games.time" |
        grep -E '^(men|kings) |^seconds'
    grep -E 'Elapsed|Maximum resident' "$out/$games.time"
done
