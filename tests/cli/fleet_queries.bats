#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The statements of docs/fleet.md, "Many results", as they stand there, in SQLite.

load helper

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export SQL=$BATS_FILE_TMPDIR/fleet.sql
	sed -n '/^## Many results/,$p' docs/fleet.md |
		awk '/^```sql/ { inside = 1; next } /^```/ { inside = 0 } inside' >"$SQL"
	mkdir -p "$BATS_FILE_TMPDIR/results/rack"
	PYTHONPATH=tests/cli python3 - "$BATS_FILE_TMPDIR/results/rack" <<-'END'
		import sys, made_fleet
		made_fleet.fleet(sys.argv[1], 20, 3, rows=16, models=(0, 1), off=[{'memory_latency_ns': 1.5}])
	END
	cd "$BATS_FILE_TMPDIR" && printf '%s' '{"kind":"run","cut' >>results/rack/node-0003.ndjson
}

# answers: those of all statements.
answers() {
	(cd "$BATS_FILE_TMPDIR" && sqlite3 -bail)
}

@test "the queries of docs/fleet.md answer: medians by firmware, the machine that is off, the curve" {
	[ "$(grep -c ';$' "$SQL")" = 8 ] # five tables, three queries
	answers <"$SQL" >"$BATS_TEST_TMPDIR/said"
	cat "$BATS_TEST_TMPDIR/said"
	grep -qE '^AMD EPYC 7313 .* 65536 +10 +10[456]\.' "$BATS_TEST_TMPDIR/said"
	grep -qE '^AMD EPYC 7313 .* 65538 +10 +11[01]\.' "$BATS_TEST_TMPDIR/said"
	# The mean of ten, of which one is 50 % off: 42.9 % above it.
	grep -A2 '^file' "$BATS_TEST_TMPDIR/said" | grep -qE '^results/rack/node-[0-9]+\.ndjson +memory_latency_ns +[0-9.]+ +4[234]\.'
	[ "$(grep -cE '^[0-9]+ +20 +9\.[0-9]+ +10\.[0-9]+ +ns/load$' "$BATS_TEST_TMPDIR/said")" = 16 ]
}

@test "the import of the values alone gives the same values" {
	line=$(sed -n 's/^.*import `\("|grep[^`]*"\)`.*/\1/p' docs/fleet.md)
	[ -n "$line" ]
	awk -v line="$line" '/^\.import/ { print ".import " line " text"; next } { print }' "$SQL" |
		sed '/^CREATE TABLE measured/,$d' >"$BATS_TEST_TMPDIR/sql"
	[ "$(cat "$BATS_TEST_TMPDIR/sql" <(echo 'SELECT count(*), count(DISTINCT run) FROM value;') | answers |
		tail -1 | xargs)" = "$((20 * 40)) 20" ]
}
