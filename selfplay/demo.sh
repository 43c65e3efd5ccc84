#!/bin/sh
# The whole of kr on a small scale: three quick generations that begin with the hand-built evaluation and end by
# beating it, then the shipped tables and the classic positions. `make demo` runs it; everything it makes goes to
# build/demo, or the directory given as argument; run again, it shows what exists and makes what is missing.
# (The shipped tables began with the rules alone: selfplay/full.sh.)
set -eu
out=${1:-build/demo}
case $out in *[[:space:]]*) echo "kr: the name of the directory has a blank" >&2; exit 2 ;; esac
mkdir -p "$out"

number=0
step() {
    number=$((number + 1))
    printf '\n== %s of 9: %s\n' "$number" "$1"
    shift
    printf '$ %s\n' "$*"
    "$@"
}

# a match that has been played, in words
told() {
    kr match "$@" --quiet --json | python3 -c '
import json, sys
summary = json.load(sys.stdin)
wins, draws, losses, elo, error = (summary[name] for name in ("wins", "draws", "losses", "elo", "elo_error"))
print(f"{wins} won, {draws} drawn and {losses} lost of {wins + draws + losses} games, {elo:+.0f} ± {error:.0f} Elo")'
}
learned="$out/g3.h5 manual --games 300 --tc nodes=1000 --hash 4MB --pdn $out/learned.pdn"
shipped="shipped manual --games 200 --tc nodes=2000 --hash 4MB --pdn $out/shipped.pdn"

cat <<END
kr learns to play: three to five minutes on two cores. Everything goes to $out.

  evaluation   the judgement of a position without looking ahead; the hand-built one is a formula that people wrote
  tables       a weight for each pattern of pieces in each region of the board; a fit finds them from games
  generation   games that the last tables play, and the tables that are learned from them
  quiet        of a position: nothing can be captured
  nodes        positions that a search looks at; as many for both sides, so that only the evaluation counts
  Elo          the scale of strength: +100 is 64 points of a hundred, +200 is 76, +300 is 85
END
step "8,000 quick games of the hand-built evaluation against itself" \
    kr selfplay --weights manual --games 8000 --nodes 500 --seed 1 --out "$out/games1"
step "Region tables learn from each quiet position how its game ended" \
    kr fit "$out/games1" --layout base --out "$out/g1.h5" --plots "$out/pictures1"
step "Generation 2 plays with these tables" \
    kr selfplay --weights "$out/g1.h5" --games 16000 --nodes 500 --seed 2 --out "$out/games2"
step "... and new tables learn from them" \
    kr fit "$out/games2" --layout base --out "$out/g2.h5" --plots "$out/pictures2"
step "Generation 3 plays" \
    kr selfplay --weights "$out/g2.h5" --games 16000 --nodes 500 --seed 3 --out "$out/games3"
step "New tables learn from the last two generations together" \
    kr fit "$out/games2" "$out/games3" --layout base --out "$out/g3.h5" --plots "$out/pictures3"
step "Do the learned tables (A) beat the evaluation that they started from (B)?" \
    kr match $learned
step "The shipped tables, from 53 times as many games, against the same" \
    kr match $shipped
step "A classic problem, solved with the shipped tables" \
    kr solve-problem goose-walk --tc 1s

cat <<END

The tables that kr has just learned, from 32,000 games, against the evaluation that it started from: $(told $learned).
The shipped tables against the same: $(told $shipped).

Made in $out:
  games1 games2 games3     the games (kr games $out/games3)
  g1.h5 g2.h5 g3.h5        the tables learned from them (kr weights show $out/g3.h5)
  pictures1 .. pictures3   what the fits saw and learned
  learned.pdn shipped.pdn  the games of the matches
Try next: kr play --level 3; kr solve-problem; kr annotate $out/learned.pdn --html pages
END
