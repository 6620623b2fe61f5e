#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Rows that no summary line rests on are what the machine makes of them: those that are quick;
# rows.long.tap has the others.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
}

@test "stamps, adds, indices and chains of operations cost what the machine says" {
	build/kam --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --every-row \
		--probes clock,ilp,latency:index,latency:index-padded --out "$BATS_TEST_TMPDIR/result"
	run build/kam --check tests/kam/mutations/quick.ini "$BATS_TEST_TMPDIR/result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for rows in clock:rdtsc clock:lfence-rdtsc clock:adds-delta latency:index \
		latency:index-padded ilp:add ilp:multiply ilp:prefix-sum ilp:factorial-memory; do
		printf '%s\n' "$output" | grep -q "^$rows .*rows ok$" ||
			{ echo "expected '$rows ... rows ok'"; return 1; }
	done
}

@test "other authors' loops over a small buffer cost what the machine says" {
	build/kam --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --every-row \
		--profile default --largest 1k --out "$BATS_TEST_TMPDIR/result" \
		--probes "$(printf 'latency:method-%s,' checked unchecked padded raw raw-padded)$(
			printf 'mlp:batch%s,' "" -work -prefetch)"
	run build/kam --check tests/kam/mutations/quick.ini "$BATS_TEST_TMPDIR/result"
	! printf '%s\n' "$output" | grep -E "^(latency:method|mlp:batch).*WRONG" || return 1
	for rows in latency:method-checked latency:method-unchecked latency:method-padded \
		latency:method-raw latency:method-raw-padded mlp:batch mlp:batch-work \
		mlp:batch-prefetch; do
		printf '%s\n' "$output" | grep -q "^$rows .*rows ok$" ||
			{ echo "expected '$rows ... rows ok'"; return 1; }
	done
}

