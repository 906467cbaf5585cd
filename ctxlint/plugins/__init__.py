"""Plugins for other tools; each is loaded by its tool and by nothing else."""
