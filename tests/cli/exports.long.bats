#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# LAVA's own code reads what anechoic export and the image write for it.

load helper

# LAVA's dispatcher depends on 130 packages; its files that read results need none of them.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	apt-get -q download lava-dispatcher && dpkg-deb -x lava-dispatcher_*.deb lava
}

setup() {
	program
}

@test "LAVA's dispatcher: its test shell reads each signal, its monitor each value of a serial log" {
	build/anechoic run --profile smoke --memory 64m --probe clock,noise --out "$out"
	build/anechoic export --format lava "$out" >"$dir/signals"
	python3 tests/cli/lava_reads.py "$BATS_FILE_TMPDIR/lava" signals "$dir/signals" | tee "$dir/by-shell"
	python3 tests/cli/lava_reads.py "$BATS_FILE_TMPDIR/lava" monitor "$out" docs/format.md | tee "$dir/by-monitor"
	grep -x 'hosted.run pass' "$dir/by-shell"
	[ "$(wc -l <"$dir/by-monitor")" -gt 5 ]
	# The monitor makes words of names: without the room, and _ for other characters.
	sed -n 's/^hosted\.\(.* pass .*\)/\1/p' "$dir/by-shell" | tr . _ | sort | diff - <(tr . _ <"$dir/by-monitor" | sort)
}
