#!/usr/bin/env bash
# Runs Docker Engine on a Debian machine that has none and reaches no image registry: Debian 13's dockerd, containerd and
# Compose from a debootstrap, in a mount namespace of its own. It needs root, and installs only debootstrap.
#
#   engine.sh up              starts the engine; prints nothing if it runs
#   engine.sh run COMMAND…    runs a command, such as docker compose, beside the engine, in the current folder
#   engine.sh down            stops all containers and the engine, and restores the network's settings
#
# CONTAINERS_HOME (default /var/lib/fencepost-containers) holds the engine, its images and volumes: about 8 GB.
# CONTAINERS_STORAGE=vfs is for file systems on which overlay2 does not work.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
home=${CONTAINERS_HOME:-/var/lib/fencepost-containers}
root=$home/engine

pid() { cat "$home/run/engine.pid" 2>/dev/null; }

# running reports whether the engine responds. The pid alone may belong to another process after a reboot.
running() {
  local pid
  pid=$(pid) && [ -S "$home/run/docker.sock" ] && kill -0 "$pid" 2>/dev/null &&
    [ "$(readlink "/proc/$pid/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ] && run docker version >/dev/null 2>&1
}

run() {
  nsenter --mount --target "$(pid)" env -i HOME=/root TERM="${TERM:-dumb}" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DOCKER_HOST=unix:///run/host/docker.sock bash -c 'cd "$1" && shift && exec "$@"' - "$PWD" "$@"
}

mirror() { apt-get indextargets --format '$(REPO_URI)' | head -n 1; }

# create makes the engine's root file system.
create() {
  [ ! -e "$root/.ready" ] || return 0
  local packages
  "$checkout/tools/install.sh" chroot
  mapfile -t packages < <("$checkout/tools/install.sh" --list engine)
  echo "creating the engine in $root" >&2
  [ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase --include=ca-certificates trixie "$root" "$(mirror)" >"$home/debootstrap.log" ||
    { tail -n 20 "$home/debootstrap.log" >&2; return 1; }
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  cp /etc/resolv.conf "$root/etc/"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no package starts a service
  chmod +x "$root/usr/sbin/policy-rc.d"
  DEBIAN_FRONTEND=noninteractive chroot "$root" sh -ec 'apt-get update -qq
    apt-get -o Dpkg::Options::=--force-unsafe-io install -qqy --no-install-recommends "$@"' - "${packages[@]}" >"$home/packages.log" 2>&1 ||
    { tail -n 20 "$home/packages.log" >&2; return 1; }
  touch "$root/.ready"
}

# enter continues in the engine's root file system, in a mount namespace that ends with the engine. The checkout and
# CONTAINERS_HOME have the same paths as on the machine, so that Compose mounts their files.
enter() {
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  mkdir -p "$root/run/host" "$root/run/lock" "$root/mnt/before"
  mount --bind "$home/run" "$root/run/host"
  local shared
  for shared in "$checkout" "$home/share"; do
    mkdir -p "$root$shared"
    mount --rbind "$shared" "$root$shared"
  done
  cp /etc/resolv.conf "$root/etc/"
  cd "$root"
  pivot_root . mnt/before
  cd /
  umount --lazy /mnt/before
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin
  if ! iptables -t nat -L >/dev/null 2>&1; then # the kernel has no nftables
    update-alternatives --set iptables /usr/sbin/iptables-legacy
    update-alternatives --set ip6tables /usr/sbin/ip6tables-legacy
  fi
  # What "down" restores; the engine changes both.
  [ -s /run/host/iptables ] || iptables-save >/run/host/iptables
  [ -s /run/host/forward ] || cat /proc/sys/net/ipv4/ip_forward >/run/host/forward
  exec dockerd --host unix:///run/host/docker.sock --data-root /var/lib/docker --exec-root /run/docker --pidfile /run/docker.pid \
    --exec-opt native.cgroupdriver=cgroupfs --storage-driver "${CONTAINERS_STORAGE:-overlay2}"
}

up() {
  mkdir -p "$home/run" "$home/share"
  exec 8>"$home/lock"
  flock 8
  ! running || return 0
  create 8>&-
  rm -f "$home/run/docker.sock"
  setsid unshare --mount "$here/engine.sh" --enter >"$home/dockerd.log" 2>&1 </dev/null 8>&- &
  echo $! >"$home/run/engine.pid"
  for _ in $(seq 150); do
    ! running || return 0
    kill -0 "$(pid)" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 40 "$home/dockerd.log" >&2
  return 1
}

down() {
  running || return 0
  local pid bridge
  pid=$(pid)
  run bash -c 'docker ps --quiet | xargs --no-run-if-empty docker stop --time 20 >/dev/null'
  # The tools for network devices are the engine's.
  run bash -c 'ip -o link show type bridge | grep -oE "(docker0|br-[0-9a-f]{12})"' >"$home/run/bridges" || true
  kill -TERM "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
  while read -r bridge; do chroot "$root" ip link delete "$bridge"; done <"$home/run/bridges"
  chroot "$root" iptables-restore <"$home/run/iptables"
  cat "$home/run/forward" >/proc/sys/net/ipv4/ip_forward
  rm -f "$home/run"/{engine.pid,docker.sock,bridges,iptables,forward}
}

[ "$(id -u)" = 0 ] || { echo "$0 must run as root" >&2; exit 1; }
case ${1:-} in
  up | down) "$1" ;;
  run)
    shift
    run "$@"
    ;;
  --enter) enter ;;
  *)
    echo "usage: $0 up | run COMMAND… | down" >&2
    exit 2
    ;;
esac
