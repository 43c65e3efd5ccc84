"""Shared by pages with a server and pages without one: positions and games as JSON, and the scripts that show them."""
