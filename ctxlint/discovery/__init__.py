"""Which files are analysed, and which module each of them is."""
