#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of stated.bats: other machines, both rooms of layer b, machines that state nothing.

load stated_helper

@test "atomics: two cores with a last cache each, three behind one: each row, each value, each share" {
	of_atomics
	for name in pair trio; do
		measured tests/kam/atomics/$name.ini
		right
		ok 'atomics shares .*rows'
		# The rows of additions in one line have bounds only: value_edits.py.
		row_edits ${rows/false-sharing-add /}
		value_edits 4 1.04
	done
	[ "$(jq -s '[.[] | select(.probe == "atomics" and .params.cpus == 3)] | length' "$result")" = 6 ]
}

@test "atomics: alone in both rooms of layer b; the rows of two CPUs say that there is one" {
	of_atomics
	rows=$alone values='lock_add_cycles cas_cycles'
	in_both_rooms probes/atomics/pair.ini
	[ "$(jq -r 'select(.kind == "skip" and .probe == "atomics") | .reason' "$result" | sort | uniq -c |
		tr -s ' ')" = ' 12 no second processor' ]
}

# edges: of each kind rows before its edge and beyond it, the first and the last ones among them.
edges() {
	local name own n
	for name in $rows; do
		own=0
		case $name in any | integer | load) own=2 ;; load-waiting) own=1 ;; esac
		for n in 0 20 480 704; do
			echo "$name:entries=$((n + own))"
		done
	done
}

@test "backend: each structure ends before the window, or something else, in all rooms; edits are noticed" {
	of_backend
	in_both_rooms probes/backend/small-structures.ini
	in_both_rooms probes/backend/small-window.ini
	measured probes/backend/small-structures.ini
	right
	[ "$(found)" = '197,171,-,-,103,61,83,47,39,29,23' ]
	row_edits $(edges)
	value_edits 9 1.03 1
}

@test "backend: a machine without the table has what its core says: stores, and no other number" {
	of_backend
	unstated tests/kam/mutations/quick.ini
	measured "$ini"
	[ "$(found | tr , '\n' | grep -vE '[+]|^-')" = 56 ]
	[ "$(found | tr , '\n' | grep -c +)" = 8 ]
}

@test "frontend: eight ops a line, of 64 bytes: long code leaves the op cache just before L1I" {
	of_frontend
	values=${values/fetch_l1i_bytes_per_cycle/}
	measured probes/frontend/op-lines-of-8.ini
	right
	[ "$(found)" = '2304,5.92,20480,-,10.99,1' ]
	in_both_rooms probes/frontend/op-lines-of-8.ini
}

@test "frontend: six ops a line in both rooms; edits are noticed" {
	of_frontend
	in_both_rooms probes/frontend/op-lines-of-6.ini
	measured probes/frontend/op-lines-of-6.ini
	row_edits {dense,six,short,long}:bytes={1024,2048,131072,524288} jump-inside jump-end
	value_edits 6 1.1
}

# More sizes: some end just before L1I does, where other code between two calls takes a line too many.
@test "frontend: profile full: more sizes, up to 512 KiB, in both layers" {
	of_frontend
	measured probes/frontend/op-lines-of-6.ini --profile full
	right
	[ "$(found)" = '1344,3.97,24576,16,7,1.68' ]
	measured probes/frontend/op-lines-of-6.ini --profile full --layer b
	right
	values=${values/fetch_l1i_bytes_per_cycle/}
	measured probes/frontend/op-lines-of-8.ini --profile full
	right
	[ "$(found)" = '2304,5.92,20480,-,10.99,1' ]
	measured probes/frontend/op-lines-of-8.ini --profile full --layer b
	right
}

@test "frontend: no op cache: L1I and the rates alone; without the table nothing is made up" {
	of_frontend
	values='l1i_bytes fetch_l1i_bytes_per_cycle fetch_l2_bytes_per_cycle jcc_erratum'
	measured probes/frontend/no-op-cache.ini
	right
	[ "$(found)" = '-,-,49152,16,7,1' ]
	unstated tests/kam/mutations/quick.ini
	measured "$ini"
	[ "$(found)" = '-,-,-,-,-,1' ]
}

