#!/usr/bin/env bash
# Builds a release into dist/: per platform an archive with the programs, systemd units, licences and documentation, and
# its software bill of materials; the Helm chart; the browser extension; the SDKs; checksums. `make release` calls it, with
# .bin/release built.
#
#   tools/release.sh           builds all platforms
#   tools/release.sh --check   also checks the result, and that a second build of the first platform and of the SDKs has the same bytes
#
# It is a script, not goreleaser: the project has no forge to publish to, one Go build per platform, and no other
# formats. goreleaser would add 372 modules to the build, and need another program for the bill of materials.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=(api worker mcp console pages files inbound migrate admin)
platforms=(${PLATFORMS:-linux/amd64 linux/arm64})
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' shared/infra/telemetry/release.go)
revision=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || echo "warning: uncommitted changes become part of the release" >&2
# A commit without the version's tag is a snapshot.
label=$version
[ "$(git tag --points-at HEAD | grep -x "v$version" || true)" ] || label=$version-snapshot.${revision:0:12}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS=-trimpath
dist=$PWD/dist

# platform GOOS/GOARCH FOLDER  builds the archive and the bill of materials of a platform into a folder.
platform() {
  local os=${1%/*} arch=${1#*/} out=$2 name stage
  name=fencepost_${label}_${os}_$arch
  stage=$out/$name
  mkdir -p "$stage/bin"
  GOOS=$os GOARCH=$arch go build -buildvcs=false -o "$stage/bin/" \
    -ldflags="-s -w -X fencepost.internal/shared/infra/telemetry.revision=$revision" "${programs[@]/#/./services/}"
  GOOS=$os GOARCH=$arch go build -buildvcs=false -o "$stage/bin/fencepost" -ldflags="-s -w" ./services/cli
  local built=("${programs[@]/#/$stage/bin/}" "$stage/bin/fencepost")
  mkdir "$stage/completion"
  for shell in bash zsh fish; do # the same for every platform
    go run -buildvcs=false ./services/cli completion "$shell" >"$stage/completion/fencepost.$shell"
  done
  .bin/release notices "${built[@]}" >"$stage/THIRD_PARTY_NOTICES"
  .bin/release sbom "$label" "${built[@]}" >"$out/$name.cdx.json"
  cp LICENSE README.md CHANGELOG.md SECURITY.md "$stage/"
  cp -r deploy/systemd "$stage/systemd"
  mkdir "$stage/docs"
  git archive HEAD docs | tar -x -C "$stage" # without files that are not part of the source
  tar --create --file=- --directory="$out" --sort=name --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
    --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip --no-name --best >"$out/$name.tar.gz"
  rm -r "$stage"
}

# check tests the files in dist/.
check() {
  local archive list first=${platforms[0]} again
  (cd "$dist" && sha256sum --check --quiet SHA256SUMS)
  for archive in "$dist"/fencepost_*.tar.gz; do
    list=$(tar --list --file="$archive")
    for name in "${programs[@]/#/bin/}" bin/fencepost completion/fencepost.bash LICENSE THIRD_PARTY_NOTICES SECURITY.md systemd/fencepost-worker.service; do
      grep -q "^[^/]*/$name$" <<<"$list" || { echo "$archive lacks $name" >&2; return 1; }
    done
    [ -s "${archive%.tar.gz}.cdx.json" ]
  done
  again=$(mktemp -d)
  platform "$first" "$again"
  tools/sdk-packages.sh pack "$again"
  (cd "$again" && for file in *; do cmp "$file" "$dist/$file"; done)
  tar --extract --file="$again/fencepost_${label}_${first/\//_}.tar.gz" --directory="$again"
  [ "$first" != "$(go env GOOS)/$(go env GOARCH)" ] ||
    "$again/fencepost_${label}_${first/\//_}/bin/api" version | grep -qx "$version+${revision:0:12}"
  rm -r "$again"
  tools/sdk-packages.sh check "$dist"
}

rm -rf "$dist"
mkdir "$dist"
for target in "${platforms[@]}"; do
  echo "building $target"
  platform "$target" "$dist"
done
git archive --format=zip -9 --output="$dist/fencepost-extension_$label.zip" HEAD:services/console/internal/extension/files
(cd tools/chart && GOWORK=off go run . pack ../../deploy/helm "$label" "$dist")
tools/sdk-packages.sh pack "$dist"
[ ! -x tools/n8n.sh ] || tools/n8n.sh pack "$dist"
(cd "$dist" && sha256sum -- * >SHA256SUMS)
if [ "${1:-}" = --check ]; then
  check
  echo "checked: checksums, contents, first calls with the packed SDKs, and a second build of ${platforms[0]} and of the SDKs with the same bytes"
fi
ls -l "$dist"
