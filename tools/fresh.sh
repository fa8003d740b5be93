#!/usr/bin/env bash
# Performs the first steps on a fresh machine: a debootstrap chroot with only Go, make and git. `make check-fresh` calls it,
# as root on Debian or Ubuntu.
#
#   tools/fresh.sh         make run, the first post, make stop; then make test
#   tools/fresh.sh run     the part before make test
#   tools/fresh.sh test    make test alone, on a machine on which nothing ran before
#
# The chroot gets the last commit without uncommitted changes. It uses this machine's network, package mirror and Go
# module proxy, but none of its files. CACHE=1 shares this machine's Go caches, read-write, which saves about half an
# hour. At the end, the script deletes all files and ends every process of the chroot.
set -euo pipefail
cd "$(dirname "$0")/.."

# inside runs in the chroot, in the checkout.
inside() {
  case $1 in
    '') first_post && make test ;;
    run) first_post ;;
    test) make test ;;
  esac
}

# member prints the value of the first JSON field with this name in standard input.
member() { grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# api METHOD PATH [BODY] prints the API's response, including its header. A fresh machine has no curl.
api() {
  local url key address
  url=$(member apiUrl <.run/dev.json) key=$(member apiKey <.run/dev.json)
  address=${url#http://}
  exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
  printf '%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "$1" "$2" "$address" "$key" "${#3}" "$3" >&3
  cat <&3
  exec 3>&-
}

# first_post starts everything, publishes a post through the API, and stops everything.
first_post() {
  local channel post response
  # Separate ports, because another stack may run on this machine.
  make run PORT_BASE=23000 &
  local run=$!
  until [ -e .run/dev.json ]; do
    kill -0 "$run" || return
    sleep 1
  done
  channel=$(grep -B 1 '"type": "THREADS"' .run/dev.json | member id)
  response=$(api POST /v1/posts '{"channelIds": ["'"$channel"'"], "content": "Hello from a fresh machine", "schedule": "now"}')
  post=$(member id <<<"$response")
  for _ in $(seq 60); do
    response=$(api GET "/v1/posts/$post" '')
    [ "$(member status <<<"$response")" != PUBLISHED ] || break
    sleep 1
  done
  if [ "$(member status <<<"$response")" != PUBLISHED ]; then
    printf 'the first post was not published:\n%s\n' "$response" >&2
    return 1
  fi
  echo "the first post is published: $(member postUrl <<<"$response")"
  make stop && wait "$run"
}

# debian creates the machine's files.
debian() {
  local codename mirror
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # If no mirror is configured, debootstrap uses its default.
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]*/(debian|ubuntu)/?( |$)' | head -n 1 || true)
  # The certificates are those of this machine: its mirror and proxy may use a private certificate authority.
  debootstrap --variant=minbase --include=make,git,ca-certificates "$codename" "$machine" ${mirror:+"${mirror% }"} >"$machine.log" ||
    { tail -n 20 "$machine.log" >&2; return 1; }
  cp /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
  cp /etc/resolv.conf /etc/hosts "$machine/etc/"
  apt-config dump | grep -E '^Acquire::(http|https|ftp|Check)' >"$machine/etc/apt/apt.conf.d/90machine" || true
}

# enter mounts the required file systems in a mount namespace that ends with this process, makes the machine its root,
# and continues there. It uses pivot_root instead of chroot, because within a chroot Linux refuses the user namespaces
# in which media files are opened.
enter() {
  mount --bind "$machine" "$machine"
  mkdir -p "$machine/usr/local/go" "$machine/root/go/pkg/mod" "$machine/root/.cache/go-build"
  mount --bind -o ro "$(go env GOROOT)" "$machine/usr/local/go"
  mount -t proc proc "$machine/proc"
  mount --rbind /sys "$machine/sys"
  mount --rbind /dev "$machine/dev"
  if [ -n "${CACHE:-}" ]; then
    mount --bind "$(go env GOMODCACHE)" "$machine/root/go/pkg/mod"
    mount --bind "$(go env GOCACHE)" "$machine/root/.cache/go-build"
  fi
  local environment=(
    HOME=/root TERM=dumb PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    GOPROXY="$(go env GOPROXY)" GOSUMDB="$(go env GOSUMDB)" GOTOOLCHAIN="$(go env GOTOOLCHAIN)"
    ${http_proxy+http_proxy="$http_proxy"} ${https_proxy+https_proxy="$https_proxy"}
  )
  mkdir -p "$machine/mnt/before"
  cd "$machine"
  pivot_root . mnt/before
  cd /
  umount --lazy /mnt/before
  exec env -i "${environment[@]}" /src/tools/fresh.sh --inside "$part"
}

clean_up() { rm -rf --one-file-system "$machine" "$machine.log"; }

case ${1:-} in
  --inside)
    inside "$2"
    exit
    ;;
  --enter)
    machine=$2 part=$3
    enter
    ;;
  '' | run | test) part=${1:-} ;;
  *)
    echo "usage: $0 [run | test]" >&2
    exit 2
    ;;
esac
tools/install.sh chroot
[ -z "$(git status --porcelain)" ] || echo "uncommitted changes are excluded" >&2
machine=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-XXXXXX")
trap clean_up EXIT
echo "creating a machine in $machine"
debian
chmod 755 "$machine"
git clone -q "file://$PWD" "$machine/src"
begin=$SECONDS
unshare --mount --pid --fork --kill-child "$0" --enter "$machine" "$part"
echo "fresh machine: ${part:-run and test} done in $((SECONDS - begin)) s"
