#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools/bench beside programs that are missing, or that print no figure; ours is made up, too.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return
	mkdir build bin
	ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
	for program in taskset chrt; do
		ln -s "$(command -v $program)" bin
	done
	made build/anechoic '/bin/cat lines'
	echo '{"kind":"run","os":{"scheduler":"other","cpu":0}}' >lines
}

# made FILE COMMANDS: a program that does this.
made() {
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

bench() {
	run env "PATH=$PWD/bin" python3 "$top/tools/bench" --turns 1 --runs 1 "$@"
	echo "$output"
}

@test "a program that is missing is named, with the command that installs it, before anything is measured" {
	rm build/anechoic
	bench
	[ "$status" = 1 ]
	[ "$output" = "tools/bench: not there: build/anechoic, likwid-bench, mbw, oslat; \`make bench\` installs and builds what is missing, and runs this" ]
	bench latency
	[[ $output == *"not there: build/anechoic; "* ]]
	bench nosuch
	[ "$status" = 2 ]
	[[ $output == *"there is no part nosuch: latency, bandwidth, noise, whole"* ]]
}

@test "programs without a figure, and tables without a line" {
	made bin/likwid-bench 'exit 1'
	made bin/mbw 'exit 1'
	made bin/oslat 'exit 1'
	bench
	[ "$status" = 0 ]
	[[ $output == *"no level was measured"*"a run did not resolve its noise"*"oslat did not run"* ]]
	for operation in read copy; do
		echo '{"kind":"row","probe":"bandwidth","variant":"'$operation'","level":"memory","median":9.5,"params":{"bytes":1048576}}'
	done >>lines
	bench bandwidth
	[ "$status" = 0 ]
	[[ $output == *"read   memory "*"9.50 ["*" -  read / likwid-bench has no figure"* ]]
	[[ $output == *" -  mbw memcpy has no figure"* ]]
}
