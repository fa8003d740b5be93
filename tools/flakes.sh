#!/usr/bin/env bash
# Finds flaky tests: runs the tests of each package COUNT times (20), in random order, with the race detector and two
# concurrent busy loops. `make check-flakes` calls it, with the programs in .bin/ built.
#
#   COUNT=50                        number of runs
#   PACKAGES='./shared/infra/postgres …'  these packages, as go list names them; ./deploy/devstack/… is a separate module
#   PARALLEL=1                      number of packages that run side by side (one more than there are processors)
#   NICE=10                         priority of the loops, for packages whose programs have a low one and get no time
#                                   beside loops with a normal one (mediabox)
#   RESUME=1                        continues the previous hunt: skips the runs that passed
#
# It prints one line per package. The output of a failed run is kept in coverage/flakes/, with the seed of its order.
# The script fails if a run failed. The packages that wait for real time come last: all of services/e2e takes hours.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$PWD/coverage/flakes
count=${COUNT:-20}
parallel=${PARALLEL:-$(($(nproc) + 1))}

# each_package prints import path and folder of the packages that have tests.
each_package() {
  local packages modules=() stack=() package
  read -ra packages <<<"${PACKAGES:-./shared/... ./workflows/... ./activities/... ./services/... ./deploy/devstack/...}"
  for package in "${packages[@]}"; do
    case $package in ./deploy/devstack*) stack+=(".${package#./deploy/devstack}") ;; *) modules+=("$package") ;; esac
  done
  list="{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"
  { [ ${#modules[@]} = 0 ] || go list -f "$list" "${modules[@]}"
    [ ${#stack[@]} = 0 ] || (cd deploy/devstack && GOWORK=off go list -f "$list" "${stack[@]}")
  } | awk '/\/services\/e2e/ {later = later $0 "\n"; next} {print} END {printf "%s", later}'
}

# hunt PACKAGE FOLDER runs the tests of one package repeatedly.
hunt() {
  local package=$1 folder=$2 name binary passed log failed begin=$SECONDS
  name=${package#fencepost.internal/}
  name=${name//\//-}
  binary=$out/$name.test
  passed=$out/$name.passed # a line per run, with the seed of its order
  log=$out/$name.running
  [ -e "$passed" ] || rm -f "$out/$name".*.log
  touch "$passed"
  [ "$(wc -l <"$passed")" -lt "$count" ] || return 0
  if ! (cd "$folder" && case $folder in */deploy/devstack*) export GOWORK=off ;; esac && go test -c -race -o "$binary" .) >"$out/$name.build" 2>&1; then
    printf 'FAIL  %-60s does not compile: coverage/flakes/%s.build\n' "$package" "$name"
    return 1
  fi
  rm "$out/$name.build"
  until failed=$(find "$out" -name "$name.*.log" | wc -l) && [ $(($(wc -l <"$passed") + failed)) -ge "$count" ]; do
    if (cd "$folder" && "$binary" -test.shuffle=on -test.parallel=8 -test.timeout=40m) >"$log" 2>&1; then
      head -n 1 "$log" >>"$passed"
    else
      mv "$log" "$out/$name.$(date +%s).log"
    fi
  done
  rm -f "$log" "$binary"
  if [ "$failed" = 0 ]; then
    printf 'ok    %-60s %3d runs %5d s\n' "$package" "$count" $((SECONDS - begin))
    return
  fi
  rm "$passed" # after a fix, all runs count again
  printf 'FAIL  %-60s %3d runs %5d s, %d failed: coverage/flakes/%s.*.log\n' "$package" "$count" $((SECONDS - begin)) "$failed" "$name"
  grep -hoE '^ *--- FAIL: [^ ]+' "$out/$name".*.log | sort | uniq -c | sort -rn || true
  return 1
}

# stop ends the busy loops, and the packages that still run after an interrupt.
stop() {
  local job
  for job in $(jobs -p); do
    kill -- "-$job" 2>/dev/null || true
  done
}

if [ "${1:-}" != --inside ]; then
  tools/install.sh compiler clock
  mkdir -p "$out"
  [ -n "${RESUME:-}" ] || rm -f "$out"/*
  exec .bin/devstack exec --fast -- "$0" --inside
fi

export CGO_ENABLED=1 GORACE=atexit_sleep_ms=50 # the race detector; by default it sleeps a second in each run
set -m # a process group for each job, so that all of its processes can be stopped
trap stop EXIT
trap 'exit 1' INT TERM
for _ in 1 2; do
  nice -n "${NICE:-0}" bash -c 'while kill -0 "$1" 2>/dev/null; do :; done' loop $$ &
done
packages=$(each_package)
hunted=0 flaky=0 running=0
# await_one waits until one package has ended; the loops do not end.
await_one() {
  wait -n || flaky=$((flaky + 1))
  running=$((running - 1))
}
while read -r package folder; do
  [ "$running" -lt "$parallel" ] || await_one
  hunt "$package" "$folder" </dev/null &
  hunted=$((hunted + 1)) running=$((running + 1))
done <<<"$packages"
while [ "$running" -gt 0 ]; do await_one; done
echo "flakes: $hunted packages, $count runs each, $flaky with failures"
[ "$flaky" = 0 ]
