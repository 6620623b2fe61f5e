#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `privileged` finds on machines that state it: each row, each value, and that others are noticed.

load privileged_stated

@test "two machines with other costs, in both rooms; other costs are noticed" {
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

@test "a WBINVD that takes longer than any processor needs is not measured, and the run goes on" {
	edited tests/kam/mutations/quick.ini privileged.wbinvd=987654321
	measured "$ini" --probes privileged:wbinvd-full,privileged:lgdt
	skips wbinvd-full | grep -qE '^one takes [0-9]{3} ms$'
	[ "$(jq -r 'select(.kind == "row").variant' "$result")" = lgdt ]
}

@test "rdmsr-refused: the row is a skip with the exception's name, and the others are measured" {
	build/kam "${asked[@]}" --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --out "$result" \
		--hostile rdmsr-refused
	skipped rdmsr-apic 'the machine refuses it: general protection'
	[ "$(jq -r 'select(.kind == "row" and .room == "bare").variant' "$result" | grep -cx rdmsr)" = 1 ]
	[ "$(jq -r 'select(.kind == "row").variant' "$result" | grep -c '^lgdt$')" -ge 1 ]
	[ "$(jq -r 'select(.kind == "end").status' "$result" | sort -u)" = complete ]
}
