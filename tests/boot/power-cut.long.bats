#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The way of a result from room to file with the power cut.

load helper

# cut_at TEXT: starts the machine, cuts the power as soon as TEXT is seen, and notes what it had
# promised.
cut_at() {
	echo "--- cut at: $1"
	python3 tests/boot/cut_power.py "$vm/serial.log" "$1" tools/vm "$vm" 2>"$vm/qemu.log" 3>&- ||
		{ show; echo "it never came"; return 1; }
	note
}

# Results said to be safe: a file that was read back, and a variable that was stored.
note() {
	show >/dev/null
	sed -n 's/^\\results\\\(.*\) read back, the same.*/\1/p' "$vm/console" >>"$vm/promised"
	sed -n 's/^stored: the next start writes .results.\(.*ndjson\).*/\1/p' "$vm/console" \
		>>"$vm/promised"
}

# nothing_lost: every promised result is there, complete, and room bare's none twice.
nothing_lost() {
	results
	sort -u "$vm/promised" >"$vm/names"
	echo "promised:"
	cat "$vm/names"
	while read -r name; do
		python3 tests/cli/check_result.py "$vm/results/$name" complete
	done <"$vm/names"
	# No room bare twice: each has its own check sum.
	tail -qn 1 "$vm"/results/*-bare.ndjson | jq -r .crc_all | sort | uniq -d >"$vm/doubled"
	[ ! -s "$vm/doubled" ]
}

@test "the power cut at ten points: no finished result is lost, none is doubled" {
	machine 'watchdog = off' # a cut counts as a reset by it, of which there are three in a row at most
	cut_at 'BdsDxe: starting'
	cut_at 'results go to'
	cut_at 'room firmware,'
	cut_at 'read back, the same'
	cut_at 'room bare,'
	# These cuts are in steps that hang on some machines, and the next start tries each again. The
	# text of this one is behind the name that is promised.
	cut_at 'if another system starts now'
	cut_at 'BdsDxe: starting' # the start that would have harvested
	if grep -qF "The last start's room bare" "$vm/console"; then
		echo 'this cut was late: that start has harvested'
	else
		cut_at "The last start's room bare" # the one that did
	fi
	cut_at 'leaving the firmware'
	cut_at 'packed to'
	boot
	note
	[ "$(grep -c firmware "$vm/promised")" -ge 4 ]
	[ "$(grep -c bare "$vm/promised")" -ge 2 ]
	nothing_lost
}

# cut_after BYTES: starts the machine and cuts the power once so much came over the serial line, or
# when it has ended or halted.
cut_after() {
	echo "--- cut after $1 bytes"
	start
	while [ "$(stat -c %s "$vm/serial.log")" -lt "$1" ] && kill -0 "$pid" 2>/dev/null &&
		! grep -qaF 'finished and halted' "$vm/serial.log"; do
		sleep 0.1
	done
	off
	note
	clean_fat
}

# clean_fat: no file's chain or directory entry is damaged. What a cut may leave is the count of free
# clusters from before it (a hint only: Microsoft's FAT specification 1.03, FSI_Free_Count) and
# clusters of a file that was not finished, which belong to none.
clean_fat() {
	dd if="$vm/disk.img" of="$vm/esp.img" bs=1M skip=1 conv=sparse status=none
	fsck.vfat -n "$vm/esp.img" >"$vm/fsck" || true # not 0 for these two as well
	cat "$vm/fsck"
	grep -q "^$vm/esp.img: [0-9]* files, [0-9/]* clusters$" "$vm/fsck"
	refute grep -vE -e '^fsck\.fat ' -e '^Free cluster summary wrong ' -e '^  Auto-correcting\.$' \
		-e '^Reclaimed [0-9]* unused clusters? \([0-9]* bytes\)( in [0-9]* chains)?\.$' \
		-e '^Leaving filesystem unchanged\.$' -e "^$vm/esp.img: " -e '^$' "$vm/fsck"
}

@test "fifty seeded cuts over the whole cycle: nothing lost, nothing doubled, no loop, a clean FAT" {
	local cycle seed=20260101
	machine 'watchdog = off'
	boot
	note
	cycle=$(stat -c %s "$vm/serial.log")
	RANDOM=$seed
	for _ in {1..50}; do
		cut_after $((RANDOM * cycle / 32768))
	done
	configure 'state = clear' # what a cut took for hung is tried again
	boot
	note
	clean_fat
	nothing_lost
}
