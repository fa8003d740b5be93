#!/usr/bin/env bash
# Writes what is made from the code: docs/openapi.yaml, the Go client of the end-to-end tests that is made from it in turn, the
# table of variables in docs/operations.md and the tables of what each network takes in docs/platform-rules.md. With --check
# it writes nothing and fails when they are old. `make generate` and `make verify` call it, with the programs in .bin/ built.
set -euo pipefail
cd "$(dirname "$0")/.."

check=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch/docs" "$scratch/services/e2e/apiclient"
.bin/api openapi >"$scratch/docs/openapi.yaml"
.bin/oapi-codegen -config tools/openapi/client.yaml -o "$scratch/services/e2e/apiclient/client.gen.go" "$scratch/docs/openapi.yaml"
cp docs/operations.md "$scratch/docs/operations.md"
go run docs/configtable/main.go -write "$scratch/docs/operations.md" .bin/api .bin/worker .bin/files .bin/migrate .bin/admin .bin/sandbox
cp docs/platform-rules.md "$scratch/docs/platform-rules.md"
go run docs/rulestable/main.go -write "$scratch/docs/platform-rules.md"

status=0
for file in docs/openapi.yaml docs/operations.md docs/platform-rules.md services/e2e/apiclient/client.gen.go; do
  if [ "$check" != --check ]; then
    mkdir -p "$(dirname "$file")"
    cp "$scratch/$file" "$file"
  elif ! diff -u "$file" "$scratch/$file"; then
    echo "$file is not what the code says: run make generate" >&2
    status=1
  fi
done
exit "$status"
