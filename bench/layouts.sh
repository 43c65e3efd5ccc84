#!/bin/sh
# Comparison of the layouts of kr/evaluation/layouts.py: held-out loss on the same games, and matches against `base`.
# About half an hour for a million games.
#   sh bench/layouts.sh DIR...     run directories of self-play games
set -eu
out=build/layouts
mkdir -p "$out"
for layout in base small tall broad wide; do
    echo "== $layout"
    kr fit "$@" --no-parts --layout $layout --label mix=0.8 --out "$out/$layout.h5" | grep 'held out' | head -2
done
for layout in small tall broad wide; do
    echo "== $layout against base"
    kr match "$out/$layout.h5" "$out/base.h5" --tc nodes=2000 --games 600 --seed 3 --hash 4MB --egdb none
done
