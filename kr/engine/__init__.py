"""The engine: searches and their handles, limits and clocks, shared settings, the bench."""
