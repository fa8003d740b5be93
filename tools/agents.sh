#!/usr/bin/env bash
# Tests the authorization server and the tool server with third-party clients: the official MCP SDKs in every supported
# protocol revision, the MCP Inspector, and oauth4webapi. Each client starts with only an address. A user's decision is
# made in Chromium. The script starts a separate, fresh system. It prints one line per check, and the last exchanges of
# failed checks. `make check-agents` calls it, with the programs in .bin/ built.
#
# The versions, including that of Node.js, are those of tools/agents/package-lock.json.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
checks=$root/tools/agents
programs=${PROGRAMS:-$root/.bin}
work=$(mktemp -d)

# installed installs the packages of the lock file.
installed() {
  local marker=node_modules/.package-lock.json # npm writes it last
  cd "$checks"
  if [ ! -e "$marker" ] || [ package.json -nt "$marker" ] || [ package-lock.json -nt "$marker" ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
    touch "$marker"
  fi
}

# up starts the system on its own ports and waits until it is ready.
up() {
  local base tries
  mkdir -p "$work/run"
  for tries in 1 2 3 4 5; do
    base=$((15000 + RANDOM % 170 * 100))
    "$programs/devstack" run --run-dir "$work/run" --bin-dir "$programs" --port-base "$base" >"$work/stack.log" 2>&1 &
    stack=$!
    while kill -0 "$stack" 2>/dev/null; do
      [ ! -e "$work/run/dev.json" ] || return 0
      sleep 0.1
    done
    grep -q 'port.* taken\|already in use' "$work/stack.log" || break # retry only if a port was taken
  done
  echo "the system did not start (attempt $tries):" >&2
  tail -n 40 "$work/stack.log" >&2
  return 1
}

down() {
  local status=$?
  if [ -n "${stack:-}" ] && kill -0 "$stack" 2>/dev/null; then
    kill -TERM "$stack" && wait "$stack" || true
  fi
  if [ "$status" != 0 ] && [ -n "${AGENTS_LOGS:-}" ]; then
    cp -r "$work/run/logs" "$work/stack.log" "$AGENTS_LOGS/"
  fi
  rm -rf "$work"
}

failed=0
# check NAME SCRIPT ARGUMENTS… prints one line, and the script's output if it fails.
check() {
  local name=$1 output begin=$SECONDS
  shift
  if output=$(cd "$checks" && timeout 120 "$node" "$@" 2>&1); then
    printf '%-34s %3d s  %s\n' "$name" $((SECONDS - begin)) "$(tail -n 1 <<<"$output")"
  else
    printf '%-34s FAILED\n%s\n' "$name" "$output"
    failed=1
  fi
}

version() { (cd "$checks" && "$node" -p "require('./node_modules/$1/package.json').version"); }

tools/install.sh node chromium
CHROMIUM=$(command -v chromium || command -v google-chrome)
(installed)
node=$(echo "$checks"/node_modules/node-linux-*/bin/node)
trap down EXIT
up
# Clients that store tokens store them here.
export CHROMIUM DEV_JSON=$work/run/dev.json HOME=$work/home XDG_CONFIG_HOME=$work/home NODE_NO_WARNINGS=1
mkdir -p "$HOME"

check "oauth4webapi $(version oauth4webapi)" oauth.mjs
check "MCP SDK $(version @modelcontextprotocol/client), 2026-07-28" sdk.mjs 2026-07-28
check "MCP SDK $(version @modelcontextprotocol/sdk), 2025-11-25" sdk.mjs 2025-11-25
check "MCP SDK $(version mcp-sdk-2025-06-18), 2025-06-18" sdk.mjs 2025-06-18
check "MCP Inspector $(version @modelcontextprotocol/inspector)" inspector.mjs
exit "$failed"
