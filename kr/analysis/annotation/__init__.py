"""Annotated games: judging moves, marking them in PDN, pages in HTML."""
