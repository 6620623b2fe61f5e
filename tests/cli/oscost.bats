#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What asking Linux costs, and what Linux counted meanwhile: on this machine, whose numbers are not
# looked at. A machine that is busy with other work may leave no time for some of the rows.

load helper

# narrow: no line of the screen is wider than 80 columns.
narrow() {
	run awk 'length > 80' "$out.text"
	[ -z "$output" ] || { echo "longer than 80 columns: $output"; return 1; }
}

@test "each request is a row whose count is as its name says, or a skip with a reason" {
	build/anechoic run --profile smoke --probe oscost --memory 64m --scheduler fifo --out "$out" >"$out.text"
	narrow
	python3 - "$out" <<-'EOF'
		import json, re, sys
		lines = [l for l in map(json.loads, open(sys.argv[1])) if l.get("probe") == "oscost"]
		lines = [l for l in lines if l["kind"] != "summary"]
		reasons = "does not fit", "no second processor", "no pages of 2048 KiB", "madvise"
		for l in lines:
		    # A thread of another CPU may answer before this one sleeps, on a busy machine often, but not always.
		    missed = re.fullmatch(r"the system counted (\d+) of (\d+) switches", l.get("reason", ""))
		    if missed and l["variant"].startswith("cross-cpu-") and 2 * int(missed[1]) >= int(missed[2]):
		        continue
		    if l["kind"] == "skip" and not l["reason"].startswith(reasons):
		        sys.exit(f"{l['variant']}: {l['reason']}")
		    if l["kind"] == "row" and not (l["median"] > 0 and l["more"].get("counted_per_lap", 1) >= 0.875):
		        sys.exit(f"{l['variant']}: {l['median']}, {l['more']}")
		if len(lines) != 15 or lines[0]["kind"] != "row":
		    sys.exit(f"expected a line of each of 15 requests, got {[l['variant'] for l in lines]}")
	EOF
}

# scheduler OPTION...: what the run line says that the measuring thread was.
scheduler() {
	build/anechoic run --profile smoke --probe clock:rdtsc --memory 64m --force --out "$out" "$@" >"$out.text"
	head -1 "$out" | jq -r '"\(.os.scheduler) \(.os.priority)"'
}

@test "the measuring thread is an ordinary one, or a real-time one where asked for" {
	[ "$(scheduler)" = "other 0" ]
	[ "$(scheduler --scheduler other)" = "other 0" ]
	case $(scheduler --scheduler fifo) in
	"fifo 1") ;;
	"other 0") grep '^scheduler: other, not fifo: ' "$out.text" ;;
	*) false ;;
	esac
	head -1 "$out" | jq -e '.os | (.hz >= 100) and .preemption != "" and (.options | type) == "string"' >/dev/null
}

@test "compare names a difference of schedulers" {
	scheduler --scheduler fifo >/dev/null
	head -1 "$out" | grep -q '"scheduler":"fifo"' || skip "not permitted here"
	mv "$out" "$out-a.ndjson"
	scheduler >/dev/null
	mv "$out" "$out-b.ndjson"
	build/anechoic compare "$out-a.ndjson" "$out-b.ndjson" | tr -s '\n ' ' ' >"$out.text"
	grep -Eq 'scheduler \(?fifo / other' "$out.text"
}

@test "a scan for gaps names what Linux counted meanwhile" {
	build/anechoic run --profile smoke --probe noise:gaps --memory 64m --out "$out" >"$out.text"
	narrow
	grep -q 'Counted on CPU [0-9]* during the scan' "$out.text"
	jq -se 'map(select(.variant == "gaps").more.moved[]) | any(.[]; .kind == "interrupts") and
		all(.[]; .count > 0)' "$out" >/dev/null
}
