#!/usr/bin/env bash
# Works on the SDK for TypeScript with the npm packages of its lockfile:
#
#   tools/sdk-typescript.sh generate DOCUMENT FOLDER   writes its generated files; tools/generate.sh calls it
#   tools/sdk-typescript.sh pack FOLDER                writes its npm package
#   tools/sdk-typescript.sh check                      runs all its checks with the player of the cases (PLAYER, .bin/player)
set -euo pipefail
cd "$(dirname "$0")/../sdk/typescript"
../../tools/install.sh node

installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi

case ${1:-} in
  generate) exec node scripts/generate.mjs "$2" "$3" ;;
  pack)
    npm run --silent build
    npm pack --silent --ignore-scripts --pack-destination "$2" >/dev/null
    ;;
  check) exec npm run --silent check ;;
  *)
    echo "usage: tools/sdk-typescript.sh generate DOCUMENT FOLDER | pack FOLDER | check" >&2
    exit 2
    ;;
esac
