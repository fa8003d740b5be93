#!/usr/bin/env bash
# Packs the SDKs: a zip of a Go module, an npm package, and a wheel with its source archive. tools/release.sh calls it.
#
#   tools/sdk-packages.sh pack FOLDER    writes the packages of this commit into a folder
#   tools/sdk-packages.sh check FOLDER   installs each in an empty folder and makes a first call with it
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install.sh python
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' shared/infra/telemetry/release.go)
module=fencepost.internal/sdk/go
zip=fencepost-sdk-go-$version.zip npm=fencepost-sdk-$version.tgz wheel=fencepost-$version-py3-none-any.whl
sdist=fencepost-$version.tar.gz
python=${PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1

pack() { # FOLDER
  local out name
  out=$(realpath "$1")
  # The form of the files in a module proxy. The zips of git have the time of their creation.
  git archive HEAD:sdk/go | "$python" -c 'import sys, tarfile, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as packed:
    add = lambda name, data: packed.writestr(zipfile.ZipInfo(sys.argv[2] + name), data, zipfile.ZIP_DEFLATED)
    with tarfile.open(fileobj=sys.stdin.buffer, mode="r|") as source:
        for entry in source:
            if entry.isfile():
                add(entry.name, source.extractfile(entry).read())
    add("LICENSE", open("LICENSE", "rb").read())' "$out/$zip" "$module@v$version/"
  "$python" sdk/python/backend/fencepost_build.py "$out" >/dev/null
  tools/sdk-typescript.sh pack "$out"
  grep -qx "const Version = \"$version\"" sdk/go/client.go || { echo "sdk/go does not have the version $version" >&2; return 1; }
  for name in "$zip" "$npm" "$wheel" "$sdist"; do
    [ -s "$out/$name" ] || { echo "$name was not packed: the SDK has another version than shared/infra/telemetry" >&2; return 1; }
  done
}

# arm prints the address of a service that expects the call of the recipe, once.
arm() {
  "$python" -c 'import json, sys, urllib.request as http
print(json.load(http.urlopen(http.Request(sys.argv[1] + "/_case/figures", method="POST")))["baseUrl"])' "$player"
}

# says LANGUAGE COMMAND…  runs a program that makes the call, and compares its output.
says() {
  local language=$1 got
  shift
  got=$(FENCEPOST_URL=$(arm) FENCEPOST_API_KEY=svc_test_packages "$@")
  [ "$got" = 48 ] || { echo "$language: the program printed \"$got\" instead of the likes of the post" >&2; return 1; }
}

check() { # FOLDER
  local from post
  from=$(realpath "$1")
  post=$("$python" -c 'import json
cases = json.load(open("sdk/conformance/recipes.json"))["cases"]
print(next(c for c in cases if c["name"] == "figures")["exchanges"][0]["request"]["path"].split("/")[-1])')
  work=$(mktemp -d)
  trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT # the module cache is not writable
  (cd sdk/go && GOWORK=off go build -o "$work/player" ./cmd/player)
  coproc "$work/player" -cases sdk/conformance/recipes.json
  read -r player <&"${COPROC[0]}"

  # Go, from a proxy in the file system
  local proxy=$work/proxy/$module/@v
  mkdir -p "$proxy" "$work/go" "$work/npm" "$work/python"
  cp "$from/$zip" "$proxy/v$version.zip"
  cp sdk/go/go.mod "$proxy/v$version.mod"
  printf '{"Version":"v%s"}\n' "$version" >"$proxy/v$version.info"
  cat >"$work/go/main.go" <<PROGRAM
package main

import (
	"context"
	"fmt"
	"log"

	fencepost "$module"
)

func main() {
	client, err := fencepost.New(fencepost.Options{})
	if err != nil {
		log.Fatal(err)
	}
	figures, err := client.Analytics.GetPost(context.Background(), "$post", fencepost.GetPostAnalyticsParams{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*figures.Latest.Likes)
}
PROGRAM
  (
    cd "$work/go"
    export GOWORK=off GOPROXY=file://$work/proxy GONOSUMDB='*' GOFLAGS=-trimpath GOMODCACHE=$work/modules
    go mod init example >/dev/null 2>&1
    go get "$module@v$version" 2>/dev/null
    go build -o program .
  )
  says Go "$work/go/program"

  # TypeScript, as JavaScript: the checks of the SDK compile programs with its types
  cat >"$work/npm/program.mjs" <<PROGRAM
import { Fencepost } from "@fencepost/sdk";

const figures = await new Fencepost().analytics.getPost("$post");
console.log(figures.latest.likes);
PROGRAM
  (cd "$work/npm" && echo '{ "private": true }' >package.json && npm install --offline --no-audit --no-fund --loglevel=error "$from/$npm" >/dev/null)
  says TypeScript node "$work/npm/program.mjs"

  # Python, the wheel, and one that is built from the source archive
  cat >"$work/python/program.py" <<PROGRAM
import sys

sys.path.insert(0, sys.argv[1])
from fencepost import Fencepost

print(Fencepost().analytics.get_post("$post")["latest"]["likes"])
PROGRAM
  says Python "$python" -I "$work/python/program.py" "$from/$wheel"
  tar --extract --file="$from/$sdist" --directory="$work/python"
  "$python" "$work/python/${sdist%.tar.gz}/backend/fencepost_build.py" "$work/python" >/dev/null
  cmp "$from/$wheel" "$work/python/$wheel"
  exec {COPROC[1]}>&- # ends the player
}

case ${1:-} in
  pack | check) "$1" "${2:?the folder is missing}" ;;
  *)
    echo "usage: $0 pack|check FOLDER" >&2
    exit 2
    ;;
esac
