#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# SMIs are counted, as long and as far apart as the machine states, in both layers; what all CPUs have at
# once is found; and one is asked for only as the key and the FADT permit.

load smm_helper

@test "SMIs by a timer, and by chance: each row, each value, in layer a" {
	measured tests/kam/smm/timer.ini
	right $smis smi_period_ns smm:smi-length smm:smi-interval
	[ "$(value smi_period_ns)" != null ]
	skipped common-length 'there is one CPU'
	measured tests/kam/smm/chance.ini
	right $smis smm:smi-length smm:smi-interval
	[ "$(value smi_period_ns)" = null ]
}

@test "a machine that counts no SMIs: none is claimed, and none is asked for" {
	tests/kam/machine_with.py tests/kam/smm/chance.ini cpuid.counters=none >"$ini"
	measured "$ini" --layer b --load smi_ask=0x5d
	[ "$(value smis_per_second)" = null ] && [ "$(value smi_length_ns)" = null ]
	skipped smi-length 'SMIs are not counted here'
	skipped asked 'SMIs are not counted here: whether one came could not be told'
	[ "$(jq 'select(.kind == "row" and .variant == "watch").more.gaps' "$result")" -gt 30 ]
}

# refused REASON VALUE EDIT...: the image on the machine by a timer with these edits writes to no port.
refused() {
	local reason=$1 ask=$2
	shift 2
	tests/kam/machine_with.py tests/kam/smm/timer.ini "$@" >"$ini"
	build/kam --layer b --cpu "$ini" --image build/BOOTX64.EFI --profile smoke --probes smm:asked \
		--load "smi_ask=$ask" --out "$result" || true
	skipped asked "$reason"
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
	measured tests/kam/smm/timer.ini --layer b
	[ "$(jq -r 'select(.variant == "asked").kind' "$result" | wc -l)" = 0 ]
}
