"""What `checks.precedes` alone asks about: changes, the records by which they could be undone, and which of both comes first."""