# Rows whose numbers the machines state closely: not near an edge, nor of few calls.
@test "indirect: few entries for a long past, and a short past: each row, each value, and edits" {
	of_indirect
	for name in few-entries short-past; do
		measured tests/kam/indirect/$name.ini --profile full
		right
		row_edits order:targets={64,8192} random period:elements={16,8192} returns:depth=96 \
			returns-random:depth=192
		value_edits 6 2 2
	done
	in_both_rooms probes/indirect/few-entries.ini --profile default
}

# By this seed two of the nine targets before an element are alike in 22 elements already.
@test "indirect: other sequences: each row is what the predictor makes of its own" {
	of_indirect
	measured probes/indirect/short-past.ini --profile full --seed 7
	right
}

@test "indirect: a machine without the table: a jump goes where it went last, and no sequence is known" {
	of_indirect
	for name in mutations/quick cpus/small cpus/zen cpus/coarse cpus/noisy cpus/line128 \
		cpus/no-predictor cpus/two-target-levels; do
		unstated tests/kam/$name.ini
		measured "$ini" --profile default
		[ "$(unresolved)" = 'indirect_history indirect_history_many' ] ||
			{ echo "$name: not resolved: $(unresolved)"; return 1; }
		[ "$(value indirect_targets)" = 1 ]
	done
}

@test "limits: the five wide machine, in both rooms" {
	of_limits
	edited $five
	in_both_rooms "$ini"
}

# By these seeds one line comes sooner, at the drift of a core, or at its offset.
@test "skew: a line that comes sooner moves the middle of its bounds by half" {
	of_skew
	values=tsc_drift_ppm
	for seed in 3 5; do
		measured probes/skew/sockets.ini --profile full --seed $seed
		right
		ok 'skew:offset bounds .* rows' 'skew:drift bounds .* rows'
	done
}

@test "smm: both rooms of layer b, by the counters of both vendors, and one that is asked for; edits" {
	of_smm
	rows+=' asked' values+=' smi_asked_ns'
	for name in timer chance; do
		in_both_rooms tests/kam/smm/$name.ini --load smi_ask=0x5d
	done
	measured probes/smm/chance.ini --layer b --load smi_ask=0x5d
	row_edits asked
	value_edits 5 1.3
}

@test "smm: three CPUs have each SMI at once, and edits; without any they have nothing in common" {
	of_smm
	edited probes/smm/timer.ini cpus.count=3
	measured "$ini"
	right
	ok common_gaps_per_second common_gap_ns common_gap_period_ns smm:common-length smm:common-interval
	row_edits {smi,common}-{length,interval}
	value_edits 8 1.3
	edited probes/smm/timer.ini cpus.count=3 smi.every=0
	measured "$ini"
	ok smis_per_second common_gaps_per_second
	[ "$(value common_gaps_per_second)" = 0 ] && [ "$(value smis_per_second)" = 0 ]
	[ "$(value smi_length_ns)" = null ] && [ "$(value common_gap_period_ns)" = null ]
	skipped smi-length '0 came in the time watched'
	skipped common-length '0 came in the time watched'
}

@test "storeload: one that renames, in both rooms of layer b: each row, each value" {
	of_storeload
	in_both_rooms probes/storeload/renames.ini
}

@test "storeload: a machine without the table: nothing is made up" {
	local none='store_forward_fail_cycles alias_4k_cycles split_line_cycles split_page_cycles' want
	of_storeload
	for name in mutations/quick cpus/small cpus/zen cpus/coarse cpus/noisy cpus/line128 \
		cpus/no-predictor cpus/few-entries cpus/skylake-sp; do
		case $name in # two pages of 2 MiB are more than a TLB of one entry holds
		*/few-entries) want=${none% *} ;;
		*/skylake-sp) want='split_line_cycles split_page_cycles' ;;
		*) want=$none ;;
		esac
		unstated tests/kam/$name.ini
		measured "$ini"
		[ "$(unresolved)" = "$want" ] || { echo "$name: expected '$want', came '$(unresolved)'"; return 1; }
	done
}

