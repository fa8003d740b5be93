#!/usr/bin/env bash
# Builds a substitute for every image that docker-compose.yml and the Dockerfile pull, under the same name and version,
# for a machine that reaches only Debian's mirror and the Go module proxy. engine.sh must be up. Images that exist stay.
#
#   debian             debootstrap
#   golang             the same, with this machine's Go
#   postgres           Debian's server, with an entrypoint of the same contract
#   minio, temporal…   the same programs, built from their modules; caddy too
set -euo pipefail
cd "$(dirname "$0")"
checkout=$(cd ../.. && pwd)
home=${CONTAINERS_HOME:-/var/lib/fencepost-containers}
share=$home/share

docker() { (cd "$share" && "$checkout/deploy/containers/engine.sh" run docker "$@"); }

# named REPOSITORY prints the image that docker-compose.yml names, with its version.
named() { awk -v image="$1:" '$1 == "image:" && index($2, image) == 1 { print $2; exit }' "$checkout/docker-compose.yml"; }

base() { # SUITE
  local folder=$home/debian-$1
  missing "debian:$1-slim" || return 0
  rm -rf "$folder"
  debootstrap --variant=minbase --include=ca-certificates "$1" "$folder" \
    "$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)" >"$home/debootstrap.log" ||
    { tail -n 20 "$home/debootstrap.log" >&2; return 1; }
  cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
  tar -C "$folder" --exclude='./var/cache/apt/archives/*.deb' --exclude='./dev/*' -c . | docker import --change 'CMD ["bash"]' - "debian:$1-slim" >/dev/null
  rm -rf "$folder"
}

# program OUTPUT MODULE_FOLDER PACKAGE builds a program in the version that the module requires, from a copy of the module:
# its go.sum lacks the modules that only this program needs.
program() {
  local copy
  copy=$(mktemp -d)
  cp "$2/go.mod" "$2/go.sum" "$copy"
  (cd "$copy" && GOWORK=off CGO_ENABLED=0 GOFLAGS='-trimpath -mod=mod' go build -ldflags='-s -w' -o "$1" "$3")
  rm -rf "$copy"
}

# missing NAME reports whether there is no such image.
missing() {
  ! docker image inspect "$1" >/dev/null 2>&1 || return 1
  echo "building $1"
}

image() { # CONTEXT NAME
  docker build --quiet --tag "$2" "images/$1" >/dev/null
}

base bookworm
mkdir -p "$share"
rm -rf "$share/images"
cp -r images "$share/"
at=$share/images stack=$checkout/deploy/devstack

if missing golang:1.26-bookworm; then
  mkdir "$at/golang/go"
  tar -C "$(go env GOROOT)" --exclude=./test --exclude=./doc -c . | tar -C "$at/golang/go" -x
  cp /etc/ssl/certs/ca-certificates.crt "$at/golang/"
  sed -i "s|@GOPROXY@|$(go env GOPROXY)|; s|@GOSUMDB@|$(go env GOSUMDB)|" "$at/golang/Dockerfile"
  image golang golang:1.26-bookworm
fi
name=$(named postgres)
if missing "$name"; then image postgres "$name"; fi
name=$(named minio/minio)
if missing "$name"; then
  [ -x "$checkout/.bin/minio" ] || "$checkout/.bin/devstack" exec --fast -- true # builds it once
  cp "$checkout/.bin/minio" "$at/minio/"
  image minio "$name"
fi
name=$(named temporalio/server)
if missing "$name"; then
  program "$at/temporal/temporal-server" "$stack" go.temporal.io/server/cmd/server
  image temporal "$name"
fi
name=$(named temporalio/admin-tools)
if missing "$name"; then
  program "$at/temporal-tools/temporal-sql-tool" "$stack" go.temporal.io/server/cmd/tools/sql
  image temporal-tools "$name"
fi
name=$(named temporalio/ui)
if missing "$name"; then
  ui=github.com/temporalio/ui-server/v2
  program "$at/temporal-ui/temporal-ui" "$stack" "$ui/cmd/server"
  install -m 644 "$(cd "$stack" && GOWORK=off go list -m -f '{{.Dir}}' "$ui")/config/docker.yaml" "$at/temporal-ui/"
  image temporal-ui "$name"
fi
name=$(named caddy)
if missing "$name"; then
  program "$at/caddy/caddy" "$PWD" github.com/caddyserver/caddy/v2/cmd/caddy
  image caddy "$name"
fi
rm -rf "$share/images"
