"""Runs under way, watched beside the programs that write them."""
