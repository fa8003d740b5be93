#!/usr/bin/env bash
# Counts the words that the rules of language exclude (CONTRIBUTING.md, Language), in Go files and documentation, and the
# words of the documents that people read from start to end. `make lint` calls it. tools/prose.txt has a line per word: the highest count that passes, and the word as an extended regular expression.
#
#   tools/prose.sh           fails when a count is above its limit, and names the places in files that differ from main
#   tools/prose.sh --write   lowers the limits to the present counts
set -euo pipefail
cd "$(dirname "$0")/.."

limits=tools/prose.txt
files=('*.go' '*.md' ':!*.gen.go' ':!CHANGELOG.md' ':!CONTRIBUTING.md' ':!**/testdata/**' ':!docs/tools.md'
  ':!services/api/internal/httpapi/docs/pages/**') # the last are copies

# count prints the number of occurrences. A match of NoBody is part of http.NoBody.
count() { { git grep -howiE "$1" -- "${files[@]}" || true; } | { grep -cvxE '[Nn]oBody' || true; }; }

status=0 lowered=()
while read -r limit word; do
  found=$(count "$word")
  if [ "$found" -gt "$limit" ]; then
    status=1
    echo "prose: \"$word\" occurs $found times, at most $limit are left: see CONTRIBUTING.md, Language" >&2
    git diff -U0 HEAD -- "${files[@]}" | grep -iwE "^\+.*($word)" >&2 || true
  fi
  lowered+=("$(printf '%5d %s' "$((found < limit ? found : limit))" "$word")")
done <"$limits"
# README.md and docs/*.md are read; docs/reference and docs/adr are looked up.
longest=34600
words=$(cat README.md docs/*.md | wc -w)
if [ "$words" -gt "$longest" ]; then
  status=1
  echo "prose: README.md and docs/*.md have $words words, at most $longest are allowed: shorten them, or move tables to docs/reference" >&2
fi
if [ "${1:-}" = --write ]; then
  printf '%s\n' "${lowered[@]}" >"$limits"
fi
exit "$status"
