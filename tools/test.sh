#!/usr/bin/env bash
# Runs every test: units and integration with the race detector, then the whole system, then the development stack's own.
# Infrastructure is real and started here. The last line counts: "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/.bin
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=0

# The race detector needs a C compiler.
if ! command -v gcc >/dev/null; then
	[ "$(id -u)" = 0 ] || { echo "make test: gcc is missing, which the race detector needs; install gcc and libc6-dev" >&2; exit 1; }
	apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends gcc libc6-dev >/dev/null || exit 1
fi

phase() { # name, then the command
	local name=$1 begun=$SECONDS
	shift
	echo "== $name"
	"$@" || failed=1
	echo "== $name took $((SECONDS - begun)) s"
}

gotests() { "$bin/gotestsum" --format pkgname-and-test-fails --hide-summary skipped --jsonfile "$results/$1.json" -- "${@:2}"; }

units() {
	mapfile -t packages < <(go list ./shared/... ./workflows/... ./activities/... ./services/... | grep -v '/services/e2e')
	mkdir -p coverage
	CGO_ENABLED=1 "$bin/devstack" exec --fast -- "$bin/gotestsum" --format pkgname-and-test-fails --jsonfile "$results/units.json" -- \
		-race -coverprofile=coverage/units.out -coverpkg=socialpub.internal/shared/...,socialpub.internal/workflows/...,socialpub.internal/activities/... \
		"${packages[@]}" "$@"
}

system() { # one test at a time: they stop PostgreSQL and Temporal under each other's feet
	"$bin/devstack" exec --fast -- "$bin/gotestsum" --format testname --jsonfile "$results/system.json" -- -p 1 -count=1 -timeout 25m ./services/e2e/... "$@"
}

stack() { (cd deploy/devstack && GOWORK=off gotests stack ./...); }

case ${1:-all} in
units) shift; phase "units and integration" units "$@" ;;
system) shift; phase "the whole system" system "$@" ;;
stack) phase "the development stack" stack ;;
all)
	phase "units and integration" units
	phase "the whole system" system
	phase "the development stack" stack
	;;
*) echo "usage: tools/test.sh [all | units | system | stack] [go test flags]" >&2; exit 2 ;;
esac

count() { cat "$results"/*.json 2>/dev/null | grep -c "\"Action\":\"$1\",.*\"Test\":" || true; }
echo "$(count pass) passed, $(count fail) failed, $(count skip) skipped"
exit "$failed"
