#!/usr/bin/env bash
# Tests the signatures of webhooks with independent verifiers: the examples of docs/examples/receiver in Go, TypeScript,
# Python and PHP, and the reference libraries of Standard Webhooks in the same languages. Each runs
# docs/examples/receiver/vectors.json. The examples' receivers also receive real deliveries. The script prints one line
# per check, and the reasons of failures. `make check-receivers` calls it.
#
# The versions are those of the lock files.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$root/.bin/receivers
vectors=$root/docs/examples/receiver/vectors.json
examples=$root/docs/examples/receiver
checks=$root/tools/receivers
export GOWORK=off GOFLAGS=-trimpath PYTHONDONTWRITEBYTECODE=1

# installed FOLDER NAME copies a folder to .bin/receivers/NAME and installs the packages of its lock file there.
installed() {
  mkdir -p "$work/$2"
  (cd "$1" && find . -maxdepth 1 -type f -exec cp -p {} "$work/$2/" \;)
  cd "$work/$2" || return
  local marker=node_modules/.package-lock.json # npm writes it last
  if [ ! -e "$marker" ] || ! cmp -s package-lock.json .installed; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || return
    cp package-lock.json .installed
  fi
}

failed=0
# check NAME COMMAND… prints one line, and the command's output if it fails.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf '%-32s %s\n' "$name" "$(tail -n 1 <<<"$output")"
  else
    printf '%-32s FAILED\n%s\n' "$name" "$output"
    failed=1
  fi
}

free_port() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'; }

go_vectors() { # FOLDER FILE… runs a test that prints the number of vectors
  local folder=$1 output
  shift
  cd "$folder" || return
  output=$(VECTORS=$vectors go test -count=1 -v "$@") || { echo "$output"; return 1; }
  sed -nE 's/.*: ([0-9]+ vectors)$/\1, 0 wrong/p' <<<"$output"
}

go_live() {
  mkdir -p "$work" && cd "$examples/go" && go build -o "$work/receiver" main.go verify.go || return
  local port
  port=$(free_port)
  node "$checks/live.mjs" "$port" "$work/receiver" -addr "127.0.0.1:$port"
}

typescript() { # check | vectors | live
  installed "$examples/typescript" typescript || return
  case $1 in
    check) npm run --silent check && echo "type-checked by TypeScript $(node -p 'require("./node_modules/typescript/package.json").version')" ;;
    vectors) npm run --silent build && node dist/vectors.js "$vectors" ;;
    live) live node dist/server.js ;;
  esac
}

live() { # COMMAND… that takes the port as its last argument
  local port
  port=$(free_port)
  node "$checks/live.mjs" "$port" "$@" "$port"
}

php_live() {
  local port
  port=$(free_port)
  node "$checks/live.mjs" "$port" php -q -S "127.0.0.1:$port" "$examples/php/server.php"
}

reference_npm() { installed "$checks" standard && node standard.mjs "$vectors"; }

library=github.com/standard-webhooks/standard-webhooks/libraries

tools/install.sh node python php # Node.js 18.17 or newer, Python 3.9, PHP 8.1

check "go: vectors" go_vectors "$examples/go" verify.go verify_test.go
check "go: receiver" go_live
check "typescript: types" typescript check
check "typescript: vectors" typescript vectors
check "typescript: receiver" typescript live
check "python: vectors" python3 "$examples/python/vectors.py"
check "python: receiver" live python3 "$examples/python/server.py"
check "php: vectors" php "$examples/php/vectors.php"
check "php: receiver" php_live

check "standardwebhooks (npm)" reference_npm
check "standardwebhooks (Go)" go_vectors "$checks" .
folder=$(cd "$checks" && go mod download "$library" && go list -m -f '{{.Dir}}' "$library")
check "standardwebhooks (Python)" python3 "$checks/standard.py" "$folder/python" "$vectors"
check "standardwebhooks (PHP)" php "$checks/standard.php" "$folder/php" "$vectors"
exit "$failed"
