"""Players by name. Each kind of players is a module here and a line in `registry`."""
