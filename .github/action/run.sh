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
everything="$folder/everything.sarif"
sarif="$folder/ctxlint.sarif"

# Read the lines of $1 into the array `lines`: blanks belong to a line, nothing is expanded, empty lines count as none.
read_lines() {
  local line
  lines=()
  while IFS= read -r line || [[ -n "$line" ]]; do
    line="${line%$'\r'}"
    [[ -z "${line//[[:space:]]/}" ]] || lines+=("$line")
  done <<< "$1"
}

refuse() {
  echo "ctxlint: $1"
  status=2
}

status=0
# What the run writes to the log quotes names of files; none of them may pass for a workflow command.
pause="$(unforeseen)"
echo "::stop-commands::$pause"
[[ "$INPUT_UPLOAD_SARIF" =~ ^(auto|true|false)$ ]] || refuse "upload-sarif is auto, true or false"
[[ "$INPUT_ANNOTATIONS" =~ ^(true|false)$ ]] || refuse "annotations is true or false"
[[ "$INPUT_CACHE" =~ ^(true|false)$ ]] || refuse "cache is true or false"
[[ "$INPUT_CATEGORY" =~ ^[A-Za-z0-9._:/\ -]{1,100}$ ]] || refuse "category has letters, digits, blanks and . _ : / - only"
cd -- "${GITHUB_WORKSPACE:?}/$INPUT_WORKING_DIRECTORY" || refuse "working-directory does not exist"
echo "::$pause::"

since="$INPUT_SINCE"
deciding=""
if [[ "$status" == 0 && "$INPUT_SINCE" == auto ]]; then
  known="$("${CTXLINT_PYTHON:?}" -I "$here/base.py" "$PWD")"
  since="${known%%$'\n'*}"
  [[ "$known" != *$'\n'* ]] || deciding="${known#*$'\n'}"
elif [[ "$INPUT_SINCE" == none ]]; then
  since=""
fi

read_lines "$INPUT_ARGS"
# The options of the action come last, so that the report lies where the later steps look for it.
words=(${lines[@]+"${lines[@]}"} --output-format=sarif "--output-file=$everything" --show-suppressed)
words+=("--config=sarif-category=\"$INPUT_CATEGORY\"")
[[ -z "$INPUT_CONFIG" ]] || words+=("--config=$INPUT_CONFIG")
[[ -z "$INPUT_SELECT" ]] || words+=("--select=$INPUT_SELECT")
[[ -z "$INPUT_IGNORE" ]] || words+=("--ignore=$INPUT_IGNORE")
[[ -z "$INPUT_MIN_CONFIDENCE" ]] || words+=("--min-confidence=$INPUT_MIN_CONFIDENCE")
[[ -z "$INPUT_FAIL_ON" ]] || words+=("--fail-on=$INPUT_FAIL_ON")
[[ -z "$INPUT_BASELINE" ]] || words+=("--baseline=$INPUT_BASELINE")
[[ -z "$since" ]] || words+=("--since=$since")
# A cache that the repository brings along could say that nothing was found.
if [[ "$INPUT_CACHE" == true && -n "${CTXLINT_CACHE-}" ]]; then
  words+=("--cache-dir=$CTXLINT_CACHE")
else
  words+=(--no-cache)
fi

read_lines "$INPUT_PATHS"
paths=()
for path in ${lines[@]+"${lines[@]}"}; do
  # A name like an option is a name, and `-` is no standard input.
  [[ "$path" != -* ]] || path="./$path"
  paths+=("$path")
done
[[ ${#paths[@]} -gt 0 ]] || paths=(.)

pause="$(unforeseen)"
echo "::stop-commands::$pause"
if [[ "$status" == 0 ]]; then
  "${CTXLINT_PYTHON:?}" -I -m ctxlint check "${words[@]}" -- "${paths[@]}" || status=$?
fi
echo "::$pause::"

output exit-code "$status"
CTXLINT_SINCE="$since" CTXLINT_DECIDING="$deciding" "$CTXLINT_PYTHON" -I "$here/present.py" "$everything" "$sarif" "$status"
[[ ! -s "$sarif" ]] || output sarif-file "$sarif"
