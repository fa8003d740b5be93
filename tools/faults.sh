#!/usr/bin/env bash
# Runs the fault suite and prints the results as a table. `make faults` calls it, with the programs in .bin/ built.
#
#   tools/faults.sh            every fault, including the long ones
#   tools/faults.sh F07        the tests whose name contains F07
#   tools/faults.sh --table REPORT TESTS
#                              only prints the table of a report, for the tests listed in the file TESTS
#
# FAULTS_EXPRESS=MODE runs the suite with this value of DELIVERY_EXPRESS_AFTER: 0, 1s (the default of the programs) or off.
# FAULTS_PARALLEL=N runs N tests at once (1 by default): the suite
# takes less time, and a test that waits for the machine may fail. FAULTS_SHORT=1 leaves out the long faults (TestNight…).
#
# A fault that should have run and did not is marked in the table and fails the run.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=fencepost.internal/services/e2e/faults

if [ "${1:-}" = --table ]; then
  exec go run tools/gen/*.go faults "$2" "$3"
fi

tools/install.sh clock metrics
only=${1:-}
pattern="^Test.*$only"
mkdir -p coverage
report=$PWD/coverage/faults.jsonl tests=$PWD/coverage/faults.tests
rm -f "$report"
touch "$report"
skip=${FAULTS_SHORT:+^TestNight}
go test -list "$pattern" "$suite" | grep -E '^Test(F|Night)' | grep -vE "${skip:-^$}" >"$tests" || true
if [ ! -s "$tests" ]; then
  echo "no fault matches $only" >&2
  exit 2
fi

status=0
FAULTS_REPORT=$report .bin/devstack exec --fast --keep-logs -- \
  .bin/gotestsum --format testname --hide-summary=skipped,output -- \
  -count=1 -parallel "${FAULTS_PARALLEL:-1}" -timeout 3h -skip "${skip:-^$}" -run "$pattern" "$suite" || status=1

echo
go run tools/gen/*.go faults "$report" "$tests" || status=1
exit "$status"
