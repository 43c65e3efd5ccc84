"""Players by name: whoever can be asked for a move. A kind is a module here and its name in a line of `registry`."""
