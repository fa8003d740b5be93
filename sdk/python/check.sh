#!/usr/bin/env bash
# Tests the Python SDK: its unit tests, the cases of conformance with both clients, the recipes of README.md, and its wheel in
# an environment of its own.
#
#   sdk/python/check.sh PLAYER   PLAYER is the built player (sdk/conformance/README.md); PYTHON=python3.9 selects another Python
set -euo pipefail
player=$(realpath "$1")
cd "$(dirname "$0")"
../../tools/install.sh python # openssl makes the certificate of a test
conformance=${CONFORMANCE:-../conformance}
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=src "$python" -W error -m unittest discover -s tests
"$python" conformance/run.py "$player" "$conformance/cases.json"
"$python" conformance/recipes.py "$player" "$conformance/recipes.json"
"$python" backend/fencepost_build.py "$work" >/dev/null
for wheel in "$work"/*.whl; do
  "$python" -I -c 'import sys; sys.path.insert(0, sys.argv[1]); import fencepost; print("wheel", fencepost.__version__)' "$wheel"
done
