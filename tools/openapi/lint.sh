#!/usr/bin/env bash
# Lints docs/openapi.yaml. It prints nothing if there are no findings. `make lint` calls it. It installs the
# linter in the versions of package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"

../install.sh node # Node.js 18.17 or newer
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi
node lint.mjs ../../docs/openapi.yaml
