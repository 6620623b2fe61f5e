#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Layer b: what the image's counters count (kernel/cpu/cpu_controls.c) is what the machine did, by the
# registers of both vendors; and what the image says of a TSC that is not invariant.

load stated_helper

counted=clock:core-clock,clock:adds-plain,branch:penalty,branch:bits-random,branch:bits-zero

# measure PROBES OPTION...: on the machine of $ini.
measure() {
	asked=(--layer b --verbose)
	measured "$ini" --probes "$@"
}

@test "Intel: instructions and mispredictions counted in both rooms are those of the loops" {
	edited tests/kam/mutations/quick.ini cpuid.counters=all
	measure $counted --rooms both
	ok counts@{firmware,bare} counts:instructions@{firmware,bare} mispredict_cycles@{firmware,bare} \
		"counts:mispredicts zero@"{firmware,bare} "counts:mispredicts random@"{firmware,bare}
}

@test "AMD: the same by six pairs of registers, SMIs among them" {
	edited tests/kam/mutations/quick.ini cpuid.counters=all \
		cpuid.vendor=AuthenticAMD cpuid.family=25
	measure $counted
	ok counts counts:instructions "counts:mispredicts zero" "counts:mispredicts random"
	jq -es '.[0].counts | any(. == "smis")' "$result"
}

@test "APERF alone: cycles are counted, nothing else" {
	edited tests/kam/mutations/quick.ini cpuid.counters=aperf
	measure clock:core-clock,branch:penalty
	ok counts mispredict_cycles
}

# Plain C takes no time for its instructions (--cost 0), or an SMI may come between two scans.
@test "spikes that Intel's SMI counter counts are what noise finds, in the core's own cycles" {
	edited probes/noise/spikes.ini cpuid.counters=all
	measure noise,clock:core-clock --cost 0
	ok counts
	python3 probes/noise/check_noise.py "$ini" "$result"
}

@test "spikes that AMD's counter of SMIs counts are what noise finds" {
	edited probes/noise/spikes.ini cpuid.counters=all \
		cpuid.vendor=AuthenticAMD cpuid.family=25
	measure noise,clock:core-clock --cost 0
	ok counts
	python3 probes/noise/check_noise.py "$ini" "$result"
}

@test "AMD without counters, its TSC not invariant: said so, no SMI claimed, and the clock is right" {
	edited tests/kam/mutations/quick.ini cpuid.tsc_invariant=no \
		cpuid.vendor=AuthenticAMD cpuid.family=25
	measure clock:core-clock,latency:pointer-padded
	ok counts core_clock_hz core_tsc_ratio l1d_bytes l2_bytes l3_bytes
	jq -es '.[0] | .tsc_invariant == false and .cpu.vendor == "AuthenticAMD"' "$result" ||
		{ echo "expected tsc_invariant false of AuthenticAMD; got:"; head -1 "$result"; return 1; }
	grep -q "CPUID does not call it invariant" "$result.said"
}

@test "counts that are too few or too many, or of what nobody counts, are noticed" {
	edited tests/kam/mutations/quick.ini cpuid.counters=all
	measure $counted
	PYTHONPATH=tests/kam python3 - "$ini" "$result" "$BATS_TEST_TMPDIR/edits" <<-'END'
		import pathlib, sys
		from result_lines import judge, read
		good, cases = read(sys.argv[2]), []
		def case(name, of, **members):
		    cases.append((name, [l | members if l is of else l for l in good]))
		def row(variant):
		    return next(l for l in good if l.get("variant") == variant and l["kind"] == "row")
		for variant, event, times, name in (
		        ("adds-plain", "instructions", 0.5, "counts:instructions"),
		        ("adds-plain", "instructions", 2, "counts:instructions"),
		        ("bits-random", "mispredicts", 0, "counts:mispredicts random"),
		        ("bits-zero", "mispredicts", 9, "counts:mispredicts zero")):
		    counts = row(variant)["counts"]
		    case(name, row(variant), counts=counts | {event: int(counts[event] * times)})
		listed = good[0]["counts"]
		case("counts", good[0], counts=[event for event in listed if event != "core_cycles"])
		case("counts", good[0], counts=listed + ["switches"])
		case("branch:penalty", row("penalty"), params=row("penalty")["params"] | {"mispredicts_counted": 0})
		judge(sys.argv[1], pathlib.Path(sys.argv[3]), cases)
	END
}
