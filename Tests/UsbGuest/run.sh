#!/bin/sh
# Runs a command of this computer in a guest with Debian's kernel, and prints its output:
# run.sh PREPARED-FOLDER COMMAND
#
# The command has read-only access to the files of this computer. The exit status of the command is the exit status of
# this script. The script ends a guest that has not ended after LIMIT_S seconds. With STEADY=yes, the guest has one
# processor that executes one instruction per nanosecond of guest time, so that times in the guest do not depend on the
# load of this computer.
set -eu
folder=$1
command=$2
LIMIT_S=${LIMIT_S:-300}
case ${STEADY:-} in
yes) processors="-accel tcg,thread=single -icount shift=0,sleep=off -smp 1" ;;
*) processors="-accel tcg,thread=multi -smp 2" ;;
esac
output=$folder/output

# KVM is not used, because it often does not work in the virtual machines of continuous integration.
# shellcheck disable=SC2086
timeout --kill-after=5 "$LIMIT_S" qemu-system-x86_64 $processors -m 1024 \
    -nodefaults -no-user-config -display none -serial stdio -no-reboot \
    -kernel "$folder/vmlinuz" -initrd "$folder/initramfs" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    -append "console=ttyS0 loglevel=1 panic=-1 GUEST_FOLDER=$PWD GUEST_PATH=$PATH \"GUEST_COMMAND=$command\"" \
    </dev/null | tr -d '\r' | tee "$output" | sed -u '/^guest: /,$d'
status=$(sed -n 's/^guest: ended with status //p' "$output")
[ -n "$status" ] || echo "the guest has not ended within $LIMIT_S s: $output" >&2
exit "${status:-1}"
