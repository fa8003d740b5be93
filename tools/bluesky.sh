#!/usr/bin/env bash
# Tests the Bluesky connector against the reference server, @atproto/dev-env with a personal data server and a directory
# of accounts, which runs without a database server and calls nothing outside. `make check-bluesky` calls it; arguments go to
# go test.
#
# It installs the server in the version of tools/pds/package-lock.json. That takes minutes once, because a database is
# compiled, with the headers of the Node.js package. The result stays in tools/pds/node_modules.
set -euo pipefail
cd "$(dirname "$0")/pds"

../install.sh node compiler python
marker=node_modules/.installed
if [ ! -e "$marker" ] || [ package.json -nt "$marker" ] || [ package-lock.json -nt "$marker" ]; then
  rm -f "$marker"
  echo "installing the server in tools/pds/node_modules, which takes minutes" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  home=$(dirname "$(dirname "$(echo "$PWD"/node_modules/node-linux-*/bin/node)")")
  PATH=$home/bin:$PATH npm_config_nodedir=$home npm rebuild better-sqlite3 --build-from-source --loglevel=error >/dev/null
  touch "$marker"
fi
node=$(echo "$PWD"/node_modules/node-linux-*/bin/node)

work=$(mktemp -d)
down() {
  if [ -n "${server:-}" ] && kill -0 "$server" 2>/dev/null; then
    kill -TERM "$server" && wait "$server" || true
  fi
  rm -rf "$work"
}
trap down EXIT

# A server that is stopped too early leaves its temporary folders behind; TMPDIR puts them into a folder that is deleted.
mkdir "$work/tmp"
export PDS_JSON=$work/server.json
LOG_ENABLED=false TMPDIR=$work/tmp "$node" server.mjs >"$work/log" 2>&1 &
server=$!
for _ in $(seq 600); do
  [ ! -s "$PDS_JSON" ] || break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
if [ ! -s "$PDS_JSON" ]; then
  echo "the server did not start:" >&2
  tail -n 40 "$work/log" >&2
  exit 1
fi

export GOWORK=off
status=0
go test -count=1 -timeout 5m "$@" . || status=$?
if [ "$status" != 0 ]; then
  echo "the last lines of the server:" >&2
  tail -n 40 "$work/log" >&2
fi
exit "$status"
