#!/usr/bin/env bash
# Generates docs/openapi.yaml and, from it, the Go client of the end-to-end tests; the schemas of events and their
# reference in docs/events.md; the table of variables in docs/reference/configuration.md; the tables of network rules in
# docs/platform-rules.md; the table of block types in docs/link-pages.md; the list of the sandbox's networks; the
# credentials of the networks in docker-compose.yml and deploy/docker/.env.example; the page about the tools of AI
# agents; the test vectors for verifiers of webhooks; the scripts and icons of the application; and the variables, the
# schema and the table of values of the Helm chart. With --check it writes nothing and fails if a file is outdated.
# `make generate` and `make verify` call it, with the programs in .bin/ built.
set -euo pipefail
cd "$(dirname "$0")/.."

check=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch/docs/reference" "$scratch/services/e2e/apiclient"
.bin/api openapi >"$scratch/docs/openapi.yaml"
.bin/oapi-codegen -config tools/openapi/client.yaml -o "$scratch/services/e2e/apiclient/client.gen.go" "$scratch/docs/openapi.yaml"
.bin/mcp tools >"$scratch/docs/tools.md"
.bin/api event-schema >"$scratch/docs/events.schema.json"
cp docs/events.md "$scratch/docs/events.md"
go run tools/gen/eventstable/main.go -write "$scratch/docs/events.md" "$scratch/docs/events.schema.json"
cp docs/reference/configuration.md "$scratch/docs/reference/configuration.md"
go run tools/gen/configtable/main.go -write "$scratch/docs/reference/configuration.md" .bin/api .bin/worker .bin/mcp .bin/console .bin/pages .bin/files .bin/migrate .bin/admin .bin/sandbox
cp docs/platform-rules.md "$scratch/docs/platform-rules.md"
go run tools/gen/rulestable/main.go -write "$scratch/docs/platform-rules.md"
mkdir -p "$scratch/deploy/docker"
cp docker-compose.yml "$scratch/docker-compose.yml"
cp deploy/docker/.env.example "$scratch/deploy/docker/.env.example"
go run tools/gen/composenetworks/main.go -compose "$scratch/docker-compose.yml" -example "$scratch/deploy/docker/.env.example"
mkdir -p "$scratch/services/sandbox/internal/sandboxapp"
go run tools/gen/sandboxnetworks/main.go >"$scratch/services/sandbox/internal/sandboxapp/networks.gen.go"
cp docs/link-pages.md "$scratch/docs/link-pages.md"
go run tools/gen/blockstable/main.go -write "$scratch/docs/link-pages.md"
mkdir -p "$scratch/deploy/helm"
cp deploy/helm/README.md deploy/helm/values.yaml "$scratch/deploy/helm/"
go run tools/gen/chartfiles/*.go -chart "$scratch/deploy/helm" .bin/api .bin/worker .bin/mcp .bin/console .bin/pages .bin/files .bin/migrate .bin/admin
assets=services/console/internal/frame/assets/npm
mkdir -p "$scratch/$assets"
tools/assets.sh "$scratch/$assets"
mkdir -p "$scratch/docs/examples/receiver"
go run tools/gen/vectors/*.go -write "$scratch/docs/examples/receiver/vectors.json"

status=0
files=(
  docs/openapi.yaml docs/tools.md docs/events.schema.json docs/events.md docs/reference/configuration.md docs/platform-rules.md docs/link-pages.md
  docs/examples/receiver/vectors.json services/e2e/apiclient/client.gen.go services/sandbox/internal/sandboxapp/networks.gen.go
  docker-compose.yml deploy/docker/.env.example deploy/helm/files/variables.json deploy/helm/values.schema.json
  deploy/helm/README.md
)
# The chart's copies of the alerts and of the dashboards: a package of a chart contains nothing outside of its folder.
for file in deploy/prometheus/alerts.yaml deploy/grafana/*.json; do
  [ -e "$file" ] || continue
  copy=deploy/helm/files/dashboards/${file##*/}
  [ "$file" != deploy/prometheus/alerts.yaml ] || copy=deploy/helm/files/alerts.yaml
  mkdir -p "$scratch/${copy%/*}"
  cp "$file" "$scratch/$copy"
  files+=("$copy")
done
# The application's copies of the guides to the networks' developer consoles: a module embeds nothing outside of its folder.
guides=services/console/internal/channels/guides
mkdir -p "$scratch/$guides"
for file in docs/connect/*.md; do
  [ "${file##*/}" != README.md ] || continue
  cp "$file" "$scratch/$guides/"
  files+=("$guides/${file##*/}")
done
# The API's copies of the guides for clients.
guides=services/api/internal/httpapi/docs/guides
mkdir -p "$scratch/$guides"
for name in agents analytics events glossary ideas link-pages media oauth platform-rules tools webhooks; do
  file=docs/$name.md
  [ ! -e "$scratch/$file" ] || file=$scratch/$file # generated above
  cp "$file" "$scratch/$guides/$name.md"
  files+=("$guides/$name.md")
done
while IFS= read -r file; do files+=("$assets/$file"); done < <(cd "$scratch/$assets" && find . -type f -printf '%P\n' | sort)
for file in "${files[@]}"; do
  if [ "$check" != --check ]; then
    mkdir -p "$(dirname "$file")"
    cp "$scratch/$file" "$file"
  elif ! diff -u "$file" "$scratch/$file"; then
    echo "$file is outdated: run make generate" >&2
    status=1
  fi
done
exit "$status"
