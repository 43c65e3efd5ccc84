"""Collections of games in PDN: read, converted, counted, searched, indexed."""
