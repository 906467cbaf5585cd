"""Questions about programs, one file each; a rule names one and its parameters. What one of them alone needs has a folder of its own."""
