#!/usr/bin/env bash
# Builds every image with deploy/docker/Dockerfile and runs the unmodified docker-compose.yml: `make check-containers` calls it.
# The checks are services/e2e/containers; arguments go to go test.
#
# It uses this machine's Docker Engine, if one runs. Otherwise it starts one of its own, with substitutes for the images of
# others (deploy/containers), which needs root and takes about a quarter of an hour the first time.
# KEEP=1 leaves the stack and the engine running.
set -euo pipefail
cd "$(dirname "$0")/.."

run=$PWD/.run/containers
mkdir -p "$run"
export CONTAINERS_ENV=$run/env CONTAINERS_KEEP=${KEEP:-}

engine=()
if ! docker compose version >/dev/null 2>&1 || ! docker info >/dev/null 2>&1; then
  engine=("$PWD/deploy/containers/engine.sh" run)
  deploy/containers/engine.sh up
  [ -n "${KEEP:-}" ] || trap 'deploy/containers/engine.sh down' EXIT
  deploy/containers/images.sh
fi
export CONTAINERS_ENGINE=${engine[*]}

# The secrets are made up, as README.md does; the ports are apart from those of other stacks.
umask 077
while IFS= read -r line; do
  case $line in
    ENCRYPTION_KEYS=) line+="k1:$(head -c 32 /dev/urandom | base64)" ;;
    [A-Z]*=) line+=$(od -An -N 16 -t x1 /dev/urandom | tr -d ' \n') ;;
  esac
  echo "$line"
done <deploy/docker/.env.example >"$CONTAINERS_ENV"
cat >>"$CONTAINERS_ENV" <<END
REVISION=$(git rev-parse HEAD)
API_PORT=24080
CONSOLE_PORT=24081
MCP_PORT=24082
PAGES_PORT=24083
FILES_PORT=24084
SANDBOX_PORT=24090
TEMPORAL_UI_PORT=24233
HTTP_PORT=24100
HTTPS_PORT=24443
END

compose() {
  "${engine[@]}" docker compose --env-file "$CONTAINERS_ENV" --project-name fencepost-check --profile '*' "$@"
}
compose down --volumes --timeout 5 >/dev/null 2>&1 || true # of a run that was killed
compose build --quiet
go test -count=1 -v -timeout 60m ./services/e2e/containers "$@"
