#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `privileged` finds on machines that state it: each row, each value, and that others are noticed.

load privileged_stated

@test "two machines with other costs, one in each room; other costs are noticed" {
	edited tests/kam/mutations/quick.ini tsc.cpuid=137 tlb.walk=41 privileged.xsave=127
	measured "$ini"
	right
	row_edits $rows
	edited $costly
	measured "$ini" --rooms firmware --verbose
	right
	grep -q '5 MSRs were changed, 0 of them could not be restored' "$result.said"
}

@test "rdmsr-refused: the row is a skip with the exception's name, and the others are measured" {
	build/kam --layer b --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --out "$result" \
		--probes privileged:rdmsr,privileged:rdmsr-apic,privileged:lgdt --rooms bare --hostile rdmsr-refused
	skipped rdmsr-apic 'the machine refuses it: general protection'
	[ "$(jq -r 'select(.kind == "row" and .room == "bare").variant' "$result" | grep -cx rdmsr)" = 1 ]
	[ "$(jq -r 'select(.kind == "row").variant' "$result" | grep -c '^lgdt$')" -ge 1 ]
	[ "$(jq -r 'select(.kind == "end").status' "$result" | sort -u)" = complete ]
}
