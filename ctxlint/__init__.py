"""ctxlint: where agent code can lose, corrupt or wrongly resurrect its own state."""
