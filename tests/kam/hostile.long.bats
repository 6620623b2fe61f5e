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

@test "map-odd-types: room bare's result comes home" {
	hostile map-odd-types
	comes_home
}

@test "map-special-purpose: it is not taken, and room bare's result comes home" {
	hostile map-special-purpose
	comes_home
}

@test "map-unaccepted: it is not touched, and room bare's result comes home" {
	hostile map-unaccepted
	comes_home
	says 'memory 127 MiB'
}

@test "map-1tib: all is mapped, and room bare's result comes home" {
	hostile map-1tib
	comes_home
	says 'memory 1044735 MiB'
}

@test "conout-none: room bare's result comes home, and the serial line shows all that is said" {
	hostile conout-none
	ends "reset by ACPI's register" halted
	measured
	says '^anechoic ' '^room 1 of 1, bare' '^leaving the firmware'
}

@test "setvar-slow: room bare's result comes home" {
	hostile setvar-slow=2000
	comes_home
}

@test "setvar-hangs: the hang costs two starts, then the result is on the screen" {
	hostile setvar-hangs
	ends "hang in SetVariable" "hang in SetVariable" halted
	measured
	says 'the last note of the start of .* is: runtime' '^core clock ' 'this screen is the result'
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

@test "efer-nxe-off, xd-disabled: room bare's result comes home" {
	hostile efer-nxe-off
	comes_home
	hostile xd-disabled
	comes_home
}

@test "xsetbv-refused: rows of 256 bits are left out, and room bare's result comes home" {
	hostile xsetbv-refused --probes clock:core-clock,bandwidth:read --largest 2k
	measured
	jq -es 'map(select(.params.width_bits == 256)) | length > 0 and all(.reason ==
		"no AVX2 (CPUID.7 or XCR0)")' "$result" >/dev/null ||
		came "expected that AVX2 is said to be missing: $(grep '"width_bits":256' "$result")"
}

@test "machine-check-pending, cr4-unknown, thermal-lvt-smi: room bare's result comes home" {
	hostile machine-check-pending
	comes_home
	hostile cr4-unknown
	comes_home
	hostile thermal-lvt-smi
	comes_home
}

@test "x2apic-at-entry, xapic-locked: room bare's result comes home" {
	hostile x2apic-at-entry
	comes_home
	hostile xapic-locked
	comes_home
}

# without SOURCE...: these do not give the rate of the TSC, and all others do.
without() {
	for source in hpet pm-timer pit stall; do
		[[ " $* " != *" $source "* ]] || says "TSC by $source +not available" || return
		[[ " $* " == *" $source "* ]] || says "TSC by $source .*MHz .timed" || return
	done
}

@test "hpet-frozen, hpet-all-ones, pit-gated, pm-timer-absent: the other sources are used" {
	hostile hpet-frozen
	comes_home
	without hpet
	hostile hpet-all-ones
	comes_home
	without hpet
	hostile pit-gated
	comes_home
	without pit
	hostile pm-timer-absent
	comes_home
	without pm-timer
}

@test "hpet-all-ones, pit-gated, pm-timer-absent, crystal-zero: where Stall alone is left, it is taken" {
	hostile hpet-all-ones,pit-gated,pm-timer-absent,crystal-zero
	comes_home
	without hpet pit pm-timer
	says 'TSC by cpuid-15h +not available'
}

@test "crystal-zero: the counted rate is taken" {
	hostile crystal-zero
	comes_home
	says 'TSC by cpuid-15h +not available' 'TSC 2[.](500|499)[0-9]* GHz by (pit|hpet)'
}

@test "madt-holes, madt-online-capable: only what is there is used" {
	hostile madt-holes
	comes_home
	says 'CPU 1 .APIC id 6. does not respond'
	never_says 'APIC id 4'
	hostile madt-online-capable
	comes_home
	never_says 'does not respond'
}

@test "xsdt-zeros, acpi-bad-sums, rsdt-only: the tables are found" {
	for names in xsdt-zeros acpi-bad-sums rsdt-only; do
		hostile $names
		comes_home
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

@test "spcr-other-speed: the line keeps its speed" {
	hostile spcr-other-speed
	comes_home
}

@test "spcr-dead: COM1 is used, and that is said" {
	for n in 0 1; do
		hostile spcr-dead=$n
		comes_home
		says "^the SPCR's serial port 2f8 (does not answer|sends nothing): COM1 instead$"
	done
}

@test "serial-noise: no room is interrupted" {
	hostile serial-noise
	comes_home
}

@test "port-402-other: is left alone" {
	hostile port-402-other
	comes_home
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

@test "file-fails, file-read-only: the results are on the screen and the serial line" {
	hostile file-fails=0 --rooms both
	ends halted
	measured
	says '^core clock '
	hostile file-read-only --rooms both
	ends halted
	measured
	says 'write-protected' '^core clock '
}

@test "file-vanishes: it is said, and room bare is on the screen" {
	hostile file-vanishes=0 --rooms both
	ends halted
	measured
	says '^core clock '
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
