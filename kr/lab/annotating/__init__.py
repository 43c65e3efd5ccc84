"""Games annotated: how moves are judged, what is written into PDN, the pages of HTML, and files of games."""