@test "three divisions need fences to be timed; lanes rise beyond the buffers, together without end" {
	build/kam --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --every-row \
		--profile full --largest 1m --out "$BATS_TEST_TMPDIR/result" \
		--probes clock:rem3-rdtsc,clock:rem3-rdtscp,clock:rem3-fenced,mlp:elements,mlp:elements-gib,mlp:elements-together,mlp:elements-gib-together,bandwidth:one-int,bandwidth:words-read,bandwidth:words-write,branch:states-random
	run build/kam --check tests/kam/mutations/quick.ini "$BATS_TEST_TMPDIR/result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for rows in clock:rem3-rdtsc clock:rem3-rdtscp clock:rem3-fenced mlp:elements \
		mlp:elements-gib mlp:elements-together mlp:elements-gib-together bandwidth:one-int \
		bandwidth:words-read bandwidth:words-write; do
		printf '%s\n' "$output" | grep -q "^$rows .*rows ok$" ||
			{ echo "expected '$rows ... rows ok'"; return 1; }
	done
	# Two stamps without a fence do not wait for the divisions; with one, as much more as these take.
	[ "$(jq -s 'map(select(.variant == "rem3-rdtsc" or .variant == "rem3-fenced").cycles) |
		max > 2 * min' "$BATS_TEST_TMPDIR/result")" = true ]
	# 10 buffers: what hits in L1 needs none, so that the speed-up is larger than that.
	[ "$(jq -s '[.[] | select(.variant == "elements").more.speedup] | max | . > 10.05 and . < 10.6' \
		"$BATS_TEST_TMPDIR/result")" = true ]
	# Lanes at one place share each miss: as many lanes, so many times as fast, to the window.
	[ "$(jq -s '[.[] | select(.variant == "elements-together" and .more.speedup < 0.95 * .params.lanes)] |
		length' "$BATS_TEST_TMPDIR/result")" = 0 ]
	[ "$(jq -s '[.[] | select(.variant == "elements-gib-together").more.speedup] | max > 150' \
		"$BATS_TEST_TMPDIR/result")" = true ]
}

@test "integers in place and words have the shape that their source shows" {
	build/kam --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI --every-row \
		--profile default --out "$BATS_TEST_TMPDIR/result" --probes \
		ilp:int-prefix-sum,ilp:int-differences,branch:word-odd-random,branch:word-odd-odd,branch:word-odd-even,branch:word-free-odd
	run build/kam --check tests/kam/mutations/quick.ini "$BATS_TEST_TMPDIR/result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for rows in ilp:int-prefix-sum ilp:int-differences ilp:memory-chain branch:word-free \
		branch:word-odd; do
		printf '%s\n' "$output" | grep -q "^$rows .* ok$" ||
			{ echo "expected '$rows ... ok'"; return 1; }
	done
}

@test "on a core one wide a plain chain of adds is 66/64 of the clock, and the clock is right" {
	sed 's/^name = quick$/&\nwidth = 1/' tests/kam/mutations/quick.ini >"$BATS_TEST_TMPDIR/ini"
	grep -q '^width = 1$' "$BATS_TEST_TMPDIR/ini"
	build/kam --cpu "$BATS_TEST_TMPDIR/ini" --image build/BOOTX64.EFI --every-row --probes clock \
		--out "$BATS_TEST_TMPDIR/result"
	run build/kam --check "$BATS_TEST_TMPDIR/ini" "$BATS_TEST_TMPDIR/result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	printf '%s\n' "$output" | grep -q "^clock:adds-plain .*rows ok$"
}

@test "the judge takes a slow value for right by its floor only, and notices floors that are wrong" {
	{ cat tests/kam/mutations/quick.ini; printf '[noise]\njitter_every = 1000000\n'; } \
		>"$BATS_TEST_TMPDIR/ini"
	build/kam --cpu tests/kam/mutations/quick.ini --image build/BOOTX64.EFI \
		--probes clock:core-clock --out "$BATS_TEST_TMPDIR/result"
	tests/kam/floor_edits.py tests/kam/mutations/quick.ini "$BATS_TEST_TMPDIR/ini" \
		"$BATS_TEST_TMPDIR/result" "$BATS_TEST_TMPDIR/edits"
}

@test "streams beyond L1, mixes and strided copies cost what the machine says, and 1.3 times that is noticed" {
	local ini=tests/kam/mutations/quick.ini result=$BATS_TEST_TMPDIR/result
	build/kam --cpu $ini --image build/BOOTX64.EFI --every-row --profile default \
		--out "$result" --probes bandwidth,stride
	run build/kam --check $ini "$result"
	! printf '%s\n' "$output" | grep -E '^(bandwidth|stride).*WRONG' || return 1
	tests/kam/row_edits.py $ini "$result" "$BATS_TEST_TMPDIR/edits" bandwidth:mix-{3,2,1}-1 \
		bandwidth:{read,write,copy}:{l1,l2,l3,memory} bandwidth:nt-write stride:{even,odd}
}

@test "chases beyond L1, through one set and over pages cost what the machine says, and 1.3 times that is noticed" {
	local ini=tests/kam/mutations/quick.ini result=$BATS_TEST_TMPDIR/result
	build/kam --cpu $ini --image build/BOOTX64.EFI --every-row --out "$result" --probes \
		latency:pointer,latency:index,latency:index-checked,latency:index-padded,latency:pointer-padded,ways,tlb
	run build/kam --check $ini "$result"
	! printf '%s\n' "$output" | grep -E '^(latency|ways|tlb).*WRONG' || return 1
	for rows in latency:pointer-padded tlb:control tlb:spread ways:same-set; do
		printf '%s\n' "$output" | grep -q "^$rows .*rows ok$" ||
			{ echo "expected '$rows ... rows ok'"; return 1; }
	done
	tests/kam/row_edits.py $ini "$result" "$BATS_TEST_TMPDIR/edits" \
		latency:{pointer,index,index-checked,index-padded}:{l1,l2} latency:index-padded:memory \
		latency:pointer-padded:{l1,l2,l3,memory} ways:same-{set,index,pages} \
		tlb:control:pages={64,2048} tlb:spread
}

@test "chases cost what the machine says where lines come in pairs, and 1.3 times that is noticed" {
	local ini=tests/kam/mutations/quick-pairs.ini result=$BATS_TEST_TMPDIR/result
	build/kam --cpu $ini --image build/BOOTX64.EFI --every-row --out "$result" --probes \
		latency:pointer,latency:index,latency:index-padded,latency:pointer-padded
	run build/kam --check $ini "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	tests/kam/row_edits.py $ini "$result" "$BATS_TEST_TMPDIR/edits" \
		latency:{pointer,index,index-padded}:{l2,l3,memory} latency:pointer-padded:{l3,memory}
}
