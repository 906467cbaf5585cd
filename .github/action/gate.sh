#!/usr/bin/env bash
# Ends the step with the status of the analysis; one that is not known counts as failed.
set -euo pipefail
if [[ "${CTXLINT_UPLOAD-}" == failure ]]; then
  echo "::warning title=ctxlint::The report could not be uploaded to code scanning. The job needs the permission" \
    "security-events write, and a private repository needs code scanning switched on; upload-sarif false leaves it out."
fi
case "${CTXLINT_STATUS-}" in
  0) echo "ctxlint: clean, or nothing that counts by fail-on" ;;
  1) echo "ctxlint: there are findings"; exit 1 ;;
  *) echo "ctxlint: could not do what was asked; the log of the analysis says why"; exit 2 ;;
esac
