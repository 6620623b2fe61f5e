#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Rows that no summary line rests on are what the machine makes of them: those that are quick;
# rows.long.bats has the others.

load stated_helper

quick=tests/kam/mutations/quick.ini
asked=(--every-row)

# rows_ok RULE...: the rows of these rules.
rows_ok() {
	ok "${@/%/ .*rows}"
}

@test "stamps, adds, indices and chains of operations cost what the machine says" {
	measured $quick --probes clock,ilp,latency:index,latency:index-padded
	rows_ok clock:{rdtsc,lfence-rdtsc,adds-delta} latency:index{,-padded} \
		ilp:{add,multiply,prefix-sum,factorial-memory}
}

@test "other authors' loops over a small buffer cost what the machine says" {
	judged $quick --profile default --largest 1k --probes "$(
		printf 'latency:method-%s,' checked unchecked padded raw raw-padded
		printf 'mlp:batch%s,' "" -work -prefetch)"
	none_wrong '(latency:method|mlp:batch)'
	rows_ok latency:method-{checked,unchecked,padded,raw,raw-padded} mlp:batch{,-work,-prefetch}
}

@test "three divisions need fences to be timed; lanes rise beyond the buffers, together without end" {
	measured $quick --profile full --largest 1m --probes "$(
		printf '%s,' clock:rem3-{rdtsc,rdtscp,fenced} mlp:elements{,-gib}{,-together} \
			bandwidth:{one-int,words-read,words-write})branch:states-random"
	rows_ok clock:rem3-{rdtsc,rdtscp,fenced} mlp:elements{,-gib}{,-together} \
		bandwidth:{one-int,words-read,words-write}
	# Two stamps without a fence do not wait for the divisions; with one, as much more as these take.
	[ "$(jq -s 'map(select(.variant == "rem3-rdtsc" or .variant == "rem3-fenced").cycles) |
		max > 2 * min' "$result")" = true ]
	# 10 buffers: what hits in L1 needs none, so that the speed-up is larger than that.
	[ "$(jq -s '[.[] | select(.variant == "elements").more.speedup] | max | . > 10.05 and . < 10.6' \
		"$result")" = true ]
	# Lanes at one place share each miss: as many lanes, so many times as fast, to the window.
	[ "$(jq -s '[.[] | select(.variant == "elements-together" and .more.speedup < 0.95 * .params.lanes)] |
		length' "$result")" = 0 ]
	[ "$(jq -s '[.[] | select(.variant == "elements-gib-together").more.speedup] | max > 150' \
		"$result")" = true ]
}

@test "integers in place and words have the shape that their source shows" {
	measured $quick --profile default --probes "$(
		printf '%s,' ilp:{int-prefix-sum,int-differences,printed-prefix-sum} \
			branch:{word,printed}-odd-{random,odd,even})branch:word-free-odd"
	ok ilp:int-prefix-sum ilp:int-differences ilp:memory-chain branch:word-free branch:word-odd \
		branch:printed ilp:printed-prefix-sum
}

@test "the judge takes a slow value for right by its floor only, and notices floors that are wrong" {
	edited $quick noise.jitter_every=1000000
	asked=(--probes clock:core-clock)
	measured $quick
	tests/kam/floor_edits.py $quick "$ini" "$result" "$BATS_TEST_TMPDIR/edits"
}

@test "streams beyond L1, mixes and strided copies cost what the machine says, and 1.3 times that is noticed" {
	judged $quick --profile default --probes bandwidth,stride
	none_wrong '(bandwidth|stride)'
	row_edits bandwidth:mix-{3,2,1}-1 bandwidth:{read,write,copy}:{l1,l2,l3,memory} bandwidth:nt-write \
		stride:{even,odd}
}

@test "chases beyond L1, through one set and over pages cost what the machine says, and 1.3 times that is noticed" {
	judged $quick --probes "$(
		printf 'latency:%s,' pointer index index-checked index-padded pointer-padded)ways,tlb"
	none_wrong '(latency|ways|tlb)'
	rows_ok latency:pointer-padded tlb:{control,spread} ways:same-set
	row_edits latency:{pointer,index,index-checked,index-padded}:{l1,l2} latency:index-padded:memory \
		latency:pointer-padded:{l1,l2,l3,memory} ways:same-{set,index,pages} \
		tlb:control:pages={64,2048} tlb:spread
}
