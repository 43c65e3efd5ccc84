#!/bin/sh
# The whole of kr on a small scale: learn draughts from the rules alone, and prove it. `make demo` runs it.
# Everything it makes goes to build/demo, or the directory given as argument.
set -eu
out=${1:-build/demo}
mkdir -p "$out"

step() {
    printf '\n== %s\n' "$1"
    shift
    printf '$ %s\n' "$*"
    "$@"
}

step "Games of the engine against itself; it knows the rules and counts pieces" \
    kr selfplay --weights material --games 6000 --tc nodes=300 --seed 1 --out "$out/games"
step "What was played" \
    kr games "$out/games"
step "Region tables fitted to who won" \
    kr fit "$out/games" --out "$out/demo.h5"
step "Do the fitted tables beat what they were learned from?" \
    kr match "$out/demo.h5" material --ballot 3move --games 200 --tc nodes=1000 --seed 1 --pdn "$out/against-material.pdn"
step "And the hand-built evaluation?" \
    kr match "$out/demo.h5" manual --ballot 3move --games 200 --tc nodes=1000 --seed 1 --pdn "$out/against-manual.pdn"
step "The shipped tables, from a much longer run of the same steps, against the hand-built evaluation" \
    kr match --ballot 3move --games 100 --tc nodes=4000 --seed 1 --pdn "$out/shipped-against-manual.pdn"
step "Classic positions, solved with the shipped tables" \
    kr solve-problem --tc 1s
