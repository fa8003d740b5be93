#!/usr/bin/env bash
# Generates docs/openapi.yaml with its samples and, from it, the types of the SDKs; the schemas of events and their reference
# in docs/events.md; the list of variables in docs/reference/configuration.md; the lists of network rules in
# docs/platform-rules.md and docs/reference/options.md; the table of block types in docs/link-pages.md; the list of the sandbox's networks; the
# credentials of the networks in docker-compose.yml and deploy/docker/.env.example; the page about the tools of AI
# agents; the samples of the guides; the reference of the command line; the test vectors for verifiers of webhooks; the scripts and icons of the
# application; the variables, the
# schema and the table of values of the Helm chart; the types of the SDKs; and the operations of the nodes for n8n. With --check it writes nothing and fails
# if a file is outdated.
# `make generate` and `make verify` call it, with the programs in .bin/ built.
set -euo pipefail
cd "$(dirname "$0")/.."

check=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

programs=(.bin/api .bin/worker .bin/mcp .bin/console .bin/pages .bin/files .bin/inbound .bin/migrate .bin/admin)
gen=$scratch/gen
go build -o "$gen" tools/gen/*.go
mkdir -p "$scratch"/{docs/examples/receiver,services/sandbox,deploy/helm/files,sdk/go}
# The samples of the document come first, because the api has them inside.
samples=services/api/internal/httpapi/samples.json
mkdir -p "$scratch/${samples%/*}"
"$gen" samples "$scratch/$samples" sdk/conformance/recipes.json sdk/{go,typescript,python}/README.md
if [ "$check" != --check ] && ! cmp -s "$scratch/$samples" "$samples"; then
  cp "$scratch/$samples" "$samples"
  go build -o .bin/ ./services/api
fi
.bin/api openapi >"$scratch/docs/openapi.yaml"
.bin/mcp tools >"$scratch/docs/tools.md"
.bin/api event-schema >"$scratch/docs/events.schema.json"
mkdir -p "$scratch/docs/reference"
.bin/fencepost reference >"$scratch/docs/reference/cli.md"
# Files with generated sections.
cp --parents docs/{events,reference/configuration,platform-rules,reference/options,link-pages}.md docker-compose.yml deploy/docker/.env.example \
  deploy/helm/{README.md,values.yaml} "$scratch"
"$gen" events "$scratch/docs/events.md" "$scratch/docs/events.schema.json"
"$gen" configuration "$scratch/docs/reference/configuration.md" "${programs[@]}" .bin/sandbox
"$gen" rules "$scratch"/docs/{platform-rules,reference/options}.md
"$gen" blocks "$scratch/docs/link-pages.md"
"$gen" credentials "$scratch/docker-compose.yml" "$scratch/deploy/docker/.env.example"
"$gen" chart "$scratch/deploy/helm" "${programs[@]}"
mapfile -t networks < <(grep -l '^func Network() ' services/sandbox/internal/*/*.go)
"$gen" sandbox "$scratch/services/sandbox/networks.gen.go" "${networks[@]}"
"$gen" vectors "$scratch/docs/examples/receiver/vectors.json"
# The types of the SDKs.
"$gen" go-sdk "$scratch/sdk/go" "$scratch/docs/openapi.yaml"
python=sdk/python/src/fencepost
mkdir -p "$scratch/$python"
"$gen" python "$scratch/docs/openapi.yaml" "$scratch/$python"
assets=services/console/internal/frame/assets/npm
marks=services/internal/marks/npm
fonts=services/internal/report/fonts
mkdir -p "$scratch/$assets" "$scratch/$marks"
tools/assets.sh "$scratch/$assets" "$scratch/$marks" "$scratch/$fonts"
mkdir -p "$scratch/sdk/typescript/src"
tools/sdk-typescript.sh generate "$scratch/docs/openapi.yaml" "$scratch/sdk/typescript/src"
# With the packages of the SDK for TypeScript.
nodes=integrations/n8n/nodes/Fencepost
mkdir -p "$scratch/$nodes"
node integrations/n8n/scripts/generate.mjs "$scratch/docs/openapi.yaml" "$scratch/$nodes/operations.gen.ts"

status=0
files=(
  "$samples" docs/openapi.yaml docs/tools.md docs/events.schema.json docs/events.md docs/reference/configuration.md docs/reference/cli.md docs/platform-rules.md docs/reference/options.md docs/link-pages.md
  docs/examples/receiver/vectors.json services/sandbox/networks.gen.go
  docker-compose.yml deploy/docker/.env.example deploy/helm/files/variables.json deploy/helm/values.schema.json
  deploy/helm/README.md
  sdk/go/models.gen.go sdk/go/operations.gen.go sdk/typescript/src/api.gen.ts sdk/typescript/src/operations.gen.ts
  "$nodes/operations.gen.ts"
  "$python"/{types,_resources,_async_resources}.py
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
# The samples of the guides, and the API's copies of the pages that it serves (catalogue.go there lists them).
mkdir -p "$scratch/docs/guides"
cp docs/guides/*.md "$scratch/docs/guides/"
"$gen" guides "$scratch"/docs/guides/*.md
files+=(docs/guides/*.md)
pages=services/api/internal/httpapi/docs/pages
for file in docs/{agents,analytics,contract,events,ideas,link-pages,media,oauth,platform-rules,tools,webhooks}.md docs/guides/*.md \
  docs/reference/{analytics,automation,cli,deprecation,glossary,ideas,import,inbox,leads,link-domains,options,request-log}.md sdk/{go,python,typescript}/README.md integrations/n8n/README.md CHANGELOG.md; do
  mkdir -p "$scratch/$pages/$(dirname "$file")"
  [ -e "$scratch/$file" ] && from=$scratch/$file || from=$file # generated above, or not
  cp "$from" "$scratch/$pages/$file"
  files+=("$pages/$file")
done
for folder in "$assets" "$marks"; do
  while IFS= read -r file; do files+=("$folder/$file"); done < <(cd "$scratch/$folder" && find . -type f -printf '%P\n' | sort)
done
files+=("$fonts"/{dejavu.txt,DejaVuSansCondensed.ttf,DejaVuSansCondensed-Bold.ttf})
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
