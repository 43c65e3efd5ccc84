"""What the page asks of the machine: the engine's port, problem checks, proofs, files of the command line."""
