#!/usr/bin/env bash
# Runs every fuzz target of the repository for a limited time, two at a time. `make fuzz` calls it with the
# infrastructure running, which some targets need. FUZZTIME (60s) is the time of the targets that parse untrusted input.
# The others run for a sixth of it.
#
# It prints one line per target and a summary. A crasher fails the run. Its input is kept beside the target in
# testdata/fuzz/, where every later `go test` runs it: fix the code and commit the input.
set -euo pipefail
cd "$(dirname "$0")/.."

untrusted='^(services/api/internal/httpapi|services/mcp/internal/web|services/inbound/internal/web|services/internal/(apiforms/jsonbody|cursor|framing)|shared/domain/credential|shared/infra/mediabox/internal/format|shared/domain/oauth|shared/kernel/(rfc3339|plaintext)) '

# fuzz FOLDER TARGET TIME
fuzz() {
  local log span tries status begin=$SECONDS
  log=$(mktemp)
  # On a busy machine, the inputs of earlier runs, which come first, may use up a short time.
  for span in "$3" "$again"; do
    status=0
    # Minimization is bounded by a number of tries. With a time limit, the worker process is killed in the middle of a
    # try when the limit expires, and its results are lost.
    (
      cd "$1"
      case $1 in deploy/*) export GOWORK=off ;; esac # a separate module
      go test -vet=off -run='^$' -fuzz="^$2\$" -fuzztime="$span" -fuzzminimizetime=10x -parallel=1 .
    ) >"$log" 2>&1 || status=$?
    # The time can end during the last try (https://go.dev/issue/75804). That is not a finding.
    if [ "$status" != 0 ] && grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input written to' "$log"; then
      status=0
    fi
    tries=$(sed -nE 's/.* execs: ([0-9]+) .*/\1/p' "$log" | tail -n1)
    if [ "$status" != 0 ] || [ "${tries:-0}" != 0 ]; then break; fi
  done
  if [ "$status" = 0 ] && [ "${tries:-0}" = 0 ]; then
    status=1
    echo "no new inputs in $again; to delete the inputs of earlier runs: go clean -fuzzcache" >>"$log"
  fi
  if [ "$status" = 0 ]; then
    printf 'ok    %-44s %-14s %9s tries %4d s\n' "$1" "$2" "$tries" $((SECONDS - begin))
  else
    { printf 'FAIL  %s %s\n' "$1" "$2"; cat "$log"; } >&2
    sed -nE "s|.*Failing input written to (.*)|the input: $1/\1|p" "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

again=60s # for a second attempt if the first tried no input

if [ "${1:-}" = --one ]; then
  fuzz "$2" "$3" "$4"
  exit
fi

long=${FUZZTIME:-60s}
[[ $long =~ ^([0-9]+)([smh])$ ]] || { echo "FUZZTIME must be a number with s, m or h, not $long" >&2; exit 2; }
case ${BASH_REMATCH[2]} in s) unit=1 ;; m) unit=60 ;; h) unit=3600 ;; esac
short=$(((BASH_REMATCH[1] * unit + 5) / 6))s

targets=$(grep -rHoE --include='*_test.go' '^func Fuzz\w+' shared workflows activities services deploy/devstack |
  sed -E 's|/[^/]*:func | |' | sort)
count=$(wc -l <<<"$targets")
# The slowest targets start first. Package httpapi takes long to build.
plan=$(
  grep -E "$untrusted" <<<"$targets" | sed "s/\$/ $long/"
  grep -vE "$untrusted" <<<"$targets" | sed "s/\$/ $short/" | sort -k1,1r
)
status=0
xargs -P 2 -L 1 "$0" --one <<<"$plan" || status=1
if [ "$status" != 0 ]; then
  echo "fuzz: $count targets, failures above" >&2
  exit 1
fi
echo "fuzz: $count targets, no crashers in $SECONDS s"
