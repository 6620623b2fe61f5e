# SPDX-License-Identifier: MIT
# What the boot tests share. Each test's machine lives in $vm; tools/vm says what its environment is.
#
# A file whose tests look at one boot has `one_machine` first in its setup_file: they share that machine.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$top" || return
	efi=build/BOOTX64.EFI
	vm=${shared_vm:-$BATS_TEST_TMPDIR/vm}
	export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
}

one_machine() {
	export shared_vm=$BATS_FILE_TMPDIR/vm
	setup
}

# refute COMMAND...: fails where the command succeeds (a plain ! would not fail a test).
refute() {
	! "$@"
}

# machine [LINE...]: a new disk whose configuration ends in these lines. The run is as short as it can be.
machine() {
	mkdir -p "$vm"
	cp --sparse=always build/anechoic.img "$vm/disk.img"
	configure "$@"
}

# configure [LINE...]: another configuration on the same disk.
configure() {
	printf '%s\n' 'profile = smoke' 'probes = clock' 'finish = poweroff' 'prompt = 0' 'countdown = 0' "$@" \
		>"$vm/anechoic.cfg"
	put "$vm/anechoic.cfg" /anechoic.cfg
}

# provoking LINE...: a machine whose image raises a fault: provoke_bare = ..., see tests/provoke/provoke.c.
provoking() {
	machine "$@"
	put build/provoking.efi /EFI/BOOT/BOOTX64.EFI
}

put() { # FILE PATH
	mcopy -o -i "$vm/disk.img@@1M" "$1" "::$2"
}

# start [QEMU ARGUMENT...]: switches the machine on. Its process is $pid, its serial line $vm/serial.log.
start() {
	rm -f "$vm/monitor"
	: >"$vm/serial.log" # at once: what the last start said must not be awaited again
	tools/vm "$vm" -monitor "unix:$vm/monitor,server,nowait" "$@" \
		>"$vm/serial.log" 2>"$vm/qemu.log" 3>&- &
	pid=$!
}

# A machine that has not ended by then hangs; no test needs this long, however slow the host is.
hang_seconds=${HANG_SECONDS:-900}

# await TEXT [TIMES]: until the serial line has shown it, so often (1).
await() {
	local tenths=$((hang_seconds * 10)) alive=yes
	until [ "$(grep -acF -- "$1" "$vm/serial.log")" -ge "${2:-1}" ]; do
		if [ $alive = no ] || ((tenths-- == 0)); then
			show
			echo "waited in vain for: $1"
			return 1
		fi
		kill -0 "$pid" 2>/dev/null || alive=no # one more look: it may have been the last line
		sleep 0.1
	done
}

# off_at TEXT [TIMES]: cuts the power as soon as the serial line has shown it; then the console is in
# $vm/console.
off_at() {
	await "$@"
	off
	show
}

# off: cuts the power.
off() {
	[ -n "${pid:-}" ] || return 0
	kill -9 "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	pid=
}

teardown() {
	off
}

# press KEY: on the machine's keyboard, by QEMU's name of it.
press() {
	echo "sendkey $1" | socat -t 5 - "unix-connect:$vm/monitor" >/dev/null
}

# boot [QEMU ARGUMENT...]: switches on and waits for the end; the exit code is in $code.
boot() {
	start "$@"
	ends
}

# ends: waits until the machine has switched itself off.
ends() {
	local tenths=$((hang_seconds * 10))
	while kill -0 "$pid" 2>/dev/null && ((tenths-- > 0)); do
		sleep 0.1
	done
	code=124
	if ! kill -0 "$pid" 2>/dev/null; then
		code=0
		wait "$pid" || code=$?
		pid=
	fi
	off
	show
	[ $code = 0 ] || echo "tools/vm: exit code $code (124: it did not end)"
	return $code
}

# show: what a person saw, to $vm/console, and its end to the test's log.
show() {
	build/readable <"$vm/serial.log" >"$vm/console"
	tail -n 40 "$vm/console"
	cat "$vm/qemu.log"
}

# screen [LEFT TOP WIDE HIGH ADVANCE LINE]: the text on the display, to $vm/screen: that of our console, or what
# has such letters (tests/boot/screentext.c).
screen() {
	rm -f "$vm/screen.ppm"
	echo "screendump $vm/screen.ppm" | socat -t 5 - "unix-connect:$vm/monitor" >/dev/null
	build/screentext "$vm/screen.ppm" "$@" | sed 's/ *$//' >"$vm/screen"
	cat "$vm/screen"
}

# results: copies \results\ of the disk to $vm/results.
results() {
	rm -rf "$vm/results"
	mkdir -p "$vm/results"
	mcopy -n -i "$vm/disk.img@@1M" '::/results/*' "$vm/results/" 2>/dev/null || true
	ls -l "$vm/results"
}

