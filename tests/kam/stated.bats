#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What single probes find on machines that state it: each row, each value, and that others are noticed.
# What takes longer: stated.long.bats.

load stated_helper

@test "atomics: two cores with a last cache each: each row, each value, each share" {
	of_atomics
	measured probes/atomics/pair.ini
	right
	ok 'atomics shares .*rows'
}

@test "backend: the window, or another structure, ends first: so many or more" {
	of_backend
	measured probes/backend/small-window.ini
	right
	[ "$(found)" = "$(paste -sd, <<-END
		203+ the window ends first
		149
		-
		-
		203+ the window ends first
		43
		201+ the window ends first
		67
		147+ the vector registers end first
		61
		43+ the queue of stores ends first
	END
	)" ]
}

@test "frontend: six ops a line, of 32 bytes: eight instructions there do not fill them, six do" {
	of_frontend
	measured probes/frontend/op-lines-of-6.ini
	right
	[ "$(found)" = '1344,3.98,24576,16,7,1.68' ]
}

@test "indirect: few entries for a long past: how many targets, what a miss costs; other costs are noticed" {
	of_indirect
	asked=(--probes clock:core-clock,indirect:order,indirect:random --profile smoke)
	rows='order random'
	values='indirect_targets indirect_miss_cycles'
	measured probes/indirect/few-entries.ini
	right
	row_edits order:targets=64 random
}

@test "limits: two machines, one of them in both rooms; other rates are noticed" {
	of_limits
	edited $seven
	measured "$ini"
	right
	in_both_rooms "$ini"
	edited $five
	measured "$ini"
	right
	measured tests/kam/mutations/quick.ini
	right
	row_edits $rows
}

@test "limits: a machine where no branch is predicted: what its core says" {
	of_limits
	measured tests/kam/cpus/no-predictor.ini
	[ "$(printf '%s\n' "$output" | grep -cE '^limits:.* rows ok$')" = 13 ] # all but branch-not-taken
}

@test "limits: a machine with a fourth level, which no run knows that has no curve of latency" {
	of_limits
	measured tests/kam/cpus/lion-cove.ini
}

@test "privileged: two machines with other costs, in both rooms; other costs are noticed" {
	of_privileged
	edited tests/kam/mutations/quick.ini tsc.cpuid=137 tlb.walk=41 privileged.xsave=127
	in_both_rooms "$ini"
	measured "$ini"
	row_edits $rows
	edited tests/kam/cpus/small.ini tsc.cpuid=1913 privileged.cr3=1187 privileged.invlpg=611 \
		privileged.rdmsr=77 privileged.wrmsr=259 privileged.sti=23 privileged.cli=31 \
		privileged.swapgs=43 privileged.verw=467 privileged.port_in=2741 privileged.lgdt=149 \
		privileged.interrupt=311 privileged.iret=223 privileged.syscall=173 privileged.sysret=127 \
		privileged.xsave=331 privileged.xsaveopt=263 privileged.xsavec=241 privileged.xrstor=383 \
		privileged.wbinvd=371293 privileged.wbinvd_line=7
	in_both_rooms "$ini" --verbose
	grep -q '5 MSRs were changed, 0 of them could not be restored' "$result.said"
}

@test "privileged: a WBINVD that takes longer than any processor needs is not measured, and the run goes on" {
	of_privileged
	edited tests/kam/mutations/quick.ini privileged.wbinvd=987654321
	measured "$ini" --probes privileged:wbinvd-full,privileged:lgdt
	skips wbinvd-full | grep -qE '^one takes [0-9]{3} ms$'
	[ "$(jq -r 'select(.kind == "row").variant' "$result")" = lgdt ]
}

@test "rdmsr-refused: the row is a skip with the exception's name, and the others are measured" {
	of_privileged
	build/kam "${asked[@]}" --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --out "$result" \
		--hostile rdmsr-refused
	skipped rdmsr-apic 'the machine refuses it: general protection'
	[ "$(jq -r 'select(.kind == "row" and .room == "bare").variant' "$result" | grep -cx rdmsr)" = 1 ]
	[ "$(jq -r 'select(.kind == "row").variant' "$result" | grep -c '^lgdt$')" -ge 1 ]
	[ "$(jq -r 'select(.kind == "end").status' "$result" | sort -u)" = complete ]
}

