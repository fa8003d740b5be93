#!/usr/bin/env bash
# Runs tests and closes with one line, "N passed, N failed". `make test` calls it, with the programs in .bin/ built.
#
#   tools/test.sh            everything: the suites code, failpoints, system, faults, devstack, mutate
#   tools/test.sh NAME…      the named suites; unit is the part of code that needs no infrastructure
#
# What the tests printed is in coverage/*.json, the last line in coverage/summary, the coverage of the suite code in
# coverage/code.out.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$PWD/coverage
bin=$PWD/.bin
modules=(./shared/... ./workflows/... ./activities/... ./services/...)
system=socialpub.internal/services/e2e # the whole system; the packages below it are helpers and rules
faults=$system/faults # the system broken on purpose
# The faults of the gate: at least one for each part of a post's and a delivery's life, none that needs a quiet machine.
gate='^Test(F01|F02|F03|F04|F07|F08|F10|F12|F13|F15|F19|F22|F23|F33|F42|F44|F45|FFigures|FMixed)'
generated=$system/apiclient # nothing of ours to test or to cover
infrastructure='shared/infra/postgres/postgrestest|shared/infra/objectstore/objectstoretest|services/e2e/harness'

# go_test SUITE FLAG… PACKAGE…
go_test() {
  local suite=$1
  shift
  printf '\n=== %s\n' "$suite"
  "$bin/gotestsum" --format pkgname-and-test-fails --format-hide-empty-pkg --hide-summary=skipped,output \
    --jsonfile "$out/$suite.json" -- "$@"
}

run_suite() {
  local packages
  case $1 in
    code) # every package but the whole system's, on real infrastructure, watched for data races
      tools/install.sh compiler clock media # cgo for the race detector, and what tests start
      mapfile -t packages < <(go list "${modules[@]}" | grep -vxe "$system" -e "$faults" -e "$generated")
      CGO_ENABLED=1 go_test code -race -shuffle=on -timeout 25m -covermode=atomic -coverprofile="$out/code.out" "${packages[@]}"
      ;;
    unit) # what needs nothing but the code: seconds when it is warm
      mapfile -t packages < <(go list -test -f '{{.ImportPath}} {{join .Deps ","}}' "${modules[@]}" |
        grep -Ev "$infrastructure" | sed -n 's/\.test .*//p')
      tools/install.sh media
      go_test unit -timeout 5m "${packages[@]}"
      ;;
    failpoints) # the packages whose tests differ when crash points are compiled in
      mapfile -t packages < <(grep -rlE '^//go:build .*\bfailpoint\b' --include='*_test.go' "${modules[@]%/...}" | xargs -n1 dirname | sort -u)
      go_test failpoints -tags failpoint -shuffle=on -timeout 10m "${packages[@]}"
      ;;
    system) # the programs as processes of their own, crashed and paused; it waits for real time, so nothing runs beside it
      go_test system -count=1 -timeout 25m "$system"
      ;;
    faults) # faults that are over soon, with what both ledgers say then as a table; tools/faults.sh runs the long ones too
      local report=$out/faults.jsonl status=0
      tools/install.sh clock
      rm -f "$report"
      touch "$report"
      FAULTS_REPORT=$report go_test faults -count=1 -parallel 3 -timeout 25m -run "$gate" "$faults" || status=1
      go test -list "$gate" "$faults" | grep '^Test' >"$out/faults.tests"
      tools/faults.sh --table "$report" "$out/faults.tests" || status=1
      return "$status"
      ;;
    mutate) # the tool that changes the code, on a small module of its own
      cd tools/mutate
      GOWORK=off go_test mutate -timeout 5m ./...
      ;;
    devstack) # the development stack starts what it needs itself
      tools/install.sh curl # the commands of README.md need it
      cd deploy/devstack
      # -count=1: the cache of results does not see changes of files outside of the module, such as README.md.
      GOWORK=off go_test devstack -count=1 -timeout 15m ./...
      ;;
    *)
      echo "no suite $1: code, unit, failpoints, system, faults, devstack, mutate" >&2
      exit 2
      ;;
  esac
}

# count ACTION counts the tests that ended so. A package that failed without a test that did (it does not compile, it crashed,
# it timed out) counts as one.
count() {
  cat "$out"/*.json 2>/dev/null | awk -v action="\"Action\":\"$1\"" '
    index($0, action) && !/"Action":"output"/ && match($0, /"Package":"[^"]*"/) {
      package = substr($0, RSTART, RLENGTH)
      if (/"Test":"/) { n++; tests[package]++ } else if (action ~ /fail/) whole[package]++
    }
    END { for (package in whole) if (!tests[package]) n++; print n + 0 }'
}

# Each suite runs in a process of its own: its end ends no other.
if [ "${1:-}" = --suites ]; then
  shift
  status=0
  for suite in "$@"; do
    "$0" --suite "$suite" || status=1
  done
  exit "$status"
elif [ "${1:-}" = --suite ]; then
  run_suite "$2"
  exit
fi

mkdir -p "$out"
rm -f "$out"/*.json "$out/summary"
[ $# -gt 0 ] || set -- code failpoints system faults devstack mutate
alone=() inside=() status=0
for suite in "$@"; do
  case $suite in
    code | failpoints | system | faults) inside+=("$suite") ;;
    *) alone+=("$suite") ;;
  esac
done
if [ ${#inside[@]} -gt 0 ]; then
  "$bin/devstack" exec --fast --keep-logs -- tools/test.sh --suites "${inside[@]}" || status=1
fi
if [ ${#alone[@]} -gt 0 ]; then
  tools/test.sh --suites "${alone[@]}" || status=1
fi

passed=$(count pass) failed=$(count fail) skipped=$(count skip)
if [ "$skipped" != 0 ]; then
  printf '\nA test that does not run shows nothing. Skipped:\n'
  grep -h '"Action":"skip"' "$out"/*.json | sed -nE 's/.*"Package":"([^"]*)","Test":"([^"]*)".*/  \1 \2/p'
  status=1
fi
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
  failed=1 # something else than a test went wrong; what it was stands above
fi
echo "$passed passed, $failed failed" >"$out/summary"
echo
cat "$out/summary"
exit "$status"
