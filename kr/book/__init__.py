"""Opening books: positions with searched moves, values propagated through them, and the file that grows them."""
