"""kr in the browser: the server of `kr web`, and the pages that it serves."""
