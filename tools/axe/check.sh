#!/usr/bin/env bash
# Holds the golden link pages to the rules of axe-core (WCAG 2.2 and best practice) in Chromium. The rules are installed here, of
# the version in package-lock.json; Node.js and Chromium come from the distribution's packages when they are missing and this is
# root.
set -euo pipefail
cd "$(dirname "$0")"

browser=$(command -v chromium || command -v google-chrome || true)
if [ -z "$browser" ] || ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "the accessibility check needs Chromium, and Node.js 18.17 or newer with npm (Debian: chromium, nodejs, npm)" >&2
    exit 1
  fi
  echo "installing chromium nodejs npm"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium nodejs npm >/dev/null
  browser=$(command -v chromium)
fi

installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi
node check.mjs ../../services/pages/internal/render/testdata "$browser"
