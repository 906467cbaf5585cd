"""Questions about programs, one file each; a rule names one and its parameters."""
