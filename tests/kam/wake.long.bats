#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CPUs that wake: threads, x2APIC mode, wake-ups that are lost, what a machine does not have; edits.

load wake_helper

@test "a thread of the measuring core, and another core: each row, each value" {
	measured tests/kam/wake/threads.ini --cpus 3
	right ''
	[ "$(all cpu)" = '1 2' ]
	[ "$(jq -r 'select(.variant == "nmi-hlt" and .params.dwell_us == 100) | .more.shares' "$result" | xargs)" = \
		'none core' ]
	run grep -c wake_deepest_ns "$result" # CPUID names no state beyond C1
	[ "$output" = 0 ]
}

@test "in x2APIC mode the commands are written to an MSR" {
	measured tests/kam/wake/cores.ini --cpus 2 --hostile x2apic-at-entry
	right ''
}

@test "an MWAIT that no store ends: an NMI does, its rows say so, and the others are right" {
	measured tests/kam/wake/cores.ini --cpus 2 --hostile monitor-does-not-wake
	rows='store-pause interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt timer-pause timer-hlt'
	values='wake_hlt_ns wake_timer_ns'
	right ''
	[ "$(jq -r 'select(.kind == "skip").variant' "$result" | sort -u | xargs)" = 'clock-mwait store-mwait' ]
	[ "$(jq -r 'select(.kind == "skip").reason' "$result" | sort -u)" = \
		'it was not woken: an NMI ended its wait' ]
}

@test "interrupts-late: the next wait does not take them, and each row is right" {
	measured tests/kam/wake/cores.ini --cpus 2 --hostile interrupts-late
	right ''
	[ "$(jq -r 'select(.kind == "end").skips' "$result")" = 0 ]
}

@test "one CPU, no MWAIT, no deadline, a TSC that may stop, room firmware: each has its reason" {
	local ini=$BATS_TEST_TMPDIR/ini reasons
	reasons() {
		build/kam --cpu "$ini" --image build/BOOTX64.EFI --out "$result" "${asked[@]}" "$@" || true
		jq -r 'select(.kind == "skip") | "\(.variant) \(.params.hint // ""): \(.reason)"' "$result" | sort -u
	}
	cp tests/kam/wake/cores.ini "$ini"
	[ "$(reasons)" = 'interrupt-hlt : no second processor' ]
	tests/kam/machine_with.py tests/kam/wake/cores.ini wake.timer=0 cpuid.tsc_invariant=no >"$ini"
	run reasons --cpus 2
	[ "$output" = 'clock-mwait 32: its TSC may stop in such a state
interrupt-mwait 32: its TSC may stop in such a state
store-mwait 32: its TSC may stop in such a state
timer-hlt : no TSC deadline: when a timer is due cannot be known
timer-pause : no TSC deadline: when a timer is due cannot be known' ] || { echo "$output"; return 1; }
	tests/kam/machine_with.py tests/kam/wake/cores.ini wake.hints= wake.exits= >"$ini"
	[ -z "$(reasons --cpus 2)" ]
	[ -z "$(all hint)" ]
	cp tests/kam/wake/cores.ini "$ini"
	run reasons --rooms firmware
	[[ "$output" == *'timer-hlt : only in room bare: here the firmware has interrupts'* ]]
}

@test "one that has not waited long enough is not yet in the state that was asked for" {
	tests/kam/machine_with.py tests/kam/wake/cores.ini wake.settle_us=523 >"$BATS_TEST_TMPDIR/ini"
	measured "$BATS_TEST_TMPDIR/ini" --cpus 2
	right ''
	[ "$(jq 'select(.variant == "store-mwait" and .params.hint == 32).median | . > 30000' "$result" | xargs)" = \
		'false true' ]
}

@test "other times, and other values, are noticed" {
	measured tests/kam/wake/cores.ini --cpus 2
	# shellcheck disable=SC2086 # several
	tests/kam/row_edits.py tests/kam/wake/cores.ini "$result" "$BATS_TEST_TMPDIR/rows" \
		$(printf 'wake:%s ' $rows) wake:store-mwait:hint=32 wake:interrupt-mwait:hint=1
	tests/kam/value_edits.py tests/kam/wake/cores.ini "$result" "$BATS_TEST_TMPDIR/values" wake 5 1.3
}
