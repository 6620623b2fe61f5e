#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of privileged_stated.bats: each machine in both rooms.

load privileged_stated

@test "two machines with other costs, in both rooms" {
	edited tests/kam/mutations/quick.ini tsc.cpuid=137 tlb.walk=41 privileged.xsave=127
	in_both_rooms "$ini"
	edited $costly
	in_both_rooms "$ini"
}

@test "a WBINVD that takes longer than any processor needs is not measured, and the run goes on" {
	edited tests/kam/mutations/quick.ini privileged.wbinvd=987654321
	measured "$ini" --probes privileged:wbinvd-full,privileged:lgdt
	skips wbinvd-full | grep -qE '^one takes [0-9]{3} ms$'
	[ "$(jq -r 'select(.kind == "row").variant' "$result")" = lgdt ]
}