# ended STATUS ROOM [COUNT], complete ROOM [COUNT]: there are that many results of the room (1), each one
# run that ended so.
ended() {
	local status=$1 file
	shift
	local files=("$vm"/results/*-"$1".ndjson)
	[ -f "${files[0]}" ] || { echo "no result of room $1"; return 1; }
	[ ${#files[@]} = "${2:-1}" ] || { echo "${#files[@]} results of room $1, not ${2:-1}"; return 1; }
	for file in "${files[@]}"; do
		python3 tests/cli/check_result.py "$file" "$status"
	done
}

complete() {
	ended complete "$@"
}

# serial_result ROOM: the same of what came over the serial line, on which the run line is repeated; to
# $vm/serial-ROOM.ndjson.
serial_result() {
	[ "$(grep -ac "{\"kind\":\"run\",\"room\":\"$1\"" "$vm/serial.log")" -ge 2 ] ||
		{ echo "the run line is not repeated on the serial line"; return 1; }
	build/anechoic import --serial "$vm/serial.log" --out "$vm/serial.ndjson"
	grep "\"room\":\"$1\"" "$vm/serial.ndjson" >"$vm/serial-$1.ndjson"
	python3 tests/cli/check_result.py "$vm/serial-$1.ndjson" complete
}

# first_of ROOM MEMBER: a member of the room's run line, as jq prints it.
first_of() {
	head -n 1 "$vm"/results/*-"$1".ndjson | jq -c ".$2"
}

# absent ROOM: there is no result of the room.
absent() {
	refute ls "$vm"/results/*-"$1".ndjson 2>/dev/null
}

# said TEXT: the console showed it.
said() {
	grep -qF -- "$1" "$vm/console" || { echo "the console did not say: $1"; return 1; }
}

# narrow: no line of the console has more than 80 columns. The firmware's own are not ours to judge,
# and the text of the card's QR code is one line, for `import --qr`.
narrow() {
	awk '/BdsDxe: / { ours = 0 } /^anechoic/ { ours = 1 } ours && length > 80 && !/^ANECHOIC IMPORT --QR /' \
		"$vm/console" >"$vm/long"
	cat "$vm/long"
	[ ! -s "$vm/long" ]
}

# The results of both rooms.
both_complete() {
	results
	complete firmware
	complete bare
}

# The same, after a boot.
both_rooms_complete() {
	boot
	both_complete
}

# rows ROOM PROBE: how many rows the probe has, skipped ones included.
rows() {
	jq -r "select(.probe == \"$2\") | .kind" "$vm"/results/*-"$1".ndjson | grep -c .
}

# some ROOM CONDITION: it holds for a line of the room's result.
some() {
	jq -es "any(.[]; $2)" "$vm"/results/*-"$1".ndjson >/dev/null
}

# rows_of ROOM VARIANT...: there is a row of each of these variants.
rows_of() {
	local room=$1 variant
	shift
	for variant; do
		some "$room" '.kind == "row" and .variant == "'"$variant"'" and .median > 0' ||
			{
				echo "room $room has no row $variant, but:"
				grep "\"variant\":\"$variant\"" "$vm"/results/*-"$room".ndjson
				return 1
			}
	done
}

# It ends by halting; what its console showed is then in $vm/console.
halted() {
	off_at 'finished and halted'
}

both_with_cpus() { # COUNT
	results
	for room in firmware bare; do
		complete $room
		[ "$(first_of $room cpus)" = "$1" ]
		[ "$(first_of $room 'topology | length')" = "$1" ]
	done
}

# What a processor may lack, by QEMU's names. APERF, which TCG does not have, is lacking everywhere.
# Without xsave there is no AVX either; without apic only CPUID says that there is none.
optional_features='nx pdpe1gb pcid pge smep smap x2apic tsc-adjust fsgsbase xsave monitor
	pat mtrr rdtscp mce mca apic'

# lacking FEATURE...: both rooms of a machine whose processors lack these.
lacking() {
	local minus
	printf -v minus ',-%s' "$@"
	machine
	QEMU_CPU=max$minus SMP=2 boot
	both_with_cpus 2
}

# decoy FILE: a disk whose BOOTX64.EFI says "decoy" on COM1 and gives up. A firmware tries the next then.
decoy() {
	local dir=${1%/*}
	cat >"$dir/decoy.S" <<-'END'
		.text
		.globl entry
		entry:	lea text(%rip), %r9
			mov $0x3f8, %edx
		1:	movzbl (%r9), %eax
			inc %r9
			test %al, %al
			jz 2f
			out %al, %dx
			jmp 1b
		2:	mov $0x800000000000000e, %rax
			ret
		.section .loops, "ax"
			nop
		.section .rodata
		text:	.asciz "\n(decoy)\n"
		.section .sbat, "a"
			.ascii "sbat"
		.data
			.quad 0
		.section .reloc, "a"
			.long 0, 12
			.short 0, 0
	END
	gcc -c -o "$dir/decoy.o" "$dir/decoy.S"
	ld -pie --no-dynamic-linker -nostdlib -T linker/image.lds -o "$dir/decoy.elf" "$dir/decoy.o"
	objcopy -O binary -j .header -j .text -j .loops -j .rodata -j .sbat -j .data -j .reloc \
		"$dir/decoy.elf" "$dir/decoy.efi"
	tools/make-image "$1" "$dir/decoy.efi" build/anechoic.cfg
}

# hostile NAME[=N]...: from now on the firmware of the disk misbehaves so (tests/hostile/misbehaviours.def).
# Without a name: no longer.
hostile() {
	mmd -i "$vm/disk.img@@1M" ::/EFI/anechoic 2>/dev/null && put "$efi" /EFI/anechoic/BOOTX64.EFI
	put build/hostile.efi /EFI/BOOT/BOOTX64.EFI
	printf '%s ' "$@" | sed 's/^ *$//' >"$vm/hostile.cfg" # spaces alone are no name
	put "$vm/hostile.cfg" /hostile.cfg
}
