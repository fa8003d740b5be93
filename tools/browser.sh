#!/usr/bin/env bash
# Looks at link pages and at the application's pages (signing in, consent, programs) in Chromium, on a phone and at a desk, by day
# and by night: what people see and can do, what the browser complains of, and the rules of axe-core (WCAG 2.2 and best practice).
# `make browser` calls it, with the programs in .bin/ built.
#
# The rules are installed here, of the version in package-lock.json. BROWSER_SHOTS=FOLDER keeps pictures of what was seen.
set -euo pipefail
cd "$(dirname "$0")/browser"
root=$(cd ../.. && pwd)

"$root/tools/install.sh" node chromium
CHROMIUM=$(command -v chromium || command -v google-chrome)

installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi

export GOWORK=off CHROMIUM PROGRAMS=${PROGRAMS:-$root/.bin}
exec "$root/.bin/devstack" exec --fast -- go test -count=1 -timeout 5m "$@" .
