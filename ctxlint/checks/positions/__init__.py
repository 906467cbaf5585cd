"""What `checks.carries` alone asks about: records that say where an edit was, and what moves the place."""
