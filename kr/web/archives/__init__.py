"""The explorer: archives of games, their index, and uploads."""
