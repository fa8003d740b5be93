#!/bin/sh
# Replaces the containers of the profile "production" one by one, so that Caddy always has one container of each program:
# an upgrade, or a change of .env.
#
#   deploy/docker/replace.sh             builds the images, migrates, and replaces every program
#   deploy/docker/replace.sh PROGRAM…    only replaces the containers of these programs
#
# Containers that are up to date are replaced too. COMPOSE is the command to use (default: docker compose).
set -eu
cd "$(dirname "$0")/../.."

compose() { ${COMPOSE:-docker compose} --profile production "$@"; }

if [ $# = 0 ]; then
  REVISION=${REVISION:-$(git rev-parse HEAD 2>/dev/null || true)}
  export REVISION
  compose build
  compose run --rm --no-deps -T migrate up
  set -- worker inbound files pages api mcp console # workers go first: docs/operations.md, Upgrade
fi
for program in "$@"; do
  for container in "$program" "$program-2"; do
    compose up --detach --no-deps --force-recreate --wait --wait-timeout 180 "$container"
    # Caddy checks once a second whether the new container is ready.
    sleep 3
  done
done
