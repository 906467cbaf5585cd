#!/usr/bin/env bash
# Installs ctxlint from the checkout that holds this script, into an environment of its own, and names its cache.
#
# The interpreter is isolated (-I): the working directory is the repository under analysis, whose files must not be
# imported in place of the standard library's.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=outputs.sh
source "$here/outputs.sh"

python="$(command -v python3 || command -v python)" || { echo "ctxlint: there is no python3; set python-version"; exit 2; }
"$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "ctxlint: $("$python" -I --version) is too old; set python-version to 3.10 or later"
  exit 2
}

environment="$(mktemp -d "${RUNNER_TEMP:?}/ctxlint-environment.XXXXXX")"
"$python" -I -m venv "$environment"
installed="$environment/bin/python"
[[ -e "$installed" ]] || installed="$environment/Scripts/python.exe"
"$installed" -I -m pip install --quiet --disable-pip-version-check --no-input -- "$here/../.."

output python "$installed"

# Another ctxlint or another Python reads nothing of the cache; a run keeps its own, since what is kept cannot be changed.
family="ctxlint-${RUNNER_OS:-any}-$("$installed" -I -c 'from ctxlint.store.keys import code, interpreter
print(code().hex()[:16], interpreter().decode().replace(" ", ""), sep="-")')"
output cache-family "$family-"
output cache-key "$family-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}-$(unforeseen)"
# Beside the workspace: what a repository brings along as a cache is not believed.
output cache-folder "$RUNNER_TEMP/ctxlint-cache"
