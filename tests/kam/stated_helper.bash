# SPDX-License-Identifier: MIT
# For tests of a probe whose rows and values the machines of a folder state: what of_PROBE sets is
# $probe, what the machine is run with, $asked, and what comes back right, $rows and $values.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

of_atomics() {
	probe=atomics
	asked=(--profile full --every-row --probes clock:core-clock,atomics)
	alone='add lock-add cas cas-fails lock-xadd xchg store-mfence split'
	rows="$alone shared shared-cas false-sharing own-lines false-sharing-add own-lines-add"
	values='lock_add_cycles cas_cycles atomics_shared_ns false_sharing_ratio'
}

# All kinds of rows that there are without AVX-512.
of_backend() {
	probe=backend
	asked=(--probes backend)
	rows='any integer vector load store branch add-waiting vector-waiting load-waiting store-waiting'
	values='integers_in_flight vectors_in_flight loads_in_flight stores_in_flight branches_in_flight
		adds_waiting vectors_waiting loads_waiting stores_waiting'
}

of_frontend() {
	probe=frontend
	asked=(--probes frontend)
	rows='dense six short long jump-inside jump-end'
	values='op_cache_ops op_cache_ops_per_cycle l1i_bytes fetch_l1i_bytes_per_cycle
		fetch_l2_bytes_per_cycle jcc_erratum'
}

of_indirect() {
	probe=indirect
	asked=(--probes clock:core-clock,indirect)
	rows='order period random returns returns-random'
	values='indirect_targets indirect_history indirect_history_many indirect_miss_cycles
		return_beyond_cycles return_again_cycles'
}

of_limits() {
	probe=limits
	asked=(--probes limits)
	rows='nop add lea imul shl load-64 load-128 store-64 store-128 load-store branch-not-taken branch-taken
		vector-128 mix'
	values='issue_width adds_per_cycle multiplies_per_cycle loads_per_cycle stores_per_cycle'
}

of_privileged() {
	probe=privileged
	asked=(--layer b --probes privileged)
	rows='rdtsc cpuid verw cr3 invlpg rdmsr rdmsr-apic wrmsr sti-cli swapgs port-in lgdt interrupt
		syscall xsave-sse xsaveopt-sse xsavec-sse xrstor-sse touch cr3-touch
		clflush-absent clflush-clean clflush-dirty wbinvd-clean wbinvd-half wbinvd-full'
	values='cr3_cycles invlpg_cycles cpuid_cycles'
}

of_skew() {
	probe=skew
	asked=(--profile default --probes skew)
	rows='offset drift'
	values='tsc_skew_ns tsc_drift_ppm'
}

of_smm() {
	probe=smm
	asked=(--profile smoke --probes smm)
	rows='smi-length smi-interval'
	values='smis_per_second smi_length_ns smi_longest_ns smi_stolen_ppm'
}

# As many rows of the probe as there are without AVX.
of_storeload() {
	probe=storeload
	asked=(--profile full --every-row --probes clock:core-clock,storeload)
	rows='forward other-register same-register larger larger-vector overlap two-stores forward-line
		forward-page alias apart load load-line load-page store store-line store-page sizes'
	values='store_forward_cycles store_forward_same_cycles store_forward_fail_cycles alias_4k_cycles
		split_line_cycles split_page_cycles'
}

of_wake() {
	probe=wake
	asked=(--layer b --profile full --probes wake)
	rows='store-pause store-mwait interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt clock-mwait
		timer-pause timer-hlt'
	values='wake_hlt_ns wake_mwait_ns wake_clock_ns wake_timer_ns'
}

