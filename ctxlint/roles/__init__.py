"""Roles inferred from flow, each with its evidence: who reads a store back, what recovery rebuilds, which cells are shared."""
