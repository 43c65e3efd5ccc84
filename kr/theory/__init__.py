"""Opening theory: books that grow, that are merged, checked and packed, and where people go wrong."""