# of_walks SIZE...: with walks by pages of these sizes, in layer b.
of_walks() {
	local size
	probe=walks
	asked=(--probes walks)
	rows='code-pages'
	values='itlb_4k_entries itlb_miss_cycles'
	[ $# = 0 ] || rows='cr3 invlpg code-pages'
	for size; do
		values+=" walk_leaf_${size}_cycles walk_root_${size}_cycles walk_memory_${size}_cycles"
	done
}

# judged MACHINE.ini OPTION...: into $result, and what the judge says into $output.
judged() {
	machine=$1
	build/kam --cpu "$machine" --image build/BOOTX64.EFI --out "$result" "${asked[@]}" "${@:2}" \
		>"$result.said" 2>&1 || { tail -3 "$result.said"; return 1; }
	run build/kam --check "$machine" "$result"
}

# none_wrong [PATTERN]: nothing, or nothing of that.
none_wrong() {
	! printf '%s\n' "$output" | grep -E "^${1:-}.*WRONG"
}

# measured MACHINE.ini OPTION...: and nothing is wrong.
measured() {
	judged "$@" && none_wrong && [ "$status" = 0 ]
}

# edited MACHINE.ini SECTION.KEY=VALUE...: to $ini.
edited() {
	tests/kam/machine_with.py "$@" >"$ini"
}

# unstated MACHINE.ini SECTION.KEY=VALUE...: to $ini, which hides what the rules say.
unstated() {
	tests/kam/machine_with.py "$@" 'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
}

# ok NAME...: each is a line of what was judged, and it is right.
ok() {
	local name
	for name; do
		printf '%s\n' "$output" | grep -qE "^$name .*ok" ||
			{ echo "expected '$name ... ok', came: $output"; return 1; }
	done
}

# right [ROOM...]: all rows and values, in these rooms.
right() {
	local room name
	for room in "${@-}"; do
		for name in $rows; do
			ok "$probe:$name$room .*rows" || return
		done
		for name in $values; do
			ok "$name$room" || return
		done
	done
}

# in_both_rooms MACHINE.ini OPTION...: of layer b.
in_both_rooms() {
	measured "$@" --layer b --rooms both
	right @firmware @bare
}

# found: the values of the probe in their order; -: none; N+: so many or more, and what ends.
found() {
	jq -r --arg p "$probe" 'select(.kind == "summary" and .probe == $p) | if .value == null then "-" else
		"\(.value * 100 | round / 100)\(if has("high") and .high == null then "+ " + .form else "" end)" end' \
		"$result" | paste -sd,
}

# unresolved: which of them have none.
unresolved() {
	jq -r --arg p "$probe" 'select(.kind == "summary" and .probe == $p and .value == null).name' "$result" | xargs
}

# value NAME: null where it is not resolved.
value() {
	jq -r --arg n "$1" 'select(.kind == "summary" and .name == $n).value' "$result"
}

# skips [VARIANT]: the reasons of the probe's skips, each once.
skips() {
	jq -r --arg p "$probe" --arg v "${1:-}" 'select(.kind == "skip" and .probe == $p and
		($v == "" or .variant == $v)).reason' "$result" | sort -u
}

# skipped VARIANT REASON: in each room.
skipped() {
	[ "$(skips "$1")" = "$2" ] || { echo "expected that $1 is skipped: $2; came '$(skips "$1")'"; return 1; }
}

# row_edits VARIANT...: 1.3 times as much of these rows is noticed, and as little.
row_edits() {
	tests/kam/row_edits.py "$machine" "$result" "$BATS_TEST_TMPDIR/rows" "${@/#/${probe:+$probe:}}"
}

# value_edits VALUES FACTOR [MORE]: so is another number of each of so many values, or none.
value_edits() {
	tests/kam/value_edits.py "$machine" "$result" "$BATS_TEST_TMPDIR/values" "$probe" "$@"
}

# all PARAMETER: the values of the parameter that rows have, in order.
all() {
	jq -r "select(.kind == \"row\").params.$1 // empty" "$result" | sort -nu | xargs
}

# Seven wide: five adds, of them two shifts and four addresses; one and a half multiplications; three
# loads and two stores, but four together; of 16 bytes two loads and one store.
seven='tests/kam/mutations/quick.ini core.width=7 core.alus=5 core.loads=3 core.stores=2
	core.multipliers=3 limits.multiply_every=2 limits.shifts=2 limits.leas=4 limits.branches=2
	limits.vectors=3 limits.taken=2 limits.wide_loads=2 limits.wide_stores=1 limits.accesses=4
	limits.commits=2'

# Five wide: three adds, of them one shift, two addresses, one branch; two thirds of a
# multiplication; two stores issue, but one is written.
five='tests/kam/cpus/small.ini core.width=5 core.alus=3 core.loads=2 core.stores=2
	core.multipliers=2 limits.multiply_every=3 limits.shifts=1 limits.leas=2 limits.branches=1
	limits.vectors=2 limits.taken=3 limits.wide_loads=1 limits.accesses=3'
