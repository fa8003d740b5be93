#!/usr/bin/env bash
# Changes the code of the packages below with gremlins, one operator at a time, and runs the package's tests with each
# change. It fails if they pass with a change that is not in tools/mutants.txt. `make mutants` calls it, with the
# infrastructure running.
#
#   tools/mutants.sh         every package
#   tools/mutants.sh WORD…   the packages whose path contains one of the words
#
# Gremlins changes the code that the coverage profile shows as executed. The profile has no constants, and no conditions
# of the cases of a switch.
set -euo pipefail
cd "$(dirname "$0")/.."

version=v0.6.0
packages=(shared/domain/post shared/platform/connectors/internal/httpcall activities/{delivering,publishing} services/internal/relay)
flags=(--workers 2 --output-statuses lt --invert-logical --invert-loopctrl --invert-assignments --remove-self-assignments)
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

GOBIN=$root/.bin GOWORK=off go install "github.com/go-gremlins/gremlins/cmd/gremlins@$version"

# survivors PACKAGE prints file, type and line of code of each survivor. Numbers of lines change too often.
survivors() {
  sed -nE 's/^ *LIVED ([A-Z_]+) at (.+):([0-9]+):[0-9]+$/\1 \2 \3/p' "$work/log" | while read -r type file line; do
    echo "$1/$file $type $(sed -nE "${line}s/^\s*//p" "$1/$file")"
  done
}

# try PACKAGE
try() {
  local module=${1%%/*} limit=10 added gone
  # The time limit of a run is a multiple of the duration of the first one, which compiles less. The tests of activities
  # take minutes, so that compilation matters less.
  [ "$module" != activities ] || limit=4
  echo "=== $1"
  # Gremlins copies the module to another folder, where relative paths lead nowhere. It starts in such a copy, so that
  # tests which need the original folder fail before the first change.
  rm -rf "${work:?}/$module"
  cp -r "$module" "$work/"
  sed -i "s|=> \.\./|=> $root/|" "$work/$module/go.mod"
  (cd "$work/$1" && TMPDIR=$work GOWORK=off GOFLAGS="${GOFLAGS:-} -count=1 -vet=off" \
    "$root/.bin/gremlins" unleash --timeout-coefficient "$limit" "${flags[@]}") | tee "$work/log"
  grep -q '^Killed: [1-9]' "$work/log" || { echo "gremlins tested no change of $1" >&2; return 1; }
  survivors "$1" | sort >"$work/survivors"
  grep "^$1/" tools/mutants.txt | sort >"$work/known"
  gone=$(comm -13 "$work/survivors" "$work/known")
  [ -z "$gone" ] || printf 'in tools/mutants.txt, but a test detects it:\n%s\n' "$gone"
  added=$(comm -23 "$work/survivors" "$work/known")
  [ -z "$added" ] || { printf 'no test detects:\n%s\n' "$added" >&2; return 1; }
}

words=$(printf '%s\n' "${@:-/}")
selected=$(printf '%s\n' "${packages[@]}" | grep -F "$words") || { echo "no package contains: $*" >&2; exit 2; }
status=0
for package in $selected; do
  try "$package" || status=1
done
exit "$status"
