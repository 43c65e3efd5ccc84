"""Long work in units that name all they depend on: done by a pool, here or elsewhere, entered by one coordinator."""
