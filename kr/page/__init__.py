"""The page: one application in JavaScript, and the data of kr that it loads."""
