"""Which findings count: fingerprints, suppressions in comments, codes ignored by file."""
