"""Proofs of values: certificates, and a checker that shares no code with the engine."""
