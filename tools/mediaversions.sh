#!/usr/bin/env bash
# Runs the tests of mediabox with the FFmpeg, libheif and Poppler of each Debian release on which the service runs, with
# present security updates. `make check-media-versions` calls it, as root on Debian or Ubuntu.
#
#   tools/mediaversions.sh [RELEASE…]   bookworm and trixie by default
#
# Each release is a debootstrap root file system, which the script deletes at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

# enter makes the machine the root of a mount namespace and runs the tests there. It uses pivot_root instead of chroot,
# because within a chroot Linux refuses the user namespaces in which media files are opened.
enter() {
  mount --bind "$machine" "$machine"
  mount -t proc proc "$machine/proc"
  mount --rbind /sys "$machine/sys"
  mount --rbind /dev "$machine/dev"
  cd "$machine"
  mkdir -p mnt/before
  pivot_root . mnt/before
  cd /tests
  umount --lazy /mnt/before
  dpkg-query -W ffmpeg libheif1 poppler-utils
  exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin ./mediabox.test -test.timeout 10m
}

if [ "${1:-}" = --enter ]; then
  machine=$2
  enter
fi
tools/install.sh chroot
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/media-XXXXXX")
trap 'rm -rf --one-file-system "$folder"' EXIT
chmod 755 "$folder"
mirror=http://deb.debian.org
keys=/usr/share/keyrings/debian-archive-keyring.gpg
CGO_ENABLED=0 go test -c -o "$folder/mediabox.test" ./shared/infra/mediabox
status=0
for release in "${@:-bookworm trixie}"; do
  for name in $release; do
    printf '\n=== mediabox on %s\n' "$name"
    machine=$folder/$name
    debootstrap --variant=minbase --include=ca-certificates --keyring="$keys" "$name" "$machine" "$mirror/debian" >"$machine.log" ||
      { tail -n 20 "$machine.log" >&2; exit 1; }
    cp /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
    cp /etc/resolv.conf /etc/hosts "$machine/etc/"
    apt-config dump | grep -E '^Acquire::(http|https|ftp|Check)' >"$machine/etc/apt/apt.conf.d/90machine" || true
    echo "deb $mirror/debian-security $name-security main" >"$machine/etc/apt/sources.list.d/security.list"
    # The packages of the worker's image, with the decoders that libheif of Debian 13 has in packages of their own.
    mapfile -t packages < <(tools/install.sh --list media)
    [ "$name" = bookworm ] || packages+=(libheif-plugin-libde265 libheif-plugin-dav1d)
    DEBIAN_FRONTEND=noninteractive chroot "$machine" sh -c 'apt-get -q update && apt-get -q -y upgrade && apt-get -q -y install --no-install-recommends "$@"' \
      sh "${packages[@]}" >"$machine.log" 2>&1 || { tail -n 20 "$machine.log" >&2; exit 1; }
    mkdir "$machine/tests"
    cp -r "$folder/mediabox.test" shared/infra/mediabox/mediaboxtest "$machine/tests/"
    unshare --mount --pid --fork --kill-child "$0" --enter "$machine" || status=1
  done
done
exit "$status"
