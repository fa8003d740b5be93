#!/usr/bin/env bash
# Lints docs/openapi.yaml and says nothing when it is sound. `make lint-openapi` calls it. The linter is installed here, of
# the versions in package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"

../install.sh node # Node.js 18.17 or newer
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi
node lint.mjs ../../docs/openapi.yaml
