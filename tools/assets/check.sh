#!/usr/bin/env bash
# Checks the types of the application's scripts with the TypeScript compiler in the version of package-lock.json.
# `make lint` calls it.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)

"$root/tools/install.sh" node
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi
exec node_modules/.bin/tsc -p .
