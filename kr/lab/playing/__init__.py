"""Games of people against kr in the terminal."""
