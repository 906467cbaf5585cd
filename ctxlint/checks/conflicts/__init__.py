"""What `checks.compares` alone asks about: decisions about two changes, and what they leave out."""
