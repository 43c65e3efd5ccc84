"""Analysis for players: lines of a position, annotated games."""
