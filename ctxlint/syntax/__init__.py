"""Text in, words out: bytes of a file → tree (by the standard parser or by LibCST) → `ir.Module`."""
