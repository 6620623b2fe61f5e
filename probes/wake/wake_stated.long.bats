#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of wake_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load wake_stated

@test "a thread of the measuring core, and another core: each row, each value" {
	measured probes/wake/threads.ini --cpus 3
	right
	[ "$(all cpu)" = '1 2' ]
	[ "$(jq -r 'select(.variant == "nmi-hlt" and .params.dwell_us == 100) | .more.shares' "$result" | xargs)" = \
		'none core' ]
	run grep -c wake_deepest_ns "$result" # CPUID names no state beyond C1
	[ "$output" = 0 ]
}

@test "in x2APIC mode the commands are written to an MSR" {
	measured probes/wake/cores.ini --cpus 2 --hostile x2apic-at-entry
	right
}

@test "an MWAIT that no store ends: an NMI does, its rows say so, and the others are right" {
	measured probes/wake/cores.ini --cpus 2 --hostile monitor-does-not-wake
	rows='store-pause interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt timer-pause timer-hlt'
	values='wake_hlt_ns wake_timer_ns'
	right
	[ "$(jq -r 'select(.kind == "skip").variant' "$result" | sort -u | xargs)" = 'clock-mwait store-mwait' ]
	[ "$(skips)" = 'it was not woken: an NMI ended its wait' ]
}

@test "interrupts-late: the next wait does not take them, and each row is right" {
	measured probes/wake/cores.ini --cpus 2 --hostile interrupts-late
	right
	[ "$(jq -r 'select(.kind == "end").skips' "$result")" = 0 ]
}

@test "one CPU, no MWAIT, no deadline, a TSC that may stop, room firmware: each has its reason" {
	local reasons
	reasons() {
		build/kam --cpu "$ini" --image build/BOOTX64.EFI --out "$result" "${asked[@]}" "$@" || true
		jq -r 'select(.kind == "skip") | "\(.variant) \(.params.hint // ""): \(.reason)"' "$result" | sort -u
	}
	edited probes/wake/cores.ini
	[ "$(reasons)" = 'interrupt-hlt : no second processor' ]
	run reasons --rooms firmware
	[[ "$output" == *'timer-hlt : only in room bare: here the firmware has interrupts'* ]]
	edited probes/wake/cores.ini wake.timer=0 cpuid.tsc_invariant=no
	run reasons --cpus 2
	[ "$output" = 'clock-mwait 32: its TSC may stop in such a state
interrupt-mwait 32: its TSC may stop in such a state
store-mwait 32: its TSC may stop in such a state
timer-hlt : no TSC deadline: when a timer is due cannot be known
timer-pause : no TSC deadline: when a timer is due cannot be known' ] || { echo "$output"; return 1; }
	edited probes/wake/cores.ini wake.hints= wake.exits=
	[ -z "$(reasons --cpus 2)" ]
	[ -z "$(all hint)" ]
}

@test "one that has not waited long enough is not yet in the state that was asked for" {
	edited probes/wake/cores.ini wake.settle_us=523
	measured "$ini" --cpus 2
	right
	[ "$(jq 'select(.variant == "store-mwait" and .params.hint == 32).median | . > 30000' "$result" | xargs)" = \
		'false true' ]
}

@test "other times, and other values, are noticed" {
	measured probes/wake/cores.ini --cpus 2
	row_edits $rows store-mwait:hint=32 interrupt-mwait:hint=1
	value_edits 5 1.3
}
