#!/usr/bin/env bash
# Tests link pages and the application's pages (sign-in, consent, programs) in Chromium, on a phone and on a desktop, in
# the light and the dark color scheme: content and behavior, problems that the browser reports, and the rules of
# axe-core (WCAG 2.2 and best practice). `make browser` calls it, with the programs in .bin/ built.
#
# Pages are opened in two looks; E2E_MATRIX=all opens them in all. As many tests run at once as the machine has
# processors.
#
# It installs the rules in the version of package-lock.json. BROWSER_SHOTS=FOLDER stores screenshots.
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
# The gate does not measure how long the pages of a slow processor do not react; the nightly run does.
[ "${E2E_MATRIX:-}" = all ] || set -- -skip '^TestNoLongTasks$' "$@"
exec "$root/.bin/devstack" exec --fast -- go test -count=1 -timeout 20m "$@" .
