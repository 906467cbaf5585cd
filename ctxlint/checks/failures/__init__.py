"""What `checks.swallows` alone asks about: failures of durable changes, where they end, and what stands in spite of them."""
