#!/usr/bin/env bash
# Generates clients from the published docs/openapi.yaml with the generators' default options, and compiles them with a
# small program that uses them: oapi-codegen in its current version and in 2.5, ogen, and openapi-typescript. The
# versions are those of tools/clients/go.mod, tools/clients/package-lock.json and the line below. `make check-clients` calls
# it.
set -euo pipefail
cd "$(dirname "$0")/.."
document=$PWD/docs/openapi.yaml
sources=$PWD/tools/clients
old=v2.5.1 # of oapi-codegen: the last release line that refuses lists of types
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/install.sh node

# quietly COMMAND… prints the command's output only if it fails.
quietly() {
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

report() { # GENERATOR FILE…
  printf '%-28s %6d lines, compiles\n' "$1" "$(cat "${@:2}" | wc -l)"
}

go_clients() {
  export GOWORK=off GOFLAGS="${GOFLAGS:-} -mod=mod"
  mkdir -p "$work/go"/{current,old,ogen,use}
  cp "$sources/go.mod" "$sources/go.sum" "$work/go/"
  cp "$sources/use.go.txt" "$work/go/use/use.go"
  cd "$work/go"
  go tool oapi-codegen -package current -o current/client.go "$document"
  quietly env GOWORK=off GOFLAGS=-trimpath GOBIN="$work" go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$old"
  "$work/oapi-codegen" -package old -o old/client.go "$document"
  quietly go tool ogen --target ogen --package ogen "$document"
  go build -o /dev/null ./use
  go build ./current ./old ./ogen
  report "oapi-codegen" current/*.go
  report "oapi-codegen $old" old/*.go
  report ogen ogen/*.go
}

typescript_client() {
  cp "$sources"/{package.json,package-lock.json,tsconfig.json,use.ts} "$work/"
  cd "$work"
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  quietly npx --no-install openapi-typescript "$document" --output api.ts
  npx --no-install tsc
  report openapi-typescript api.ts
}

(go_clients)
(typescript_client)
