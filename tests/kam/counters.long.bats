#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Layer b: what the image's counters count (kernel/cpu/cpu_controls.c) is what the machine did, by the
# registers of both vendors; and what the image says of a TSC that is not invariant.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	ini=$BATS_TEST_TMPDIR/machine.ini
	result=$BATS_TEST_TMPDIR/result
}

counted=clock:core-clock,clock:adds-plain,branch:penalty,branch:bits-random,branch:bits-zero

# machine.ini, probes, more options of kam
measure() {
	build/kam --layer b --cpu "$ini" --image build/BOOTX64.EFI --out "$result" --probes "$1" \
		--verbose "${@:2}" >"$result.said" 2>&1
}

# The judge finds nothing wrong, and prints each of these lines as right.
right() {
	build/kam --check "$ini" "$result" >"$result.log" || { grep WRONG "$result.log"; return 1; }
	for name; do
		grep -qE "^$name .*ok" "$result.log" || { echo "expected '$name ... ok'; got:"
			cat "$result.log"; return 1; }
	done
}

@test "Intel: instructions and mispredictions counted in both rooms are those of the loops" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini cpuid.counters=all >"$ini"
	measure $counted --rooms both
	right counts@{firmware,bare} counts:instructions@{firmware,bare} mispredict_cycles@{firmware,bare} \
		"counts:mispredicts zero@"{firmware,bare} "counts:mispredicts random@"{firmware,bare}
}

@test "AMD: the same by six pairs of registers, SMIs among them" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini cpuid.counters=all \
		cpuid.vendor=AuthenticAMD cpuid.family=25 >"$ini"
	measure $counted
	right counts counts:instructions "counts:mispredicts zero" "counts:mispredicts random"
	jq -es '.[0].counts | any(. == "smis")' "$result"
}

@test "APERF alone: cycles are counted, nothing else" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini cpuid.counters=aperf >"$ini"
	measure clock:core-clock,branch:penalty
	right counts mispredict_cycles
}

# Plain C takes no time for its instructions (--cost 0), or an SMI may come between two scans.
@test "spikes that Intel's SMI counter counts are what noise finds, in the core's own cycles" {
	tests/kam/machine_with.py tests/kam/spikes.ini cpuid.counters=all >"$ini"
	measure noise,clock:core-clock --cost 0
	right counts
	python3 tests/kam/check_noise.py "$ini" "$result"
}

@test "spikes that AMD's counter of SMIs counts are what noise finds" {
	tests/kam/machine_with.py tests/kam/spikes.ini cpuid.counters=all \
		cpuid.vendor=AuthenticAMD cpuid.family=25 >"$ini"
	measure noise,clock:core-clock --cost 0
	right counts
	python3 tests/kam/check_noise.py "$ini" "$result"
}

@test "AMD without counters, its TSC not invariant: said so, no SMI claimed, and the clock is right" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini cpuid.tsc_invariant=no \
		cpuid.vendor=AuthenticAMD cpuid.family=25 >"$ini"
	measure clock:core-clock,latency:pointer-padded
	right counts core_clock_hz core_tsc_ratio l1d_bytes l2_bytes l3_bytes
	jq -es '.[0] | .tsc_invariant == false and .cpu.vendor == "AuthenticAMD"' "$result" ||
		{ echo "expected tsc_invariant false of AuthenticAMD; got:"; head -1 "$result"; return 1; }
	grep -q "CPUID does not call it invariant" "$result.said"
}

@test "counts that are too few or too many, or of what nobody counts, are noticed" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini cpuid.counters=all >"$ini"
	measure $counted
	PYTHONPATH=tests/kam python3 - "$result" "$ini" <<'P'
import copy, json, pathlib, subprocess, sys
import result_lines
good = [json.loads(line) for line in open(sys.argv[1])]
edits = {
    "instructions halved": ("adds-plain", "instructions", lambda n: n // 2, "counts:instructions"),
    "instructions twice": ("adds-plain", "instructions", lambda n: 2 * n, "counts:instructions"),
    "no mispredictions": ("bits-random", "mispredicts", lambda n: 0, "counts:mispredicts random"),
    "too many of zeros": ("bits-zero", "mispredicts", lambda n: 9 * n, "counts:mispredicts zero"),
}
def judge(name, lines, wanted):
    path = pathlib.Path(sys.argv[1] + ".edited")
    result_lines.write(path, lines)
    said = subprocess.run(["build/kam", "--check", sys.argv[2], path], capture_output=True,
                          text=True, env={"UBSAN_OPTIONS": "halt_on_error=1"})
    if not any(line.startswith(wanted) and "WRONG" in line for line in said.stdout.splitlines()):
        sys.exit(f"{name}: expected '{wanted} ... WRONG'; got:\n{said.stdout}{said.stderr}")
for name, (variant, event, change, wanted) in edits.items():
    lines = copy.deepcopy(good)
    row = next(l for l in lines if l.get("variant") == variant and l["kind"] == "row")
    row["counts"][event] = change(row["counts"][event])
    judge(name, lines, wanted)
lines = copy.deepcopy(good)
lines[0]["counts"].remove("core_cycles")
judge("core_cycles not listed", lines, "counts ")
lines = copy.deepcopy(good)
lines[0]["counts"].append("switches")
judge("switches listed", lines, "counts ")
lines = copy.deepcopy(good)
next(l for l in lines if l.get("variant") == "penalty")["params"]["mispredicts_counted"] = 0
judge("a penalty by estimate", lines, "branch:penalty")
P
}
