#!/usr/bin/env bash
# Works on the nodes for n8n (integrations/n8n) with the npm packages of their lockfile:
#
#   tools/n8n.sh              lints, compiles, tests, and tests the package in n8n on a running stack; `make check-n8n` calls it
#   tools/n8n.sh unit         the same without n8n and the stack
#   tools/n8n.sh pack FOLDER  writes the package into a folder and prints its name
#   tools/n8n.sh npm …        runs npm in the folder
#
# N8N selects another folder for the installed n8n than .bin/n8n: it has 2 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
package=$root/integrations/n8n
tools/install.sh node

installed() { # FOLDER  installs the packages of the folder's lockfile
  local marker=$1/node_modules/.package-lock.json # npm writes it last
  if [ ! -e "$marker" ] || [ "$1/package.json" -nt "$marker" ] || [ "$1/package-lock.json" -nt "$marker" ]; then
    (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
    touch "$marker"
  fi
}

pack() { # FOLDER
  installed "$package"
  (cd "$package" && npm run --silent build && npm pack --silent --ignore-scripts --pack-destination "$(realpath "$1")")
}

unit() {
  installed "$package"
  tools/sdk-typescript.sh generate docs/openapi.yaml "$(mktemp -d)" # installs the reader of YAML
  local fresh
  fresh=$(mktemp)
  (cd "$package" && node scripts/generate.mjs "$root/docs/openapi.yaml" "$fresh")
  diff -u "$package/nodes/Fencepost/operations.gen.ts" "$fresh" || {
    echo "integrations/n8n/nodes/Fencepost/operations.gen.ts is outdated: run make generate" >&2
    return 1
  }
  (cd "$package" && npm run --silent check)
}

case ${1:-} in
  '')
    unit
    exec "$package/n8n/check.sh"
    ;;
  unit) unit ;;
  pack)
    [ $# -eq 2 ] || { echo "usage: tools/n8n.sh pack FOLDER" >&2; exit 2; }
    pack "$2"
    ;;
  npm) cd "$package" && exec npm "${@:2}" ;;
  *)
    echo "usage: tools/n8n.sh [unit | pack FOLDER | npm …]" >&2
    exit 2
    ;;
esac
