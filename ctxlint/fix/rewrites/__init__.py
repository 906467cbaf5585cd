"""One way of repairing code each: a finding with the code around it in, edits out."""
