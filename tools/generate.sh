#!/usr/bin/env bash
# Writes what is made from the code: docs/openapi.yaml, the table of variables in docs/operations.md and the tables of what
# each network takes in docs/platform-rules.md. With --check it writes nothing and fails when they are old. `make generate`
# and `make verify` call it, with the programs in .bin/ built.
set -euo pipefail
cd "$(dirname "$0")/.."

check=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

.bin/api openapi >"$scratch/openapi.yaml"
cp docs/operations.md "$scratch/operations.md"
go run docs/configtable/main.go -write "$scratch/operations.md" .bin/api .bin/worker .bin/migrate .bin/admin .bin/sandbox
cp docs/platform-rules.md "$scratch/platform-rules.md"
go run docs/rulestable/main.go -write "$scratch/platform-rules.md"

status=0
for file in openapi.yaml operations.md platform-rules.md; do
  if [ "$check" != --check ]; then
    cp "$scratch/$file" "docs/$file"
  elif ! diff -u "docs/$file" "$scratch/$file"; then
    echo "docs/$file is not what the code says: run make generate" >&2
    status=1
  fi
done
exit "$status"
