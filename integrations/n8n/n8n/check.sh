#!/usr/bin/env bash
# Tests the packed nodes in n8n, on a stack of its own with the programs in .bin (BIN selects another folder).
#
#   N8N        folder of the installed n8n; it has 2 GB (.bin/n8n)
#   PORT_BASE  first port of the stack (27000); n8n and the proxy before the API take two after it
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
here=$root/integrations/n8n/n8n
bin=${BIN:-$root/.bin}
n8n=${N8N:-$root/.bin/n8n}
base=${PORT_BASE:-27000}

mkdir -p "$n8n"
if ! cmp -s "$here/package.json" "$n8n/package.json" || [ ! -e "$n8n/node_modules/.package-lock.json" ]; then
  cp "$here/package.json" "$n8n/"
  # Without scripts: n8n takes PostgreSQL here, not the driver that would have to be compiled.
  (cd "$n8n" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
fi

work=$(mktemp -d)
stack=
finish() {
  [ -z "$stack" ] || { kill -INT "$stack" && wait "$stack"; } || true
  rm -rf "$work"
}
trap finish EXIT

file=$work/$(tools/n8n.sh pack "$work")
mkdir -p "$work/home/.n8n/nodes"
(cd "$work/home/.n8n/nodes" && npm install --omit=peer --legacy-peer-deps --ignore-scripts --no-audit --no-fund --loglevel=error "$file" >/dev/null)

"$bin/devstack" run --bin-dir "$bin" --run-dir "$work/run" --port-base "$base" >"$work/stack.log" 2>&1 &
stack=$!
for _ in $(seq 600); do
  [ ! -e "$work/run/dev.json" ] || break
  kill -0 "$stack" 2>/dev/null || { cat "$work/stack.log" >&2; exit 1; }
  sleep 0.5
done

node "$here/run.mjs" "$n8n" "$work" $((base + 70))
