"""Networks that learn endgames from exact data: fitted, asked, tested beside the paper and beside rivals."""
