"""The engine: searches and their handles, limits and clocks, the bench."""
