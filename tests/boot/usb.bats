#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools/usb, on disks that are files described by a /sys and a /proc of our own.

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	export IMAGE=$BATS_TEST_TMPDIR/image SYSFS=$BATS_TEST_TMPDIR/sys PROC=$BATS_TEST_TMPDIR/proc CONFIRM=yes
	stick=$BATS_TEST_TMPDIR/sdx
	sys=$SYSFS/class/block/sdx
	# A GPT of any kind: the script moves its second header.
	truncate -s 4M "$IMAGE"
	sgdisk --new=1:2048:4000 "$IMAGE" >/dev/null
	truncate -s 16M "$stick"
	mkdir -p "$sys/sdx1/holders" "$sys/holders" "$sys/device" "$PROC/self"
	echo 1 >"$sys/removable"
	echo 0 >"$sys/ro"
	echo 8:16 >"$sys/dev"
	echo 8:17 >"$sys/sdx1/dev"
	echo $((16 * 2048)) >"$sys/size"
	echo "Maker   " >"$sys/device/vendor"
	echo "22 28 0:20 / /proc rw - proc proc rw" >"$PROC/self/mountinfo"
	echo "Filename Type Size Used Priority" >"$PROC/swaps"
}

refused() { # because
	echo "$output"
	[ "$status" = 1 ]
	[[ $output == *"$1"*"nothing was written"* ]]
	cmp -s -n 16777216 "$stick" /dev/zero # untouched
}

@test "writes the image, reads it back and moves the second GPT to the end" {
	run tools/usb "$stick"
	echo "$output"
	[ "$status" = 0 ]
	[[ $output == *Maker*"16 MB"*"read back"* ]]
	# All but the first header (which now names the new end) is the image.
	cmp -i 1024 -n $((4000 * 512 - 1024)) "$IMAGE" "$stick"
	run sgdisk -v "$stick"
	[[ $output == *"No problems found"* ]]
}

@test "asks, and takes only yes" {
	unset CONFIRM
	run bash -c "echo no | tools/usb '$stick'"
	refused "not confirmed"
	run bash -c "tools/usb '$stick' </dev/null"
	refused "not confirmed"
	run bash -c "echo yes | tools/usb '$stick'"
	[ "$status" = 0 ]
}

@test "refuses no device, a missing one and one that is no disk" {
	run tools/usb
	refused "say which"
	run tools/usb /dev/there-is-none
	refused "there is no"
	rm -r "$sys"
	run tools/usb "$stick"
	refused "is not a disk"
	SYSFS=/sys run tools/usb "$stick"
	refused "is not a disk"
}

@test "refuses a partition" {
	echo 1 >"$sys/partition"
	run tools/usb "$stick"
	refused "is a partition"
}

@test "refuses a disk that is not removable" {
	echo 0 >"$sys/removable"
	run tools/usb "$stick"
	refused "not removable"
}

@test "refuses a write-protected disk" {
	echo 1 >"$sys/ro"
	run tools/usb "$stick"
	refused "write-protected"
}

@test "refuses a disk that is too small" {
	echo 2048 >"$sys/size"
	run tools/usb "$stick"
	refused "has 1048576 bytes, the image 4194304"
}

@test "refuses a disk that is mounted, itself or a partition of it" {
	echo "30 28 8:17 / /media/stick rw - vfat /dev/sdx1 rw" >>"$PROC/self/mountinfo"
	run tools/usb "$stick"
	refused "sdx1 is mounted on /media/stick"
	echo "30 28 8:16 / /mnt rw - vfat /dev/sdx rw" >"$PROC/self/mountinfo"
	run tools/usb "$stick"
	refused "sdx is mounted on /mnt"
}

@test "refuses a disk that is swapped to or held by another device" {
	echo "/dev/sdx1 partition 100 0 -2" >>"$PROC/swaps"
	run tools/usb "$stick"
	refused "swapping"
	echo "Filename" >"$PROC/swaps"
	mkdir -p "$sys/sdx1/holders/dm-0"
	run tools/usb "$stick"
	refused "sdx1 is in use by dm-0"
}