@test "wake: a thread of the measuring core, and another core: each row, each value" {
	of_wake
	measured probes/wake/threads.ini --cpus 3
	right
	[ "$(all cpu)" = '1 2' ]
	[ "$(jq -r 'select(.variant == "nmi-hlt" and .params.dwell_us == 100) | .more.shares' "$result" | xargs)" = \
		'none core' ]
	run grep -c wake_deepest_ns "$result" # CPUID names no state beyond C1
	[ "$output" = 0 ]
}

@test "wake: in x2APIC mode the commands are written to an MSR" {
	of_wake
	measured probes/wake/cores.ini --cpus 2 --hostile x2apic-at-entry
	right
}

@test "wake: an MWAIT that no store ends: an NMI does, its rows say so, and the others are right" {
	of_wake
	measured probes/wake/cores.ini --cpus 2 --hostile monitor-does-not-wake
	rows='store-pause interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt timer-pause timer-hlt'
	values='wake_hlt_ns wake_timer_ns'
	right
	[ "$(jq -r 'select(.kind == "skip").variant' "$result" | sort -u | xargs)" = 'clock-mwait store-mwait' ]
	[ "$(skips)" = 'it was not woken: an NMI ended its wait' ]
}

@test "interrupts-late: the next wait does not take them, and each row is right" {
	of_wake
	measured probes/wake/cores.ini --cpus 2 --hostile interrupts-late
	right
	[ "$(jq -r 'select(.kind == "end").skips' "$result")" = 0 ]
}

@test "wake: one CPU, no MWAIT, no deadline, a TSC that may stop, room firmware: each has its reason" {
	local reasons
	of_wake
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

@test "wake: one that has not waited long enough is not yet in the state that was asked for" {
	of_wake
	edited probes/wake/cores.ini wake.settle_us=523
	measured "$ini" --cpus 2
	right
	[ "$(jq 'select(.variant == "store-mwait" and .params.hint == 32).median | . > 30000' "$result" | xargs)" = \
		'false true' ]
}

@test "wake: other times, and other values, are noticed" {
	of_wake
	measured probes/wake/cores.ini --cpus 2
	row_edits $rows store-mwait:hint=32 interrupt-mwait:hint=1
	value_edits 5 1.3
}

@test "walks: three paging-structure caches, pages of all sizes; edits are noticed" {
	of_walks 4k 2m 1g
	in_both_rooms probes/walks/three-caches.ini
	[ -z "$(skips)" ]
	measured probes/walks/three-caches.ini --layer b
	row_edits cr3:reads={1,2,3} invlpg:flushed={0,1,2,3,4} code-pages:pages={64,861}
	value_edits 11 1.03
}

# What a cache does not hold is read: as many as if the pages were farther apart.
@test "walks: one of them alone, of AMD's kind; an arena that is too small for some" {
	of_walks 4k 2m
	in_both_rooms probes/walks/one-cache.ini
	jq -r 'select(.kind == "skip" and .variant == "cr3") | "\(.params.levels) \(.params.reads) \(.reason)"' \
		"$result" | sort -u >"$BATS_TEST_TMPDIR/skipped"
	diff "$BATS_TEST_TMPDIR/skipped" - <<-END
		3 2 the arena has no two pages so far apart
		4 3 the arena has no two pages so far apart
	END
}

@test "walks: a machine without the tables: walks as its [tlb] says, and no end of its pages of code" {
	of_walks 4k 2m
	values=${values/itlb_4k_entries itlb_miss_cycles/}
	unstated tests/kam/mutations/quick.ini tlb.walk=41 tlb.upper=2 tlb.walk_upper=23 memory.arena=76m
	measured "$ini" --layer b
	right
	[ "$(jq -c 'select(.name == "itlb_4k_entries") | [.value, .reason]' "$result")" = \
		'[null,"the curve is flat"]' ]
}
