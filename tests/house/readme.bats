# SPDX-License-Identifier: MIT
# The README says what the program says.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# The registry's rows as the README's table has them.
listed() {
	build/anechoic run --list | awk -F '  +' 'NR > 1 { printf "| `%s` | %s | %s |\n", $1, $2, $3 }'
}

@test "the README's table of probes is the registry's" {
	diff <(listed) <(sed -n '/^<!-- probes:/,/^$/p' README.md | grep '^| `')
}

@test "every variant that the README names is in the sources" {
	missing=0
	for word in $(sed -n '/^The sources, and where/,/^## /p' README.md |
		sed -E 's/.*\| ([^|]*) \|$/\1/' | grep -oE '`[a-z0-9-]+`' | tr -d '`' | sort -u); do
		grep -qE "\"$word\"|PROBE\($word," -r probes engine ||
			{ echo "README names '$word', no probe does"; missing=1; }
	done
	[ $missing = 0 ]
}

@test "files and packages that the README points to exist" {
	for file in $(grep -oE '\]\([^)#]+\)' README.md | tr -d '])(' ); do
		[ -e "$file" ] || { echo "README points to $file, which is not there"; return 1; }
	done
}
