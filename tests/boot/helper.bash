# SPDX-License-Identifier: MIT
# What the boot tests share. Each test's machine lives in $vm; tools/vm says what its environment is.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$top" || return
	efi=build/BOOTX64.EFI
	vm=$BATS_TEST_TMPDIR/vm
	export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null
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
	printf '%s\n' 'profile = smoke' 'probes = clock' 'finish = poweroff' "$@" >"$vm/anechoic.cfg"
	put "$vm/anechoic.cfg" /anechoic.cfg
}

put() { # FILE PATH
	mcopy -o -i "$vm/disk.img@@1M" "$1" "::$2"
}

# boot [SECONDS [QEMU ARGUMENT...]]: runs the machine to its end; the exit code is in $code, its serial
# line in $vm/serial.log, as a person sees it in $vm/console.
boot() {
	local seconds=${1:-90}
	shift $(($# > 0))
	code=0
	timeout -k 2 "$seconds" tools/vm "$vm" "$@" >"$vm/serial.log" 2>"$vm/qemu.log" || code=$?
	build/readable <"$vm/serial.log" >"$vm/console"
	echo "--- tools/vm: exit code $code"
	tail -40 "$vm/console" "$vm/qemu.log"
}

# results: copies \results\ of the disk to $vm/results.
results() {
	rm -rf "$vm/results"
	mkdir -p "$vm/results"
	mcopy -n -i "$vm/disk.img@@1M" '::/results/*' "$vm/results/" 2>/dev/null || true
	ls -l "$vm/results"
}

# complete ROOM [COUNT]: there are that many results of the room (1), each one run, complete.
complete() {
	local files=("$vm"/results/*-"$1".ndjson)
	[ -f "${files[0]}" ] || { echo "no result of room $1"; return 1; }
	[ ${#files[@]} = "${2:-1}" ] || { echo "${#files[@]} results of room $1, not ${2:-1}"; return 1; }
	python3 tests/cli/check_result.py "${files[@]}" complete
}

# absent ROOM: there is no result of the room.
absent() {
	refute ls "$vm"/results/*-"$1".ndjson 2>/dev/null
}

# said TEXT: the console showed it.
said() {
	grep -qF -- "$1" "$vm/console" || { echo "the console did not say: $1"; return 1; }
}
