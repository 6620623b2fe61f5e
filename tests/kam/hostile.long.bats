#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest: each line of tests/hostile/misbehaviours.def that the known-answer machine has, a second
# each, but for those of hostile-runtime.bats and hostile-storing.bats.

load hostile_helper

# rows: what was measured and what was not, without the values.
rows() {
	jq -r 'select(.kind == "row" or .kind == "skip") | "\(.room) \(.kind) \(.probe) \(.variant)"' "$result"
}

@test "a name that the table does not have is refused" {
	hostile exit-refuses
	[ "$status" = 3 ]
	says 'exit-refuses: no such misbehaviour'
}

@test "what the table says that this form does is written" {
	build/kam --hostile list >"$said.lines"
	says '^exit-refused$' '^file-vanishes$'
	never_says 'not written'
}

@test "a start that hangs is told, and ended" {
	# pause; jmp -4
	tests/kam/patch-image "$BATS_TEST_TMPDIR/hang.efi" @measure_overhead f390ebfc
	image=$BATS_TEST_TMPDIR/hang.efi
	hostile none
	says '^start 1: hang at image'
	[ "$status" = 3 ]
}

@test "exit-refused: where it never succeeds, that is said" {
	hostile exit-refused=100
	ends halted
	says 'the firmware does not end its boot services: no room bare'
}

# come_home NAMES...: room bare's result comes home from each of these machines.
come_home() {
	for names in "$@"; do
		hostile "$names"
		comes_home || return
	done
}

@test "map-odd-types, efer-nxe-off, x2apic-at-entry, xapic-locked, setvar-slow: room bare's result comes home" {
	come_home map-odd-types efer-nxe-off x2apic-at-entry xapic-locked setvar-slow=2000
}

@test "map-special-purpose: it is not taken, and room bare's result comes home" {
	come_home map-special-purpose
}

@test "serial-noise: no room is interrupted" {
	come_home serial-noise
}

@test "spcr-other-speed: the line keeps its speed" {
	come_home spcr-other-speed
}

@test "port-402-other: is left alone" {
	come_home port-402-other
}

@test "map-unaccepted: it is not touched, and room bare's result comes home" {
	come_home map-unaccepted
	says 'memory 127 MiB'
}

@test "map-1tib: all is mapped, and room bare's result comes home" {
	come_home map-1tib
	says 'memory 1044735 MiB'
}

@test "conout-none: room bare's result comes home, and the serial line shows all that is said" {
	hostile conout-none
	ends "reset by ACPI's register" halted
	measured
	says '^anechoic ' '^room 1 of 1, bare' '^leaving the firmware'
}

@test "mp-refuses: one line says so, with one CPU in room firmware" {
	hostile mp-refuses --rooms both
	ends "reset by ACPI's register" halted
	measured firmware
	measured bare
	says 'the firmware starts no other CPU once a boot option runs' '  not supported; room firmware has one CPU'
}

@test "mp-absent, ap-spins, apic-id-over-255: other CPUs that do not answer are told" {
	hostile mp-absent --rooms both
	ends "reset by ACPI's register" halted
	measured firmware
	measured bare
	says 'the firmware has no MP Services for the other CPUs: one is used'
	hostile ap-spins --rooms both
	ends halted
	measured firmware
	says 'CPU 1 .APIC id 2. does not respond: it is not used' \
		'no room bare: CPU 1 has not come back to the firmware'
	hostile apic-id-over-255
	ends "reset by ACPI's register" halted
	measured
	says '1 CPUs have APIC ids that this APIC mode does not reach'
}

@test "xsetbv-refused: rows of 256 bits are left out, and room bare's result comes home" {
	hostile xsetbv-refused --probes clock:core-clock,bandwidth:read --largest 2k
	measured
	jq -es 'map(select(.params.width_bits == 256)) | length > 0 and all(.reason ==
		"no AVX2 (CPUID.7 or XCR0)")' "$result" >/dev/null ||
		came "expected that AVX2 is said to be missing: $(grep '"width_bits":256' "$result")"
}

# without SOURCE...: these do not give the rate of the TSC, and all others do.
without() {
	for source in hpet pm-timer pit stall; do
		[[ " $* " != *" $source "* ]] || says "TSC by $source +not available" || return
		[[ " $* " == *" $source "* ]] || says "TSC by $source .*MHz .timed" || return
	done
}

