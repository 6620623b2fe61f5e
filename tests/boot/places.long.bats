#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where result files can be written, and what is said where they cannot: no file is promised that no
# start can write.

load helper

# read_only [QEMU ARGUMENT...]: switches on with a medium that cannot be written.
read_only() {
	export DISK=none
	start -drive "if=none,id=disk,format=raw,readonly=on,file=$vm/disk.img" \
		-device virtio-blk-pci,drive=disk,bootindex=1 "$@"
}

@test "a read-only medium: room bare stays on the card and in the variables, over later starts, too" {
	machine 'rooms = bare'
	read_only
	halted
	said 'the boot volume is write-protected'
	said 'Linux on this machine reads it: anechoic import --efivars'
	refute said 'stored: the next start'
	python3 tests/boot/nvram.py "$vm/vars.fd" "$vm/efivars"
	build/anechoic import --efivars="$vm/efivars" --out "$vm/first.ndjson"
	for _ in 1 2 3; do # more than ENTRIES_MAX
		read_only
		halted
		said 'a result waits in EFI variables and stays there'
		said 'room 1 of 1, bare'
	done
	python3 tests/boot/nvram.py "$vm/vars.fd" "$vm/efivars"
	build/anechoic import --efivars="$vm/efivars" --out "$vm/last.ndjson"
	cmp "$vm/first.ndjson" "$vm/last.ndjson"
	DISK=virtio boot # a medium that can be written: the first of them becomes a file
	results
	complete bare
}

@test "a result waits and nothing can be written: its medium is asked for, and taken as it comes" {
	machine 'rooms = bare'
	read_only
	await 'finished and halted'
	off
	configure 'prompt = 3'
	truncate -s 64M "$BATS_TEST_TMPDIR/other.img"
	mformat -i "$BATS_TEST_TMPDIR/other.img" -F ::
	mmd -i "$BATS_TEST_TMPDIR/other.img" ::/results
	read_only -device qemu-xhci -drive "if=none,id=other,format=raw,file=$BATS_TEST_TMPDIR/other.img"
	await 'put in a medium with a folder'
	echo 'device_add usb-storage,drive=other,removable=on' | socat -t 5 - "unix-connect:$vm/monitor" >/dev/null
	sleep 3 # the firmware looks for it once a second
	press ret
	await "The last start's room bare is now in"
	ends
	mkdir -p "$vm/results"
	mcopy -n -i "$BATS_TEST_TMPDIR/other.img" '::/results/*' "$vm/results/"
	complete bare
	refute said 'room 1 of 1, bare'
}

# Lost after room firmware began, as a stick that was drawn out.
@test "a medium that fails from some write on: bare's result stays in the variables" {
	machine 'finish = halt'
	hostile file-fails=3
	start
	halted
	said 'Linux on this machine reads it: anechoic import --efivars'
	python3 tests/boot/nvram.py "$vm/vars.fd" "$vm/efivars"
	build/anechoic import --efivars="$vm/efivars" --out "$vm/first.ndjson"
	serial_result bare
}

@test "a read-only medium, and another volume with \\results: the results go there" {
	machine
	truncate -s 64M "$BATS_TEST_TMPDIR/other.img"
	mformat -i "$BATS_TEST_TMPDIR/other.img" -F ::
	mmd -i "$BATS_TEST_TMPDIR/other.img" ::/results
	read_only -drive "if=none,id=other,format=raw,file=$BATS_TEST_TMPDIR/other.img" \
		-device virtio-blk-pci,drive=other
	wait "$pid"
	pid=
	show
	said 'of another volume'
	mkdir "$vm/results"
	mcopy -i "$BATS_TEST_TMPDIR/other.img" '::/results/*' "$vm/results/"
	complete firmware
	complete bare
}

# EDK2's driver for USB disks resets the port then, and the device does not answer any more.
@test "a USB stick that fails in the first write: its configuration counts, and the run stays on the card" {
	machine 'rooms = firmware' 'finish = firmware'
	file="file.driver=blkdebug,file.image.driver=file,file.image.filename=$vm/disk.img"
	error='file.inject-error.0.event=none,file.inject-error.0.iotype=write,file.inject-error.0.errno=5'
	DISK=none start -drive "if=none,id=disk,format=raw,$file,$error" -device qemu-xhci \
		-device usb-storage,drive=disk,removable=on,bootindex=1
	off_at 'back to the firmware'
	said 'no result file: the boot volume gives errors when it is written'
	said 'profile smoke: 10 s a room; rooms: firmware'
}

@test "a full volume is said to be full, and no empty file stays" {
	machine 'rooms = firmware'
	free=$(mdir -i "$vm/disk.img@@1M" :: | sed -n 's/ bytes free.*//; T; s/[^0-9]//g; p')
	head -c "$free" /dev/zero >"$BATS_TEST_TMPDIR/filler"
	put "$BATS_TEST_TMPDIR/filler" /filler
	boot
	said 'no result file: the boot volume is full'
	results
	absent firmware
}

@test "a file in the place of \\results is named" {
	machine 'rooms = firmware'
	mdeltree -i "$vm/disk.img@@1M" ::/results 2>/dev/null || true
	put "$vm/anechoic.cfg" /results
	boot
	said 'no result file: \results of the boot volume is a file, not a directory'
}

@test "a run that cannot begin leaves no file" {
	machine 'memory = 1'
	boot
	said 'nothing was measured'
	results
	absent firmware
	absent bare
}

# Variables in RAM, which a reset clears.
@test "a firmware that forgets its variables: the second start says so and stays on the card" {
	export FIRMWARE=forgetful
	machine 'rooms = bare'
	start
	off_at 'this screen is the result'
	said 'variables do not outlive a reset here'
	[ "$(grep -c 'stored: the next start' "$vm/console")" = 1 ]
}

@test "a firmware that forgets its variables: no more than three resets in room firmware" {
	export FIRMWARE=forgetful
	machine 'rooms = firmware' 'finish = reset'
	start
	halted
	said 'the last 3 runs ended so'
	results
	complete firmware 4
}

# A result that this start stored would be deleted by the next one, which would measure again, and so on.
@test "store = clear: what waits is deleted, and room bare is for the screen" {
	machine 'rooms = bare'
	read_only
	await 'finished and halted'
	off
	configure 'rooms = bare' 'store = clear' 'finish = halt'
	DISK=virtio start
	halted
	said 'the result that waits in EFI variables is deleted'
	said 'store = clear: the next start would delete it'
	refute said 'will be stored in EFI variables'
	serial_result bare
}
