#!/usr/bin/env bash
# Upgrades an installation with 1,000 waiting posts from the previous commit to this one, and checks that each post is
# published once. `make check-upgrade` calls it, with .bin/devstack built.
#
#   tools/upgrade.sh            from the previous commit (first parent)
#   tools/upgrade.sh REVISION   from another one
set -euo pipefail
cd "$(dirname "$0")/.."

from=$(git rev-parse --verify "${1:-HEAD^}^{commit}")
work=$(mktemp -d)
cleanup() {
  git worktree remove --force "$work/source" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

programs=(api worker sandbox mcp console pages files inbound migrate admin)
build() { # FOLDER
  go build -ldflags='-s -w' -o "$1/" "${programs[@]/#/./services/}"
}

printf 'upgrade: from %s\n' "$(git log -1 --format='%h %s' "$from")"
git worktree add --quiet --detach "$work/source" "$from"
(cd "$work/source" && build "$work/old")
build "$work/new"
UPGRADE_FROM=$work/old E2E_PROGRAMS=$work/new .bin/devstack exec --fast -- \
  go test -tags upgrade -count=1 -v -timeout 20m -run '^TestUpgrade$' ./services/e2e/upgrade |
  grep -E '^ *(---|upgrade_test|ok|FAIL|panic)|Error|upgrade_test.go'
