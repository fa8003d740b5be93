#!/usr/bin/env bash
# Runs tests and ends with one line, "N passed, N failed". `make test` calls it, with the programs in .bin/ built.
#
#   tools/test.sh            all suites: code, failpoints, system, faults, outages, devstack, release
#   tools/test.sh NAME…      the named suites; unit is the part of code that needs no infrastructure, replay its recorded
#                            histories, readme the part of devstack with the commands of README.md
#
# code, failpoints and outages run one after another: the former use all processors, and the latter stops servers, whose
# start has a time limit. After them, system and faults run side by side, because they mostly wait for programs and timers,
# and then the others, which start whole stacks. Each suite has its own servers.
#
# The output of the tests is in coverage/*.json, the last line in coverage/summary, the coverage of the packages with a
# floor in coverage/code.out. KEEP=1 adds to the results of the suites that ran before.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$PWD/coverage
bin=$PWD/.bin
modules=(./shared/... ./workflows/... ./activities/... ./services/...)
system=fencepost.internal/services/e2e # the whole system; the packages below it are helpers and rules
faults=$system/faults # the system with injected faults
containers=$system/containers # the images, in a container engine (tools/containers.sh)
# The faults of the gate: at least one for each stage of a post and of a delivery, none that needs an idle machine. Those
# of the suite outages stop servers, so that they run one after another (lab.Alone).
gate='^Test(F01|F02|F03|F04|F07|F08|F10|F12|F13|F15|F19|F33|F42|F44|F45|F56TheWorker|FFigures)'
outages='^Test(F22|F23|FMixed)'
# The tests of the system that need minutes, or tools that take minutes to build: E2E_MATRIX=all runs them too, and every
# combination of network, content type and attachments (services/e2e/matrix_test.go) instead of a slice.
nightly='^Test(BackupAndRestore|MetricsOfIdlePrograms|DashboardsShowARunningSystem|ATrace)'
# The packages whose tests take longest start first, so that none of them runs alone at the end.
slowest=(activities/publishing activities/media services/console services/sandbox api/internal/httpapi infra/postgres
  internal/app mcp/internal/web admin/internal/cli faults/infra infra/ratelimit e2e/structure)
