#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `smm` finds on machines that state it: each row, each value, and that others are noticed.

load smm_stated

@test "SMIs by a timer, and by chance: each row, each value" {
	measured probes/smm/timer.ini
	right
	ok smi_period_ns
	[ "$(value smi_period_ns)" != null ]
	skipped common-length 'there is one CPU'
	measured probes/smm/chance.ini
	right
	[ "$(value smi_period_ns)" = null ]
}

@test "a machine that counts no SMIs: none is claimed, and none is asked for" {
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

@test "a value that the FADT names, a FADT without a port, a firmware that does not answer: skips that say so" {
	local named='the FADT gives this value a meaning'
	refused "$named" 0xa1
	refused "$named" 0xa7
	refused "$named" 0x83
	refused "$named" 137
	refused "$named" 0x97 smi.s4bios=0x97
	refused 'no FADT names a port for it (SMI_CMD)' 0x5d smi.port=0
	refused 'no SMI came: the firmware does not answer' 0x5d smi.deaf=yes
}

@test "without the key nothing is asked for, and there is no row of it" {
	measured probes/smm/timer.ini --layer b
	[ "$(jq -r 'select(.variant == "asked").kind' "$result" | wc -l)" = 0 ]
}
