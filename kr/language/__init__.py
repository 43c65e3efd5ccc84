"""Texts of every language: sentences by their names, texts of pages by their English ones."""