# Tests that convert many files in child processes, which the race detector would slow down ten times without seeing more.
accepted='^TestValidContentIsAccepted$'
converting="$accepted|^TestPhotographsOfPhones\$|^TestAnimationBecomesAVideo\$"
# Its tests wait for child processes of the lowest priority: minutes beside others, seconds alone. It is in failpoints.
media=fencepost.internal/shared/infra/mediabox
floors='/(shared/(kernel|domain|platform/rules|infra/ratelimit)|workflows|activities)(/|$)' # of coverage (tools/cover.sh)
infrastructure='shared/infra/postgres/postgrestest|shared/infra/objectstore/objectstoretest|services/e2e/harness|services/e2e/containers'

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
    code) # every package except the whole system's, on real infrastructure
      tools/install.sh compiler clock media # cgo for the race detector, and programs that tests start
      # Most tests wait for PostgreSQL or for a timeout, so more of them run at a time than there are processors; not many
      # more, because calls have time limits. `make lint` vets the packages. Without symbols for debuggers, the programs of the tests link faster. Only the packages
      # with a floor are compiled for coverage: it compiles again what their tests import.
      local status=0 flags=(-shuffle=on -timeout 15m -vet=off -ldflags='-s -w' -skip "$converting")
      local cover=(-parallel 4 -covermode=atomic) side=(-p "$(nproc)" -parallel 8)
      export GOGC=400 # a quarter less processor time, for the compiler too
      in_memory
      local listed
      listed=$(packages)
      : >"$out/floors.out"
      if [ "${RACE:-}" != all ]; then
        mapfile -t packages < <(sequential <<<"$listed" | grep -E "$floors")
        go_test floors "${flags[@]}" "${cover[@]}" -coverprofile="$out/floors.out" "${packages[@]}" || status=1
        mapfile -t packages < <(sequential <<<"$listed" | grep -vE "$floors" | slowest_first)
        go_test code "${flags[@]}" "${side[@]}" "${packages[@]}" || status=1
      fi
      flags+=(-race)
      export CGO_ENABLED=1 GORACE=atexit_sleep_ms=50 # instead of a second for each package
      mapfile -t packages < <(concurrent <<<"$listed" | grep -E "$floors" | slowest_first)
      go_test floors-race "${flags[@]}" "${cover[@]}" -coverprofile="$out/code.out" "${packages[@]}" || status=1
      tail -n +2 "$out/floors.out" >>"$out/code.out"
      mapfile -t packages < <(concurrent <<<"$listed" | grep -vE "$floors" | slowest_first)
      go_test race "${flags[@]}" "${side[@]}" "${packages[@]}" || status=1
      [ "${RACE:-}" = all ] || go_test race-streams "${flags[@]}" -run '^Test(Stream|ChangesArrive)' ./services/console || status=1
      return "$status"
      ;;
    unit) # packages that need no infrastructure: seconds with a warm cache
      mapfile -t packages < <(go list -test -f '{{.ImportPath}} {{join .Deps ","}}' "${modules[@]}" |
        grep -Ev "$infrastructure" | sed -n 's/\.test .*//p')
      tools/install.sh media
      go_test unit -timeout 5m "${packages[@]}"
      ;;
    failpoints) # without the race detector: packages whose tests differ with crash points, and conversions of files
      local status=0
      mapfile -t packages < <(grep -rlE '^//go:build .*\bfailpoint\b' --include='*_test.go' "${modules[@]%/...}" | xargs -n1 dirname | sort -u)
      go_test failpoints -tags failpoint -shuffle=on -timeout 10m "${packages[@]}" || status=1
      tools/install.sh media
      go_test converting -timeout 10m -run "$accepted" ./services/sandbox || status=1
      go_test media -shuffle=on -timeout 10m "$media" || status=1
      return "$status"
      ;;
    system) # the programs as separate processes
      tools/install.sh node python curl # for the programs of docs/examples, and the samples of the API document
      local flags=(-count=1 -parallel 3 -timeout 25m)
      if [ "${E2E_MATRIX:-}" != all ]; then
        go_test system "${flags[@]}" -skip "$nightly" "$system"
        return
      fi
      tools/install.sh metrics # a Prometheus that watches them
      (cd tools/collector && GOWORK=off go build -o "$bin/collector" .) # receives their traces
      COLLECTOR=$bin/collector go_test system "${flags[@]}" "$system"
      ;;
    faults | outages) # the short faults, crashed and paused programs; tools/faults.sh also runs the long ones
      local pattern=$gate status=0
      [ "$1" = faults ] || pattern=$outages
      tools/install.sh clock metrics
      rm -f "$out/$1.jsonl"
      touch "$out/$1.jsonl"
      FAULTS_REPORT=$out/$1.jsonl go_test "$1" -count=1 -parallel 3 -timeout 25m -run "$pattern" "$faults" || status=1
      go test -list "$pattern" "$faults" | grep '^Test' >"$out/$1.tests"
      tools/faults.sh --table "$out/$1.jsonl" "$out/$1.tests" || status=1
      return "$status"
      ;;
    accepted) # all generated files on every network, of which the suite failpoints has a slice
      tools/install.sh media
      in_memory
      E2E_MATRIX=all go_test accepted -count=1 -timeout 90m -run "$accepted" ./services/sandbox
      ;;
    replay) # the recorded histories of every workflow on the current code; part of code
      go_test replay -count=1 -run '^TestReplay$' ./workflows/...
      ;;
    readme) # the commands of README.md against a separate stack; part of devstack
      tools/install.sh curl
      cd deploy/devstack
      GOWORK=off go_test readme -count=1 -run README ./stacktest
      ;;
    release) # the tool of the release, a separate module, and the packages of the SDKs
      cd tools/release
      GOWORK=off go_test release -count=1 -timeout 5m ./...
      ;;
    devstack) # the development stack starts its own infrastructure
      tools/install.sh curl systemd # for the commands of README.md, and to check units
      cd deploy/devstack
      # -count=1: the test cache does not detect changes of files outside of the module, such as README.md.
      GOWORK=off go_test devstack -count=1 -timeout 15m ./...
      ;;
    *)
      echo "no suite $1: code, unit, failpoints, system, faults, outages, devstack, release, accepted, replay, readme" >&2
      exit 2
      ;;
  esac
}

# in_memory lets tests write their files to a file system in memory, because the sandbox network flushes each post to the
# disk. It needs room, and the permission to run programs there. Compiled tests stay on the disk.
in_memory() {
  local room=/dev/shm folder
  [ "$(df --output=avail --block-size=1G "$room" 2>/dev/null | tail -n 1)" -ge 4 ] 2>/dev/null || return 0
  folder=$(mktemp -d "$room/tests.XXXXXX")
  trap "rm -rf '$folder'" EXIT
  chmod 1777 "$folder" # decoders run as another user
  cp "$(type -P true)" "$folder/program"
  "$folder/program" || return 0
  export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=$folder
}

# packages lists the packages of the suite code.
packages() {
  local others=("$system" "$faults" "$containers")
  [ "${RACE:-}" = all ] || others+=("$media")
  go list "${modules[@]}" | grep -vxFf <(printf '%s\n' "${others[@]}")
}

# without_race are large packages that share memory in a few places. Only the nightly run has them under the race detector, but
# for the streams of the application.
without_race='/(shared/infra/postgres|services/internal/app|api/internal/httpapi|services/console)$'

