# shellcheck shell=bash
# How the other scripts give values to later steps; to be sourced.

# Print a word that nobody could have foreseen.
unforeseen() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

# Set the output $1 of this step to $2, whatever characters it has: a value cannot contain its own end mark.
output() {
  local mark
  mark="end-$(unforeseen)"
  printf '%s<<%s\n%s\n%s\n' "$1" "$mark" "$2" "$mark" >> "${GITHUB_OUTPUT:?}"
}
