#!/usr/bin/env bash
# Ends the step with the status of the analysis; one that is not known counts as failed.
set -euo pipefail
case "${CTXLINT_STATUS-}" in
  0) echo "ctxlint: clean, or nothing that counts by fail-on" ;;
  1) echo "ctxlint: there are findings"; exit 1 ;;
  *) echo "ctxlint: could not do what was asked; the log of the analysis says why"; exit 2 ;;
esac
