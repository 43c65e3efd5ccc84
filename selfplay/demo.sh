#!/bin/sh
# The whole of kr on a small scale: three quick generations that begin with the hand-built evaluation and end by
# beating it, then the shipped tables and the classic positions. `make demo` runs it; everything it makes goes to
# build/demo, or the directory given as argument. (The shipped tables began with the rules alone: selfplay/full.sh.)
set -eu
out=${1:-build/demo}
mkdir -p "$out"

step() {
    printf '\n== %s\n' "$1"
    shift
    printf '$ %s\n' "$*"
    "$@"
}

step "Games of the hand-built evaluation against itself" \
    kr selfplay --weights manual --games 8000 --nodes 500 --seed 1 --out "$out/games1"
step "Region tables fitted to them: every quiet position, its game's result and its search score" \
    kr fit "$out/games1" --layout base --out "$out/g1.h5"
step "The next generation plays with what was learned" \
    kr selfplay --weights "$out/g1.h5" --games 16000 --nodes 500 --seed 2 --out "$out/games2"
step "... and is learned from" \
    kr fit "$out/games2" --layout base --out "$out/g2.h5"
step "Once more" \
    kr selfplay --weights "$out/g2.h5" --games 16000 --nodes 500 --seed 3 --out "$out/games3"
step "..." \
    kr fit "$out/games2" "$out/games3" --layout base --out "$out/g3.h5"
step "What was played in the last generation" \
    kr games "$out/games3"
step "Do the fitted tables beat the evaluation they began with?" \
    kr match "$out/g3.h5" manual --games 300 --tc nodes=1000 --hash 4MB --pdn "$out/fitted.pdn"
step "And the shipped tables, from a run eight times as large at four times the nodes?" \
    kr match shipped manual --games 200 --tc nodes=2000 --hash 4MB --pdn "$out/shipped.pdn"
step "Classic positions, solved with the shipped tables" \
    kr solve-problem --tc 0.5s --concurrency 2
