#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Privileged instructions cost what the machine states, in layer b; where one is refused, its row alone
# is given up.

load hostile_helper

# priced MACHINE.ini EDIT...: what the image measures in both rooms on the machine with these edits.
priced() {
	tests/kam/machine_with.py "$@" >"$BATS_TEST_TMPDIR/ini"
	build/kam --layer b --rooms both --cpu "$BATS_TEST_TMPDIR/ini" --image build/BOOTX64.EFI \
		--probes privileged --out "$result" --verbose >"$said" 2>&1
	run build/kam --check "$BATS_TEST_TMPDIR/ini" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for row in rdtsc cpuid verw cr3 invlpg rdmsr rdmsr-apic wrmsr sti-cli swapgs port-in lgdt interrupt \
		syscall xsave-sse xsaveopt-sse xsavec-sse xrstor-sse touch cr3-touch \
		clflush-absent clflush-clean clflush-dirty wbinvd-clean wbinvd-half wbinvd-full; do
		for room in firmware bare; do
			printf '%s\n' "$output" | grep -q "^privileged:$row@$room .*rows ok$" ||
				{ echo "expected 'privileged:$row@$room ... rows ok', came: $output"; return 1; }
		done
	done
	for value in cr3_cycles invlpg_cycles cpuid_cycles; do
		printf '%s\n' "$output" | grep -qE "^$value@bare .* ok" ||
			{ echo "expected '$value ... ok', came: $output"; return 1; }
	done
}

@test "two machines with other costs: each row, each value, in both rooms" {
	priced tests/kam/mutations/quick.ini tsc.cpuid=137 tlb.walk=41 privileged.xsave=127
	priced tests/kam/cpus/small.ini tsc.cpuid=1913 privileged.cr3=1187 privileged.invlpg=611 \
		privileged.rdmsr=77 privileged.wrmsr=259 privileged.sti=23 privileged.cli=31 \
		privileged.swapgs=43 privileged.verw=467 privileged.port_in=2741 privileged.lgdt=149 \
		privileged.interrupt=311 privileged.iret=223 privileged.syscall=173 privileged.sysret=127 \
		privileged.xsave=331 privileged.xsaveopt=263 privileged.xsavec=241 privileged.xrstor=383 \
		privileged.wbinvd=371293 privileged.wbinvd_line=7
	grep -q '5 MSRs were changed, 0 of them could not be restored' "$said"
}

@test "1.3 times as much is noticed" {
	tests/kam/machine_with.py $ini privileged.xsave=127 >"$BATS_TEST_TMPDIR/ini"
	build/kam --layer b --cpu "$BATS_TEST_TMPDIR/ini" --image build/BOOTX64.EFI --probes privileged \
		--out "$result"
	tests/kam/row_edits.py "$BATS_TEST_TMPDIR/ini" "$result" "$BATS_TEST_TMPDIR/edits" privileged:{rdtsc,cpuid,verw,cr3} \
		privileged:{invlpg,rdmsr,rdmsr-apic,wrmsr,sti-cli,swapgs,port-in,lgdt,interrupt,syscall} \
		privileged:{touch,cr3-touch} privileged:{xsave,xsaveopt,xsavec,xrstor}-sse \
		privileged:clflush-{absent,clean,dirty} privileged:wbinvd-{clean,half,full}
}

@test "a WBINVD that takes longer than any processor needs is not measured, and the run goes on" {
	tests/kam/machine_with.py $ini privileged.wbinvd=987654321 >"$BATS_TEST_TMPDIR/ini"
	build/kam --layer b --cpu "$BATS_TEST_TMPDIR/ini" --image build/BOOTX64.EFI --out "$result" \
		--probes privileged:wbinvd-full,privileged:lgdt
	jq -r 'select(.variant == "wbinvd-full") | .reason' "$result" | grep -qE '^one takes [0-9]{3} ms$'
	[ "$(jq -r 'select(.kind == "row").variant' "$result")" = lgdt ]
}

@test "rdmsr-refused: the row is a skip with the exception's name, and the others are measured" {
	hostile rdmsr-refused --probes privileged
	[ "$status" = 0 ] || came 'expected a complete result'
	[ "$(jq -r 'select(.kind == "skip" and .variant == "rdmsr-apic").reason' "$result" | uniq)" = \
		'the machine refuses it: general protection' ]
	[ "$(jq -r 'select(.kind == "row" and .room == "bare").variant' "$result" | grep -cx rdmsr)" = 1 ]
	[ "$(jq -r 'select(.kind == "row").variant' "$result" | grep -c '^lgdt$')" -ge 1 ]
	[ "$(jq -r 'select(.kind == "end").status' "$result" | sort -u)" = complete ]
}
