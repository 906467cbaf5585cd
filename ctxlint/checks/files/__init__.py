"""What `checks.overwrites` alone asks about: files that are overwritten, who reads them back, and by what they could be made again."""
