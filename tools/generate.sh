#!/usr/bin/env bash
# Generates docs/openapi.yaml and, from it, the Go client of the end-to-end tests; the schemas of events and their
# reference in docs/events.md; the list of variables in docs/reference/configuration.md; the lists of network rules in
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

programs=(.bin/api .bin/worker .bin/mcp .bin/console .bin/pages .bin/files .bin/inbound .bin/migrate .bin/admin)
gen=$scratch/gen
go build -o "$gen" tools/gen/*.go
mkdir -p "$scratch"/{docs/examples/receiver,services/e2e/apiclient,services/sandbox,deploy/helm/files}
.bin/api openapi >"$scratch/docs/openapi.yaml"
.bin/oapi-codegen -config tools/openapi/client.yaml -o "$scratch/services/e2e/apiclient/client.gen.go" "$scratch/docs/openapi.yaml"
.bin/mcp tools >"$scratch/docs/tools.md"
.bin/api event-schema >"$scratch/docs/events.schema.json"
# Files with generated sections.
cp --parents docs/{events,reference/configuration,platform-rules,link-pages}.md docker-compose.yml deploy/docker/.env.example \
  deploy/helm/{README.md,values.yaml} "$scratch"
"$gen" events "$scratch/docs/events.md" "$scratch/docs/events.schema.json"
"$gen" configuration "$scratch/docs/reference/configuration.md" "${programs[@]}" .bin/sandbox
"$gen" rules "$scratch/docs/platform-rules.md"
"$gen" blocks "$scratch/docs/link-pages.md"
"$gen" credentials "$scratch/docker-compose.yml" "$scratch/deploy/docker/.env.example"
"$gen" chart "$scratch/deploy/helm" "${programs[@]}"
mapfile -t networks < <(grep -l '^func Network() ' services/sandbox/internal/*/*.go)
"$gen" sandbox "$scratch/services/sandbox/networks.gen.go" "${networks[@]}"
"$gen" vectors "$scratch/docs/examples/receiver/vectors.json"
assets=services/console/internal/frame/assets/npm
mkdir -p "$scratch/$assets"
tools/assets.sh "$scratch/$assets"

status=0
files=(
  docs/openapi.yaml docs/tools.md docs/events.schema.json docs/events.md docs/reference/configuration.md docs/platform-rules.md docs/link-pages.md
  docs/examples/receiver/vectors.json services/e2e/apiclient/client.gen.go services/sandbox/networks.gen.go
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
