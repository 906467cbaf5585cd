"""What `checks.aliases` alone asks about: images of state, what they share with it, and who changes that."""
