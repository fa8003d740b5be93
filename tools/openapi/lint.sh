#!/usr/bin/env bash
# Lints docs/openapi.yaml and says nothing when it is sound. `make lint-openapi` calls it. The linter is installed here, of
# the versions in package-lock.json; Node.js comes from the distribution's packages when it is missing and this is root.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "the OpenAPI linter needs Node.js 18.17 or newer, with npm (Debian: nodejs, npm)" >&2
    exit 1
  fi
  echo "installing nodejs npm"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
fi

installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi
node lint.mjs ../../docs/openapi.yaml
