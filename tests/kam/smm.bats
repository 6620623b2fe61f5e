#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# SMIs are counted, as long and as far apart as the machine states, in both layers; what all CPUs have at
# once is found; and one is asked for only as the key and the FADT permit.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# measured MACHINE.ini OPTION...: into $result, judged into $output; nothing is wrong.
measured() {
	local machine=$1
	shift
	build/kam --cpu "$machine" --image build/BOOTX64.EFI --profile smoke --probes smm --out "$result" "$@"
	run build/kam --check "$machine" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
}

# right NAME...: each of these lines is in $output, and ends with ok.
right() {
	local name
	for name; do
		printf '%s\n' "$output" | grep -qE "^$name .*ok" ||
			{ echo "expected '$name ... ok', came: $output"; return 1; }
	done
}

# skipped VARIANT REASON: in each room.
skipped() {
	local came
	came=$(jq -r --arg v "$1" 'select(.kind == "skip" and .variant == $v).reason' "$result" | sort -u)
	[ "$came" = "$2" ] || { echo "expected that $1 is skipped: $2; came '$came'"; return 1; }
}

# value NAME: null where it is not resolved.
value() {
	jq -r --arg n "$1" 'select(.kind == "summary" and .name == $n).value' "$result"
}

smis='smis_per_second smi_length_ns smi_longest_ns smi_stolen_ppm'

@test "SMIs by a timer, and by chance: each row, each value, in layer a" {
	measured tests/kam/smm/timer.ini
	right $smis smi_period_ns smm:smi-length smm:smi-interval
	[ "$(value smi_period_ns)" != null ]
	skipped common-length 'there is one CPU'
	measured tests/kam/smm/chance.ini
	right $smis smm:smi-length smm:smi-interval
	[ "$(value smi_period_ns)" = null ]
}

@test "likewise in both rooms of layer b, by the counters of both vendors, and one that is asked for" {
	local machine room
	for machine in timer chance; do
		measured tests/kam/smm/$machine.ini --layer b --rooms both --load smi_ask=0x5d
		for room in firmware bare; do
			right ${smis// /@$room }@$room {smi_asked_ns,smm:{asked,smi-length,smi-interval}}@$room
		done
	done
}

@test "three CPUs have each SMI at once; without any they have nothing in common" {
	local common='common_gaps_per_second common_gap_ns'
	tests/kam/machine_with.py tests/kam/smm/timer.ini cpus.count=3 >"$ini"
	measured "$ini"
	right $smis $common common_gap_period_ns smm:common-length smm:common-interval
	tests/kam/machine_with.py tests/kam/smm/timer.ini cpus.count=3 smi.every=0 >"$ini"
	measured "$ini"
	right smis_per_second common_gaps_per_second
	[ "$(value common_gaps_per_second)" = 0 ] && [ "$(value smis_per_second)" = 0 ]
	[ "$(value smi_length_ns)" = null ] && [ "$(value common_gap_period_ns)" = null ]
	skipped smi-length '0 came in the time watched'
	skipped common-length '0 came in the time watched'
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

@test "1.3 times as much, or as little, and made up values are noticed" {
	tests/kam/machine_with.py tests/kam/smm/timer.ini cpus.count=3 >"$ini"
	measured "$ini"
	tests/kam/row_edits.py "$ini" "$result" "$BATS_TEST_TMPDIR/edits" \
		smm:{smi,common}-{length,interval}
	python3 tests/kam/smm_edits.py "$ini" "$result" "$BATS_TEST_TMPDIR/edited"
	measured tests/kam/smm/chance.ini --layer b --load smi_ask=0x5d
	tests/kam/row_edits.py tests/kam/smm/chance.ini "$result" "$BATS_TEST_TMPDIR/edits" smm:asked
	python3 tests/kam/smm_edits.py tests/kam/smm/chance.ini "$result" "$BATS_TEST_TMPDIR/edited"
}
