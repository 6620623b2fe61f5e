#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rows of whole machines, also those that no parameter depends on, against what the machine makes
# of them; and whole results, falsified.

load stated_helper

quick=tests/kam/mutations/quick.ini
asked=(--every-row)

@test "every row of two machines" {
	for name in skylake-sp small; do
		measured tests/kam/cpus/$name.ini \
			--probes clock,latency,mlp,bandwidth,random,stride,shuffle,branch,ilp
	done
}

@test "the sources' own experiments, where a small machine has room for them" {
	measured $quick --profile default --probes "$(
		printf '%s,' shuffle ilp random bandwidth:{read,write} branch:word-{copy,odd-{random,odd,even}})branch:word-free-odd"
	measured tests/kam/cpus/small.ini --profile default --probes latency:list-one,latency:list-shuffled-one
}

@test "what is only in the longer profiles: whole curves of other authors' loops" {
	local rules='(latency:method|mlp:batch|branch:state)'
	judged $quick --profile default --largest 1m --probes "$(
		printf 'latency:method-%s,' checked unchecked padded raw raw-padded
		printf 'mlp:batch%s,' "" -work -prefetch)branch:state-machine,latency:pointer-padded"
	none_wrong "$rules"
	[ "$(printf '%s\n' "$output" | grep -cE "^$rules.*rows ok")" = 10 ]
}

@test "a result that is falsified in one way of each kind that a fault of the program could take" {
	# So many do not fit into the time of profile smoke.
	measured $quick --profile default \
		--probes clock,latency,mlp,bandwidth,random,stride,tlb,window,ways,branch,noise
	tests/kam/kind_edits.py $quick "$result" "$BATS_TEST_TMPDIR/edits"
}

@test "profile default in layer b, with HPET, ACPI timer and ACPI's tables: every value, all four timers" {
	asked=(--layer b --profile default)
	measured $quick
	[ "$(jq -r 'select(.kind == "run") | .tsc_sources[] | select(.hz != null and .claimed != true).name' \
		"$result" | sort | xargs)" = 'hpet pit pm-timer stall' ]
}
