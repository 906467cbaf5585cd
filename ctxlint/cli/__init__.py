"""The command line: words in, a report and an exit status out."""
