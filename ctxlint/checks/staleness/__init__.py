"""What `checks.fresh_at` alone asks about: readings, writes that are derived from them, and what keeps other writers out meanwhile."""
