"""Opening books as programs play from them: packed files, and the choice of a move."""
