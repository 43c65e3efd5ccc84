"""Long work in units that name everything they depend on: a pool does them, one coordinator collects the results."""