@test "hpet-frozen, hpet-all-ones, pit-gated, pm-timer-absent: the other sources are used" {
	for names in hpet-frozen hpet-all-ones pit-gated pm-timer-absent; do
		come_home $names
		names=${names/hpet-*/hpet}
		names=${names%-gated}
		without "${names%-absent}"
	done
}

@test "hpet-all-ones, pit-gated, pm-timer-absent, crystal-zero: where Stall alone is left, it is taken" {
	hostile hpet-all-ones,pit-gated,pm-timer-absent,crystal-zero
	comes_home
	without hpet pit pm-timer
	says 'TSC by cpuid-15h +not available'
}

@test "crystal-zero: the counted rate is taken" {
	come_home crystal-zero
	says 'TSC by cpuid-15h +not available' 'TSC 2[.](500|499)[0-9]* GHz by (pit|hpet)'
}

@test "madt-holes, madt-online-capable: only what is there is used" {
	come_home madt-holes
	says 'CPU 1 .APIC id 6. does not respond'
	never_says 'APIC id 4'
	come_home madt-online-capable
	never_says 'does not respond'
}

@test "xsdt-zeros, acpi-bad-sums, rsdt-only: the tables are found" {
	for names in xsdt-zeros acpi-bad-sums rsdt-only; do
		come_home $names
		without none
	done
}

@test "sev-guest, tdx-guest: refused, and the next boot entry starts" {
	hostile sev-guest
	ends returned
	says 'cannot run here: a guest with encrypted memory .AMD SEV'
	hostile tdx-guest
	ends returned
	says 'cannot run here: a guest with encrypted memory .Intel TDX'
}

@test "spcr-dead: COM1 is used, and that is said" {
	for n in 0 1; do
		hostile spcr-dead=$n
		comes_home
		says "^the SPCR's serial port 2f8 (does not answer|sends nothing): COM1 instead$"
	done
}

@test "usb-handoff-hangs: the hang costs two starts" {
	hostile usb-handoff-hangs
	ends "hang in SMM" "hang in SMM" "reset by ACPI's register" halted
	measured
	says 'the last note of the start of .* is: usb-00:14.0' \
		'USB controller 00:14.0 xhci: it may hang: see the start of'
}

@test "serial-slow: the same rows as without, and no byte lost" {
	hostile none --probes clock
	measured
	rows >"$BATS_TEST_TMPDIR/fast"
	hostile serial-slow --probes clock
	comes_home
	diff "$BATS_TEST_TMPDIR/fast" <(rows)
}

@test "file-slow: the same rows as without" {
	hostile none --probes clock --rooms firmware
	measured firmware
	rows >"$BATS_TEST_TMPDIR/fast"
	hostile file-slow=500 --probes clock --rooms firmware
	ends halted
	measured firmware
	diff "$BATS_TEST_TMPDIR/fast" <(rows)
}

@test "file-short-write: the file is whole" {
	hostile file-short-write --rooms firmware
	ends halted
	measured firmware
	says 'firmware.ndjson read back, the same'
}

@test "file-read-only: the results are on the screen and the serial line" {
	hostile file-read-only --rooms both
	ends halted
	measured
	says 'write-protected' '^core +[0-9.]+ GHz'
}

@test "file-vanishes: it is said, and room bare is on the screen" {
	hostile file-vanishes=0 --rooms both
	ends halted
	measured
	says '^core +[0-9.]+ GHz'
}

@test "a message of 79 columns is one line; one of 80 is broken at a space" {
	local x=xxxxxxxxxxxxxxxx
	hostile none --load profile=$x
	says "^load options: profile = '$x': must be one of smoke, default, full$"
	hostile none --load profile=x$x
	says "^load options: profile = 'x$x': must be one of smoke, default,$" '^  full$'
}

@test "mp-never-returns: the hang costs two starts" {
	hostile mp-never-returns --rooms both
	ends "hang in StartupThisAP" "hang in StartupThisAP" "reset by ACPI's register" halted
	measured firmware
	measured bare
	says 'did not come back from: mp-services'
}

@test "reset-returns: each other way is tried, the keyboard controller resets" {
	hostile reset-returns
	home_by='reset by 64h' comes_home
	says '^resetting by the ACPI reset register' '^resetting by port cf9h' \
		'^resetting by the firmware, cold' '^resetting by the firmware, warm' \
		'^resetting by the keyboard controller'
}

@test "reset-faults: the call is ended, which is said, the keyboard controller resets" {
	hostile reset-faults
	home_by='reset by 64h' comes_home
	says "^the firmware's ResetSystem faulted:$" '^  general protection at [0-9a-f]+$'
}
