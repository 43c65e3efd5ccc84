"""What pages with a server and pages without one share: positions and games as JSON, and the scripts that show them."""
