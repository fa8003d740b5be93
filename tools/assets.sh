#!/usr/bin/env bash
# Copies the scripts, icons, emoji and the typeface that the application serves from npm packages, in the versions of tools/assets, to
# services/console/internal/frame/assets/npm, the marks of networks to services/internal/marks/npm, and the typeface of reports to
# services/internal/report/fonts, or to the folders given as the arguments. tools/generate.sh calls it.
set -euo pipefail
cd "$(dirname "$0")/assets"
root=$(cd ../.. && pwd)
to=${1:-$root/services/console/internal/frame/assets/npm}
marksto=${2:-$root/services/internal/marks/npm}
fonts=${3:-$root/services/internal/report/fonts}

"$root/tools/install.sh" node
installed=node_modules/.package-lock.json # npm writes it last
if [ ! -e "$installed" ] || [ package.json -nt "$installed" ] || [ package-lock.json -nt "$installed" ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
  touch "$installed"
fi

icons=(
  alarm-clock archive archive-restore arrow-down arrow-left arrow-right arrow-up arrow-up-to-line at-sign bell bookmark
  building-2 calendar calendar-clock calendar-days chart-no-axes-column check chevron-down chevron-left chevron-right chevron-up
  chevrons-left-right chevrons-up-down circle-alert circle-check circle-question-mark clock cloud-check cloud-off code columns-3
  contact-round copy copy-plus download ellipsis external-link eye eye-off file-text file-warning film fingerprint-pattern flame
  globe grip-vertical hash heading heart history image image-plus images inbox key keyboard layers-2 lightbulb link link-2
  list-filter list-ordered loader log-out mail megaphone menu message-circle monitor move octagon-pause panels-top-left pause
  pen-line pencil play plug plus quote radio recycle refresh-cw repeat-2 rotate-cw rss scissors scroll-text search send settings
  share-2 shield-check shopping-bag shuffle smartphone smile snowflake star sticky-note sun tag text-align-start text-quote
  thermometer thumbs-down thumbs-up ticket-percent timer trash-2 triangle-alert undo-2 upload user user-plus users video webhook
  x zap
)
marks=(bluesky facebook google instagram mastodon pinterest telegram threads tiktok whatsapp x youtube)

rm -rf "$to" "$marksto"
mkdir -p "$to/icons" "$marksto" "$to/licenses"
cp node_modules/htmx.org/dist/htmx.min.js "$to/htmx.min.js"
cp node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2 "$to/inter.woff2"
cp node_modules/@fontsource-variable/inter/LICENSE "$to/licenses/inter.txt"
cp node_modules/gemoji/license "$to/licenses/gemoji.txt"
cp node_modules/htmx.org/LICENSE "$to/licenses/htmx.txt"
cp node_modules/lucide-static/LICENSE "$to/licenses/lucide.txt"
cp node_modules/simple-icons/LICENSE.md "$to/licenses/simple-icons.md"
for name in "${icons[@]}"; do
  cp "node_modules/lucide-static/icons/$name.svg" "$to/icons/$name.svg"
done
# Names and characters of emoji, by group, for a module that loads them when it needs them.
node --input-type=module >"$to/emoji.js" <<'EOF'
import { gemoji } from './node_modules/gemoji/index.js';

const groups = new Map();
for (const { emoji, names, description, category } of gemoji) {
  groups.set(category, [...(groups.get(category) ?? []), [emoji, description, ...names]]);
}
console.log('// Emoji by group: the character, its description and its short names. From gemoji (MIT, licenses/gemoji.txt).');
console.log(`/** @type {[string, string[][]][]} */\nexport const groups = ${JSON.stringify([...groups]).replaceAll('],[', '],\n[')};`);
EOF
for name in "${marks[@]}"; do # titles would be shown beside the names that the pages have
  sed 's|<title>[^<]*</title>||' "node_modules/simple-icons/icons/$name.svg" >"$marksto/$name.svg"
done
mv "$marksto/google.svg" "$marksto/googlebusiness.svg"

mkdir -p "$fonts"
cp node_modules/dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf node_modules/dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf "$fonts/"
cp node_modules/dejavu-fonts-ttf/LICENSE "$fonts/dejavu.txt"