# concurrent keeps the packages that the race detector runs: those of the product whose own code starts goroutines or
# shares memory. RACE=all, as in the nightly run, keeps every package.
concurrent() {
  local folders
  folders=$(grep -rlE --include='*.go' --exclude='*_test.go' --exclude-dir={sandbox,bench,e2e} \
    '\bgo func|\.Go\(|"sync(/atomic)?"|\bchan |errgroup' shared workflows activities services | xargs -n1 dirname | sort -u)
  if [ "${RACE:-}" = all ]; then cat; else grep -xFf <(sed 's|^|fencepost.internal/|' <<<"$folders") | grep -vE "$without_race" || true; fi
}

# sequential keeps the other packages.
sequential() {
  local all
  all=$(cat)
  grep -vxFf <(concurrent <<<"$all") <<<"$all" || true
}

# slowest_first moves the slowest packages of its input to the front.
slowest_first() {
  awk -v slowest="${slowest[*]}" '
    BEGIN { n = split(slowest, names, " ") }
    { for (i = 1; i <= n; i++) if ($0 ~ "/" names[i] "$") { first[i] = $0; next } rest = rest $0 "\n" }
    END { for (i = 1; i <= n; i++) if (i in first) print first[i]; printf "%s", rest }'
}

# count ACTION counts the tests with this result. A package that failed without a failed test (it does not compile,
# crashed or timed out) counts as one.
count() {
  cat "$out"/*.json 2>/dev/null | awk -v action="\"Action\":\"$1\"" '
    index($0, action) && !/"Action":"output"/ && match($0, /"Package":"[^"]*"/) {
      package = substr($0, RSTART, RLENGTH)
      if (/"Test":"/) { n++; tests[package]++ } else if (action ~ /fail/) whole[package]++
    }
    END { for (package in whole) if (!tests[package]) n++; print n + 0 }'
}

# Each suite runs in a separate process, so that its exit does not end the others.
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

# build_programs builds the programs with their crash points, for the suites that run them.
build_programs() {
  export E2E_PROGRAMS=$out/programs
  mkdir -p "$E2E_PROGRAMS"
  go list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./services/... | grep -E '/services/[a-z]+$' | grep -v '/bench$' |
    xargs go build -tags failpoint -ldflags='-s -w' -o "$E2E_PROGRAMS/"
}

# beside SUITE… runs suites side by side and prints the output of each when it has ended.
beside() {
  local suite run pids=() status=0
  set -m # a process group for each suite, so that all of its processes can be stopped
  for suite in "$@"; do
    run=("$0" --suite "$suite")
    case $suite in
      unit | devstack | release) ;;
      *) run=("$bin/devstack" exec --fast --keep-logs -- "${run[@]}") ;;
    esac
    "${run[@]}" >"$out/$suite.log" 2>&1 </dev/null &
    pids+=($!)
  done
  trap 'kill -TERM "${pids[@]/#/-}" 2>/dev/null || true; exit 1' INT TERM
  for suite in "$@"; do
    wait "${pids[0]}" || status=1
    pids=("${pids[@]:1}")
    cat "$out/$suite.log"
  done
  set +m
  return "$status"
}

mkdir -p "$out"
[ -n "${KEEP:-}" ] || rm -f "$out"/*.json "$out/summary"
[ $# -gt 0 ] || set -- code failpoints system faults outages devstack release
computing=() stopping=() waiting=() starting=() status=0
for suite in "$@"; do
  case $suite in
    code | failpoints) computing+=("$suite") ;;
    outages) stopping=(outages) ;;
    system | faults) waiting+=("$suite") ;;
    *) starting+=("$suite") ;;
  esac
done
if [ ${#computing[@]} -gt 0 ]; then
  "$bin/devstack" exec --fast --keep-logs -- tools/test.sh --suites "${computing[@]}" || status=1
fi
case " $* " in
  *' system '* | *' faults '* | *' outages '*)
    if ! build_programs; then status=1 stopping=() waiting=(); fi
    ;;
esac
if [ ${#stopping[@]} -gt 0 ]; then beside "${stopping[@]}" || status=1; fi
if [ ${#waiting[@]} -gt 0 ]; then beside "${waiting[@]}" || status=1; fi
if [ ${#starting[@]} -gt 0 ]; then beside "${starting[@]}" || status=1; fi

passed=$(count pass) failed=$(count fail) skipped=$(count skip)
if [ "$skipped" != 0 ]; then
  printf '\nSkipped tests:\n'
  grep -h '"Action":"skip"' "$out"/*.json | sed -nE 's/.*"Package":"([^"]*)","Test":"([^"]*)".*/  \1 \2/p'
  status=1
fi
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
  failed=1 # an error outside of a test, printed above
fi
echo "$passed passed, $failed failed" >"$out/summary"
echo
cat "$out/summary"
exit "$status"
