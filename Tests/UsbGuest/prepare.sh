#!/bin/sh
# Creates the files that a guest boots from Debian's packages, without installing the packages: prepare.sh FOLDER
#
# FOLDER/vmlinuz is Debian's kernel, and FOLDER/usbtest.ko is its module for tests of USB devices.
# FOLDER/initramfs contains busybox, the modules that the guest loads, the modules' dependencies, and `init`.
set -eu
folder=$1
here=$(dirname "$(realpath "$0")")
modules="virtio_pci 9pnet_virtio 9p vhci-hcd cdc-acm usb-storage sd_mod vfat nls_cp437 nls_ascii nls_utf8 uinput evdev joydev snd-virmidi"
modules="$modules i2c-tiny-usb st_accel_i2c st_lsm6dsx_i2c"

mkdir -p "$folder/packages"
cd "$folder"
# Downloads the newest kernel of the release and names the file after the version.
kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
for package in "$kernel" busybox-static; do
    ls packages/"$package"_*.deb >/dev/null 2>&1 || (cd packages && apt-get download -qq "$package")
done
rm -rf unpacked root
for package in packages/"$kernel"_*.deb packages/busybox-static_*.deb; do
    dpkg-deb -x "$package" unpacked
done
busybox=$PWD/unpacked/bin/busybox
version=${kernel#linux-image-}
tree=lib/modules/$version
"$busybox" depmod -b unpacked "$version"

# Prints the files of the named modules and of the modules' dependencies.
files_of() {
    for module in "$@"; do
        sed -n "s|^\(kernel/.*/$module\.ko\):|\1|p" "unpacked/$tree/modules.dep" | tr ' ' '\n'
    done | sort -u | sed '/^$/d'
}

mkdir -p root/bin root/proc root/sys root/dev root/host
for file in $(files_of $modules); do
    mkdir -p "root/$tree/${file%/*}"
    cp "unpacked/$tree/$file" "root/$tree/$file"
done
"$busybox" depmod -b root "$version"
echo "$modules" >root/modules
cp "$busybox" root/bin
cp "$here/init" root/init
chmod 755 root/init
(cd root && find . | "$busybox" cpio -o -H newc 2>/dev/null | gzip) >initramfs
cp "unpacked/boot/vmlinuz-$version" vmlinuz
cp "unpacked/$tree/kernel/drivers/usb/misc/usbtest.ko" .
rm -rf unpacked root
