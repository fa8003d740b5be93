#!/usr/bin/env bash
# Runs one of the checks with programs of others, which the nightly run has and the gate has not:
#
#   agents          the authorization server and the tool server with the MCP SDKs, the MCP Inspector and oauth4webapi
#   bluesky         the Bluesky connector against the reference server, which it installs once
#   chart           the Helm chart: Helm 3 and 4, kubeconform, Pod Security Standards, the variables of the programs
#   clients         clients that oapi-codegen, ogen and openapi-typescript generate from the OpenAPI document
#   containers      the images and the composed stack in a container engine; needs root (KEEP=1 leaves it running)
#   flakes          each package 20 times beside two busy loops; hours (PACKAGES=./shared/infra/postgres COUNT=50 RESUME=1)
#   fresh           the first steps on a fresh machine, in a chroot; needs root (PART=run, CACHE=1)
#   media-versions  mediabox with the media programs of Debian 12 and 13, in chroots; needs root
#   n8n             the nodes for n8n: linters, unit tests, and the packed package in n8n on a running stack; installs n8n once, 2 GB
#   receivers       signatures of webhooks with verifiers in Go, TypeScript, Python, PHP and those of Standard Webhooks
#   s3              the object store and the files gateway with a second S3 server, also over TLS
#   sdks            the SDKs in Go, TypeScript and Python: unit tests, recipes, and the cases of sdk/conformance
#   upgrade         an installation with 1,000 waiting posts, from the previous commit to this one (FROM=REVISION)
#   vuln            the dependencies in the Go vulnerability database; needs vuln.go.dev
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-help} in
  agents | bluesky | clients | containers | n8n | receivers | sdks) exec "tools/$1.sh" ;;
  flakes) exec tools/flakes.sh ;;
  fresh) exec tools/fresh.sh ${PART:+"$PART"} ;;
  media-versions) exec tools/mediaversions.sh ;;
  s3) exec tools/s3smoke.sh ;;
  upgrade) exec tools/upgrade.sh ${FROM:+"$FROM"} ;;
  chart)
    cd tools/chart
    export GOWORK=off
    go mod tidy -diff
    ../../.bin/golangci-lint run ./...
    exec go test -count=1 ./...
    ;;
  vuln)
    for module in shared workflows activities services deploy/devstack; do
      (cd "$module" && GOWORK=off go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...) || {
        echo "govulncheck found a vulnerability, or could not be downloaded, or cannot reach https://vuln.go.dev" >&2
        exit 1
      }
    done
    ;;
  help) sed -n '/^#   /s/^#   /  /p' "$0" ;;
  *)
    echo "no check $1; make check-help lists them" >&2
    exit 2
    ;;
esac
