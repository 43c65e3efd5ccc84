"""The laboratory: self-play, fitting, matches, problems and benches over the engine; a room for each large part."""
