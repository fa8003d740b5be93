#!/usr/bin/env bash
# Tests the SDKs: their unit tests, the recipes of their pages, and the cases of sdk/conformance, in each language.
# `make check-sdks` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export GOWORK=off GOFLAGS=-trimpath

# The player of the cases, for the runners of other languages than Go: "$PLAYER" -cases sdk/conformance/cases.json
export PLAYER=$root/.bin/player
(cd sdk/go && go build -o "$PLAYER" ./cmd/player)

# Go
(
  cd sdk/go
  go mod tidy -diff
  "$root/.bin/golangci-lint" run ./...
  go test -count=1 ./...
)

# TypeScript
tools/sdk-typescript.sh check

# Python
sdk/python/check.sh "$PLAYER"
