#!/usr/bin/env bash
# Copies the scripts, icons and the typeface that the application serves from npm packages, in the versions of tools/assets, to
# services/console/internal/frame/assets/npm or to the folder given as the argument. tools/generate.sh calls it.
set -euo pipefail
cd "$(dirname "$0")/assets"
root=$(cd ../.. && pwd)
to=${1:-$root/services/console/internal/frame/assets/npm}

"$root/tools/install.sh" node
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi

icons=(
  archive archive-restore arrow-left bell building-2 calendar check chevron-down chevron-right chevrons-up-down circle-alert
  circle-check clock code copy ellipsis external-link file-text fingerprint-pattern history image inbox key keyboard link list-filter
  log-out mail menu monitor octagon-pause pause pencil play plug plus radio refresh-cw rotate-cw scroll-text search send settings
  shield-check trash-2 triangle-alert undo-2 user user-plus users video webhook x zap
)
marks=(bluesky facebook google instagram mastodon pinterest telegram threads tiktok whatsapp x youtube)

rm -rf "$to"
mkdir -p "$to/icons" "$to/marks" "$to/licenses"
cp node_modules/htmx.org/dist/htmx.min.js "$to/htmx.min.js"
cp node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2 "$to/inter.woff2"
cp node_modules/@fontsource-variable/inter/LICENSE "$to/licenses/inter.txt"
cp node_modules/htmx.org/LICENSE "$to/licenses/htmx.txt"
cp node_modules/lucide-static/LICENSE "$to/licenses/lucide.txt"
cp node_modules/simple-icons/LICENSE.md "$to/licenses/simple-icons.md"
for name in "${icons[@]}"; do
  cp "node_modules/lucide-static/icons/$name.svg" "$to/icons/$name.svg"
done
for name in "${marks[@]}"; do # titles would be shown beside the names that the pages have
  sed 's|<title>[^<]*</title>||' "node_modules/simple-icons/icons/$name.svg" >"$to/marks/$name.svg"
done
mv "$to/marks/google.svg" "$to/marks/googlebusiness.svg"
