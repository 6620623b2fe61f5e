#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make cloud: each image is in the form that its cloud asks for, and, turned back into a disk, measures both
# rooms and switches the machine off without a key. What no test shows: a cloud.

load helper

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	tools/cloud
}

# measured DISK: the machine's disk is $vm/disk.img, and it runs as short as it can.
measured() {
	sgdisk --verify "$vm/disk.img" | grep -F 'No problems found'
	mcopy -n -i "$vm/disk.img@@1M" ::/anechoic.cfg "$vm/anechoic.cfg"
	for line in 'prompt = 0' 'countdown = 0' 'finish = poweroff'; do
		grep -qx "$line" "$vm/anechoic.cfg"
	done
	printf '%s\n' 'profile = smoke' 'probes = clock' >>"$vm/anechoic.cfg"
	put "$vm/anechoic.cfg" /anechoic.cfg
	DISK=$1 boot
	both_complete
}

@test "Google: disk.raw of whole GiB, alone in a tar of format oldgnu" {
	mkdir -p "$vm"
	gzip -dc build/cloud/anechoic-gce.tar.gz >"$vm/image.tar"
	[ "$(tar -tf "$vm/image.tar")" = disk.raw ]
	[ "$(head -c 265 "$vm/image.tar" | tail -c 8 | tr -d '\0')" = 'ustar  ' ] # oldgnu's magic and version
	tar -C "$vm" -xf "$vm/image.tar"
	[ "$(($(stat -c %s "$vm/disk.raw") % (1 << 30)))" = 0 ]
	mv "$vm/disk.raw" "$vm/disk.img"
	measured virtio
}

@test "Azure: a fixed VHD of whole MiB" {
	mkdir -p "$vm"
	[ "$(tail -c 512 build/cloud/anechoic.vhd | head -c 8)" = conectix ]
	[ "$(tail -c 452 build/cloud/anechoic.vhd | head -c 4 | od -An -tx1 | tr -d ' ')" = 00000002 ] # fixed
	[ "$((($(stat -c %s build/cloud/anechoic.vhd) - 512) % (1 << 20)))" = 0 ]
	qemu-img convert -f vpc -O raw build/cloud/anechoic.vhd "$vm/disk.img"
	measured ahci
}

@test "EC2, OCI, VMware: a streamOptimized VMDK" {
	mkdir -p "$vm"
	qemu-img info build/cloud/anechoic.vmdk | grep -F 'create type: streamOptimized'
	qemu-img convert -f vmdk -O raw build/cloud/anechoic.vmdk "$vm/disk.img"
	measured nvme
}
