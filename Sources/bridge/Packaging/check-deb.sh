#!/bin/sh
# Installs a package in a minimal Debian system in a folder, and plays a pattern in this system.
# usage: check-deb.sh PACKAGE ROOT
set -eu
package=$1
root=$2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" "$mirror"
cp "$package" "$root/tmp/haptic-bridge.deb"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
in_root apt-get update -qq
in_root apt-get install -y -qq --no-install-recommends --reinstall /tmp/haptic-bridge.deb
in_root sh -c '! command -v swift'
in_root bridge play --virtual /usr/share/haptic-bridge/patterns/heartbeat.ahap
in_root bridge play --virtual /usr/share/haptic-bridge/patterns/sampler/ball.ahap
in_root bridge actuator list
in_root haptic-bridge actuator list
in_root test -e /usr/lib/udev/rules.d/60-haptic-bridge-gamepad.rules
in_root test -e /usr/lib/udev/rules.d/60-haptic-bridge.rules -a -e /usr/share/man/man1/bridge.1.gz
in_root bash -c '. /usr/share/bash-completion/completions/bridge && complete -p bridge'
echo "the package installs and plays"