@test "skew: two sockets of which one drifts, and cores that are alike; other bounds and values are noticed" {
	of_skew
	measured probes/skew/sockets.ini
	right
	ok 'skew:offset bounds .* rows' 'skew:drift bounds .* rows'
	row_edits offset drift:cpu=2 drift:cpu=3
	value_edits 2 1
	measured probes/skew/together.ini
	right
	ok 'skew:offset bounds .* rows' 'skew:drift bounds .* rows'
	row_edits offset:cpu=2
	value_edits 2 1
}

@test "skew: TSC_ADJUST of three CPUs, and of a machine that has none; others are noticed" {
	of_skew
	asked=(--layer b --cpus 3 --profile default --probes skew:adjust,clock:core-clock)
	rows='adjust' values='tsc_adjust_ticks'
	measured probes/skew/restarted.ini
	right
	[ "$(jq -c 'select(.variant == "adjust") | [.median, .more]' "$result")" = \
		'[1242597,{"least_ticks":-1234567,"most_ticks":8030}]' ]
	row_edits adjust
	value_edits 1 1
	edited probes/skew/restarted.ini skew.adjust=
	measured "$ini"
	skipped adjust 'CPUID says that there is no TSC_ADJUST'
}

@test "smm: SMIs by a timer, and by chance: each row, each value" {
	of_smm
	measured probes/smm/timer.ini
	right
	ok smi_period_ns
	[ "$(value smi_period_ns)" != null ]
	skipped common-length 'there is one CPU'
	measured probes/smm/chance.ini
	right
	[ "$(value smi_period_ns)" = null ]
}

@test "smm: a machine that counts no SMIs: none is claimed, and none is asked for" {
	of_smm
	edited probes/smm/chance.ini cpuid.counters=none
	measured "$ini" --layer b --load smi_ask=0x5d
	[ "$(value smis_per_second)" = null ] && [ "$(value smi_length_ns)" = null ]
	skipped smi-length 'SMIs are not counted here'
	skipped asked 'SMIs are not counted here: whether one came could not be told'
	[ "$(jq 'select(.kind == "row" and .variant == "watch").more.gaps' "$result")" -gt 30 ]
}

# refused REASON VALUE EDIT...: the image on the machine by a timer with these edits writes to no port.
refused() {
	edited probes/smm/timer.ini "${@:3}"
	build/kam --layer b --cpu "$ini" --image build/BOOTX64.EFI --profile smoke --probes smm:asked \
		--load "smi_ask=$2" --out "$result" || true
	skipped asked "$1"
}

@test "smm: a value that the FADT names, a FADT without a port, a firmware that does not answer: skips that say so" {
	local named='the FADT gives this value a meaning'
	of_smm
	refused "$named" 0xa1
	refused "$named" 0xa7
	refused "$named" 0x83
	refused "$named" 137
	refused "$named" 0x97 smi.s4bios=0x97
	refused 'no FADT names a port for it (SMI_CMD)' 0x5d smi.port=0
	refused 'no SMI came: the firmware does not answer' 0x5d smi.deaf=yes
}

@test "smm: without the key nothing is asked for, and there is no row of it" {
	of_smm
	measured probes/smm/timer.ini --layer b
	[ "$(jq -r 'select(.variant == "asked").kind' "$result" | wc -l)" = 0 ]
}

@test "storeload: one that waits, in all rooms, and one that renames; other costs are noticed" {
	of_storeload
	measured probes/storeload/waits.ini
	right
	row_edits $rows
	in_both_rooms probes/storeload/waits.ini
	measured probes/storeload/renames.ini
	right
	[ "$(jq -s '[.[] | select(.kind == "row" and .variant == "sizes")] | length' "$result")" = 17 ]
}

@test "wake: two cores with C1, C1E and a deep state: each row, each value" {
	of_wake
	values+=' wake_deepest_ns'
	measured probes/wake/cores.ini --cpus 2
	right
	[ "$(all hint)" = '0 1 32' ]
	[ "$(all dwell_us)" = '100 2000' ]
	[ "$(jq -r 'select(.kind == "end") | "\(.status) \(.interrupts) \(.nmis) \(.skips)"' "$result")" = \
		'complete 0 0 0' ] # all that came were asked for
}

@test "walks: pages of code on two machines, of which one is of AMD's kind; walks need ring 0" {
	of_walks
	for name in three-caches one-cache; do
		measured tests/kam/walks/$name.ini
		right
		[ "$(skips)" = 'needs ring 0' ]
	done
	row_edits code-pages:pages={54,91,152}
	value_edits 2 1.03
}
