#!/usr/bin/env bash
# Installs the packages of the machine that a task needs. It contains the only list of them. Every make target that
# needs a package calls this script, directly or through devstack.
#
#   tools/install.sh GROUP…          installs missing packages; prints nothing if none is missing
#   tools/install.sh --list GROUP…   prints the packages of the groups, one per line
#
# It installs as root on Debian and Ubuntu. Otherwise it fails and names the missing packages.
set -euo pipefail

# Group, Debian package, and the package's contents: programs in PATH or patterns of absolute paths. All of them must
# exist; of names separated by "|", one must exist. The group engine is for the root file system that deploy/containers
# creates, and has the names of Debian 13.
packages='
make        make              make
compiler    build-essential   gcc /usr/include/stdlib.h
postgresql  postgresql        /usr/lib/postgresql/*/bin/initdb|initdb
clock       faketime          /usr/lib/*/faketime/libfaketime.so.1
media       ffmpeg            ffmpeg ffprobe
media       fonts-urw-base35  /usr/share/fonts/*/urw-base35
media       libheif-examples  heif-info heif-convert
media       poppler-data      /usr/share/poppler/cMap
media       poppler-utils     pdfinfo pdftoppm
node        nodejs            node
node        npm               npm
python      python3           python3
python      openssl           openssl
php         php-cli           php
curl        curl              curl
chromium    chromium          chromium|google-chrome
systemd     systemd           systemd-analyze
chroot      debootstrap       debootstrap
metrics     prometheus        prometheus promtool
rival       redis-server      redis-server
rival       rabbitmq-server   /usr/lib/rabbitmq/bin/rabbitmq-server
engine      docker.io         dockerd
engine      docker-cli        docker
engine      docker-compose    /usr/libexec/docker/cli-plugins/docker-compose
engine      docker-buildx     /usr/libexec/docker/cli-plugins/docker-buildx
engine      containerd        containerd
engine      runc              runc
engine      iptables          iptables
engine      iproute2          ip
'
root=${MACHINE_ROOT:-} # tests put another folder before absolute paths

rows() { # GROUP…  prints the rows of the groups
  local group
  for group in "$@"; do
    if ! grep "^$group " <<<"$packages"; then
      echo "$0: there is no group $group" >&2
      exit 2
    fi
  done
}

present() { # CHECK  succeeds if one of the alternatives exists
  local names name
  IFS='|' read -ra names <<<"$1"
  for name in "${names[@]}"; do
    case $name in
      /*) ! compgen -G "$root$name" >/dev/null || return 0 ;;
      *) ! command -v "$name" >/dev/null || return 0 ;;
    esac
  done
  return 1
}

missing() { # GROUP…  prints the missing packages
  local package checks check
  while read -r _ package checks; do
    set -f # prevents expansion of the pattern
    for check in $checks; do
      present "$check" || { echo "$package"; break; }
    done
    set +f
  done <<<"$rows"
}

# without_cluster prevents Debian from creating and starting its own database cluster.
without_cluster() {
  local config=$root/etc/postgresql-common/createcluster.conf
  [ ! -e "$config" ] || return 0
  mkdir -p "${config%/*}"
  echo 'create_main_cluster = false' >"$config"
}

# without_units prevents Debian from starting the units of a package.
without_units() { # UNIT…
  local unit
  for unit in "$@"; do
    unit=$root/etc/systemd/system/$unit
    [ ! -e "$unit" ] || continue
    mkdir -p "${unit%/*}"
    ln -sf /dev/null "$unit"
  done
}

install() { # PACKAGE…
  echo "installing $*"
  case " $* " in *' postgresql '*) without_cluster ;; esac
  case " $* " in *' prometheus '*) without_units prometheus.service ;; esac
  case " $* " in *' redis-server '*) without_units redis-server.service ;; esac
  # epmd is the name server of Erlang, in which RabbitMQ is written.
  case " $* " in *' rabbitmq-server '*) without_units rabbitmq-server.service epmd.service epmd.socket ;; esac
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >/dev/null
  apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold "$@" >/dev/null
}

case ${1:-} in
  '')
    echo "usage: $0 [--list] GROUP…" >&2
    exit 2
    ;;
  --list)
    rows=$(rows "${@:2}")
    while read -r _ package _; do echo "$package"; done <<<"$rows"
    exit
    ;;
esac
rows=$(rows "$@")
mapfile -t lacking < <(missing)
[ ${#lacking[@]} -gt 0 ] || exit 0
if ! command -v apt-get >/dev/null; then
  echo "missing: ${lacking[*]} (names of Debian's packages); install them with the package manager of this machine" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "missing: ${lacking[*]}; run: sudo apt-get install -y ${lacking[*]}" >&2
  exit 1
fi
exec 9<"$root/var/lib/dpkg" # one installation at a time
flock 9
mapfile -t lacking < <(missing) # another process may have installed them
[ ${#lacking[@]} -gt 0 ] || exit 0
install "${lacking[@]}" 9<&-
