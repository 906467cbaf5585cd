#!/usr/bin/env bash
# Analyses and tells what was found: a SARIF file, annotations, the summary of the job, and outputs.
#
# It succeeds whatever the analysis says, so that the upload comes before the gate.
# Inputs arrive as variables and are never part of a command's text.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=outputs.sh
source "$here/outputs.sh"

folder="$(mktemp -d "${RUNNER_TEMP:?}/ctxlint-report.XXXXXX")"
sarif="$folder/ctxlint.sarif"

words=(--output-format=sarif "--output-file=$sarif")
[[ -z "$INPUT_CONFIG" ]] || words+=("--config=$INPUT_CONFIG")
[[ -z "$INPUT_SELECT" ]] || words+=("--select=$INPUT_SELECT")
[[ -z "$INPUT_IGNORE" ]] || words+=("--ignore=$INPUT_IGNORE")
[[ -z "$INPUT_MIN_CONFIDENCE" ]] || words+=("--min-confidence=$INPUT_MIN_CONFIDENCE")
[[ -z "$INPUT_FAIL_ON" ]] || words+=("--fail-on=$INPUT_FAIL_ON")

# One path a line: blanks belong to the name, nothing is expanded, and a name like an option is a name.
paths=()
while IFS= read -r path || [[ -n "$path" ]]; do
  path="${path%$'\r'}"
  [[ "$path" != -* ]] || path="./$path"
  [[ -z "${path//[[:space:]]/}" ]] || paths+=("$path")
done <<< "$INPUT_PATHS"
[[ ${#paths[@]} -gt 0 ]] || paths=(.)

status=0
# What the run writes to the log quotes names of files; none of them may pass for a workflow command.
pause="$(unforeseen)"
echo "::stop-commands::$pause"
if [[ ! "$INPUT_UPLOAD_SARIF" =~ ^(auto|true|false)$ || ! "$INPUT_ANNOTATIONS" =~ ^(true|false)$ ]]; then
  echo "ctxlint: upload-sarif is auto, true or false, and annotations is true or false"
  status=2
elif ! cd -- "${GITHUB_WORKSPACE:?}/$INPUT_WORKING_DIRECTORY"; then
  status=2
else
  "${CTXLINT_PYTHON:?}" -I -m ctxlint check "${words[@]}" -- "${paths[@]}" || status=$?
fi
echo "::$pause::"

output exit-code "$status"
[[ ! -s "$sarif" ]] || output sarif-file "$sarif"
"$CTXLINT_PYTHON" -I "$here/present.py" "$sarif" "$status"
