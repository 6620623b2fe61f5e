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
	for_maker '- ABOVE THE LIMIT: SMIs' 'one every 47.9 ms' 'The longest of any took 61'
	measured probes/smm/chance.ini
	right
	[ "$(value smi_period_ns)" = null ]
}

@test "a machine that counts no SMIs: none is claimed; without the key none is asked for" {
	edited probes/smm/chance.ini cpuid.counters=none
	measured "$ini" --layer b
	[ "$(value smis_per_second)" = null ] && [ "$(value smi_length_ns)" = null ]
	skipped smi-length 'SMIs are not counted here'
	for_maker 'SMIs (system management interrupts): not known' 'SMIs are not counted on this machine.'
	[ "$(jq -r 'select(.variant == "asked").kind' "$result" | wc -l)" = 0 ]
	[ "$(jq 'select(.kind == "row" and .variant == "watch").more.gaps' "$result")" -gt 30 ]
}

# What the FADT says of ports and values: tests/unit/kernel/acpi_test.c, and smm_stated.long.bats.
@test "a firmware that does not answer: the skip says so" {
	refused 'no SMI came: the firmware does not answer' 0x5d smi.deaf=yes
}
