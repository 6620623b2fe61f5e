#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic compare, show, export and import, as a user meets them.

load helper

@test "every command has help with an example, and refuses what it does not know" {
	for command in run compare show explain check anonymize report plot export import boot bare fetch ladder; do
		exits 0 "Example: " "$anechoic" $command --help
		exits 0 "Example: " "$anechoic" $command -h
		exits 2 "unknown option '--nonsense'" "$anechoic" $command --nonsense
	done
	exits 2 "unknown option '--output': did you mean '--out'?" "$anechoic" report --output x
	exits 2 "unknown option '--fail_abov': did you mean '--fail-above'?" \
		"$anechoic" compare --fail_abov 3
	exits 2 "unknown command 'cook'; see" "$anechoic" cook
	exits 2 "unknown command 'reprot': did you mean 'report'?" "$anechoic" reprot
	exits 0 "anechoic " "$anechoic" --version
}

@test "show prints tables, skips, summary and card" {
	fixture a
	exits 0 "complete: 3 rows, 1 skipped" "$anechoic" show "$dir/a.ndjson"
	[[ $output == *pointer*65536* || $output == *pointer*64K* ]]
	[[ $output == *"1 row: no time"* ]]
	[[ $output == *l1d_bytes*agrees* ]]
	[[ $output == *"The machine as measured in room "* ]]
	[[ $output == *$'\n'"L1 "*sure* ]]
}

@test "figures that others publish stand beside ours, on the card, in the summary and on the page" {
	results_by "$dir/z.ndjson" <<-'PYTHON'
		result = Result(cpu={"vendor": "AuthenticAMD", "brand": "AMD EPYC", "family": 26, "model": 2, "stepping": 1})
		for name, value, unit in (("l1d_bytes", 49152, "bytes"), ("l1d_latency_cycles", 5, "cycles"),
		        ("l1d_latency_ns", 1.2, "ns"), ("window_instructions", 448, "instructions")):
		    result.add("summary", name=name, value=value, claimed=None, confidence=1, unit=unit)
		result.write(sys.argv[1])
	PYTHON
	exits 0 "stepping 1: Zen 5" "$anechoic" show --all "$dir/z.ndjson"
	[[ $output == *"(48K, 4 cy!)"*"window 448 instructions (448)"*"all main values"* ]]
	[[ $output == *" 4 published, unlike ours: AMD 58455"* ]]
	"$anechoic" report --beside zen5,golden-cove "$dir/z.ndjson" --out "$dir/z.html"
	grep -q '>window_instructions</th><td>448</td><td title="AMD[^>]*>448</td><td class="differs"[^>]*>512!<' "$dir/z.html"
	exits 2 "beside = 'zen9': must be at most 8 of zen2, zen3," "$anechoic" report --beside zen9 "$dir/z.ndjson"
}

@test "show: the columns of the summary stand under their heads, and bytes and Hz are whole" {
	results_by "$dir/s.ndjson" <<-'PYTHON'
		result = Result()
		for name, value, claim, unit in (
		        ('write_bytes_per_cycle_memory', 1.78697, None, 'bytes/cycle'),
		        ('window_instructions', None, 512, 'instructions'),
		        ('l3_bytes', 503316480, 2621440, 'bytes'), ('core_clock_hz', 800001999.6, None, 'Hz')):
		    result.add('summary', name=name, value=value, claimed=claim, agrees=False, confidence=0.5, unit=unit)
		result.write(sys.argv[1])
	PYTHON
	"$anechoic" show "$dir/s.ndjson" | sed -n '/^  summary /,/^$/p' >"$dir/summary"
	diff - "$dir/summary" <<-'END'
		  summary                         measured     claimed unit                 confidence
		  write_bytes_per_cycle_memory     1.78697           - bytes/cycle  DIFFERS 0.50
		  window_instructions                    -         512 instructions DIFFERS 0.50
		  l3_bytes                       503316480     2621440 bytes        DIFFERS 0.50
		  core_clock_hz                  800002000           - Hz           DIFFERS 0.50

	END
}

# sections FILE: its tables, what was not measured, and the card; without widths, and heads of no row.
sections() {
	awk '!NF { shown = 0 }
		/^(Not measured:|What the rows show|The machine as measured)/ { shown = 1; title = head = "" }
		/^[a-z]+: .* / && !/ rows, / { shown = 1; title = $0; head = ""; next }
		/^  variant / { head = $0; next }
		!shown || /SKIP:|^(NOT DONE|SAVED|NEXT) |^ +anechoic report / { next }
		title { print title; title = "" }
		head { $0 = head "\n" $0; head = "" }
		{ gsub(/ +/, " "); print }' "$1"
}

@test "show prints the tables, what was not measured, the sentences and the card as the run did" {
	"$anechoic" run --profile smoke --memory 16m --probe clock:rdtsc,clock:core-clock,ilp:add,ways,memtype --seed 7 \
		--out "$dir/whole.ndjson" >"$dir/ran"
	"$anechoic" show "$dir/whole.ndjson" >"$dir/shown"
	sections "$dir/ran" >"$dir/ran.sections"
	sections "$dir/shown" >"$dir/shown.sections"
	grep -q "^The machine as measured" "$dir/ran.sections"
	grep -q "^Not measured:" "$dir/ran.sections"
	diff "$dir/ran.sections" "$dir/shown.sections"
	diff <(grep -A 1 "^sizes at which" "$dir/ran") <(grep -A 1 "^sizes at which" "$dir/shown")
	[[ $("$anechoic" show --probe ways "$dir/whole.ndjson") != *" independent chains of add run "* ]]
}

@test "files that are cut, wrong, empty or foreign: line, reason, exit 2" {
	fixture a
	{ head -n 3 "$dir/a.ndjson"; sed -n 4p "$dir/a.ndjson" | head -c 100; } >"$dir/cut"
	: >"$dir/empty"
	sed 's/anechoic\/2/anechoic\/3/' "$dir/a.ndjson" >"$dir/changed"
	head -c 5000 /dev/urandom >"$dir/binary"
	exits 2 "cut:4: cut" "$anechoic" show "$dir/cut"
	[[ $output == *"1K"* ]] # the sound row is shown all the same
	exits 2 "empty: the file is empty" "$anechoic" show "$dir/empty"
	exits 2 "changed:1: its crc is wrong" "$anechoic" show "$dir/changed"
	exits 2 "binary:1: " "$anechoic" compare "$dir/a.ndjson" "$dir/binary"
	exits 2 "No such file" "$anechoic" export --format csv "$dir/none"
	exits 2 "Is a directory" "$anechoic" show "$dir"
}

@test "compare: same, slower, --fail-above, --json" {
	fixture a
	fixture b hosted 1.01
	fixture c hosted 1.2
	exits 0 "3 cannot tell" "$anechoic" compare --all "$dir/a.ndjson" "$dir/b.ndjson"
	exits 0 "3 slower" "$anechoic" compare --all --fail-above 25% "$dir/a.ndjson" "$dir/c.ndjson"
	exits 1 "slower by 20.0 %" "$anechoic" compare --fail-above 5% "$dir/a.ndjson" "$dir/c.ndjson"
	for percent in lots -5% inf nan% 5x; do
		exits 2 "is no percentage" "$anechoic" compare --fail-above $percent "$dir/a.ndjson" "$dir/c.ndjson"
	done
	exits 2 "fewer than two" "$anechoic" compare "$dir/a.ndjson"
	exits 2 "is no percentage above 0" "$anechoic" compare --margin 0 "$dir/a.ndjson" "$dir/c.ndjson"
	for gap in 20 us 20m -1us infs nanus; do
		exits 2 "is no time" "$anechoic" compare --max-gap $gap "$dir/a.ndjson" "$dir/c.ndjson"
	done
	exits 2 "has no scan of probe noise" "$anechoic" compare --max-gap 20us "$dir/a.ndjson" "$dir/c.ndjson"
	exits 0 "3 same (100 %)" "$anechoic" compare --all --margin 20% "$dir/a.ndjson" "$dir/a.ndjson"
	exits 2 "more than 26" "$anechoic" compare $(for i in {1..27}; do echo "$dir/a.ndjson"; done)
	exits 0 "B    B/A          C    C/A   ns/load" "$anechoic" compare --all "$dir/a.ndjson" "$dir/b.ndjson" "$dir/c.ndjson"
	[ "$("$anechoic" compare --json "$dir/a.ndjson" "$dir/c.ndjson" | jq .verdicts[0].slower)" = 3 ]
}

@test "a run of another version of the format: what, where, and what would be right" {
	results_by "$dir/old.ndjson" <<-'END'
		result = Result(schema='anechoic/1')
		result.row('pointer', [1.0, 2.0])
		result.write(sys.argv[1])
	END
	for command in show "export --format csv" report; do
		exits 2 "old.ndjson:1: the run is left out: its format is 'anechoic/1', and this program reads only anechoic/2" \
			"$anechoic" $command "$dir/old.ndjson"
	done
}

@test "compare: an emulator is loud, a disturbance is named, repeated runs are one set" {
	fixture a
	fixture q bare 20 QEMU
	fixture d hosted 1 "X 1" 6
	exits 0 "is EMULATED: its timings mean nothing" "$anechoic" compare "$dir/q.ndjson" "$dir/a.ndjson"
	[[ $output == *"THE PROCESSORS DIFFER"* ]]
	exits 0 "18 context switches  <- DISTURBED" "$anechoic" compare --all "$dir/a.ndjson" "$dir/d.ndjson"
	fixture quiet-1
	fixture quiet-2 hosted 1.001
	cp "$dir/quiet-2.ndjson" "$dir/quiet-3.ndjson"
	exits 0 "2 runs, 3 rows" "$anechoic" compare "$dir"/quiet-?.ndjson "$dir/d.ndjson"
	[[ $output == *"1 copy of a run of quiet is left out"* ]] || { echo "expected a copy: $output"; return 1; }
}

@test "compare: files of one name in two directories are not repeated runs" {
	fixture a
	mkdir "$dir/before" "$dir/after"
	fixture before/linux
	fixture after/linux hosted 1.2
	exits 0 "3 slower" "$anechoic" compare --all "$dir/before/linux.ndjson" "$dir/after/linux.ndjson"
	exits 0 "linux (C) costs, against a (A): " \
		"$anechoic" compare "$dir/a.ndjson" "$dir/before/linux.ndjson" "$dir/after/linux.ndjson"
	[[ $output == *"B  $dir/before/linux, room"*"C  $dir/after/linux, room"* ]] ||
		{ echo "expected three sets: $output"; return 1; }
}

@test "what --probe and --room choose must be there" {
	fixture a
	fixture b
	exits 2 "anything of probe 'latancy'" "$anechoic" show --probe latancy "$dir/a.ndjson"
	exits 2 "anything of room 'metal'" "$anechoic" export --format csv --room hosted,metal "$dir/a.ndjson"
	exits 2 "anything of probe 'latency:index'" \
		"$anechoic" compare --probe latency,latency:index "$dir/a.ndjson" "$dir/b.ndjson"
	exits 0 "3 cannot tell" "$anechoic" compare --all --probe latency:pointer "$dir/a.ndjson" "$dir/b.ndjson"
	exits 0 "complete: 0 rows, 1 skipped" "$anechoic" show --probe tlb "$dir/a.ndjson"
	exits 2 "no time or rate in common" \
		"$anechoic" compare --fail-above 5% --probe tlb "$dir/a.ndjson" "$dir/b.ndjson"
}

@test "compare: repeated runs and nothing else are compared with each other" {
	fixture run-1
	fixture run-2 hosted 1.2
	exits 0 "3 slower" "$anechoic" compare --all "$dir/run-1.ndjson" "$dir/run-2.ndjson"
}

@test "compare: two real runs have the same rows, and show and export take them" {
	for i in a b; do
		"$anechoic" run --profile smoke --memory 16m --probe clock --out "$dir/$i.ndjson" >/dev/null
	done
	run "$anechoic" compare --json "$dir/a.ndjson" "$dir/b.ndjson"
	[ "$status" -eq 0 ]
	matched=$(jq '.verdicts[0].rows' <<<"$output")
	# Rows all of whose samples others disturbed have no part; on a busy machine these may be many.
	[ "$matched" -ge 1 ] || { echo "no row of clock is the same measurement: $output"; return 1; }
	for i in a b; do
		jq -r 'select(.kind == "row" or .kind == "skip") | .variant' "$dir/$i.ndjson" | sort -u >"$dir/$i.rows"
	done
	diff "$dir/a.rows" "$dir/b.rows"
	exits 0 "core-clock" "$anechoic" show "$dir/a.ndjson"
	for format in benchstat gbench csv; do
		exits 0 "lfence-rdtsc" "$anechoic" export --format $format "$dir/a.ndjson"
	done
}

@test "export: each format, and one room for gbench" {
	fixture a
	fixture b bare
	cat "$dir/a.ndjson" "$dir/b.ndjson" >"$dir/both.ndjson"
	exits 0 "BenchmarkLatency/variant=pointer/bytes=1024-1 1 1.0004 ns/load" \
		"$anechoic" export --format benchstat "$dir/a.ndjson"
	exits 0 "row,1,hosted,,v1,X 1,,false,latency,pointer,,ns/load,1024," "$anechoic" export --format csv "$dir/a.ndjson"
	exits 2 "choose one with --room" "$anechoic" export --format gbench "$dir/both.ndjson"
	[ "$("$anechoic" export --format gbench --room bare "$dir/both.ndjson" |
		jq '.benchmarks | length')" = $((3 * (9 + 4))) ] # samples, and four aggregates
}

@test "a full disk is an error" {
	fixture a
	for arguments in "show" "export --format csv" "import --serial"; do
		exits 2 "cannot write the output: No space left" \
			sh -c "'$anechoic' $arguments '$dir/a.ndjson' >/dev/full"
	done
	exits 2 "cannot write '/dev/full': No space left" "$anechoic" import --serial "$dir/a.ndjson" --out /dev/full
	for arguments in --help --version "run --help" "run --list" "show --help"; do
		exits 2 "No space left" sh -c "'$anechoic' $arguments >/dev/full"
	done
}

@test "import --serial: what is sound comes back, what is lost is said" {
	fixture a
	sed 's/$/\r/; 1s/^/BdsDxe: loading\r\n\x1b[2J/; 3s/median/medXan/' "$dir/a.ndjson" >"$dir/log"
	exits 1 "6 lines kept; lost lines: 2" "$anechoic" import --serial "$dir/log" --out "$dir/back.ndjson"
	[ "$(wc -l <"$dir/back.ndjson")" = 6 ]
	sed 's/$/\r/; s/^/\x1b[0m/' "$dir/a.ndjson" >"$dir/log"
	exits 0 "7 lines kept, whole" "$anechoic" import --serial "$dir/log" --out "$dir/back.ndjson"
	cmp "$dir/back.ndjson" "$dir/a.ndjson"
	exits 2 "no result line" "$anechoic" import --serial /dev/null
	exits 2 "nothing is pending" "$anechoic" import --efivars="$dir"
	[ -e /sys/firmware/efi/efivars ] ||
		exits 2 "not started by UEFI, or efivarfs is not mounted" "$anechoic" import --efivars
	exits 2 "/no/such: No such file" "$anechoic" import --efivars=/no/such
	exits 2 "must be safe" "$anechoic" import --efivars --delete
	exits 2 "must be safe" "$anechoic" import --efivars --delete --out -
}

@test "import --serial --stored: the run of the log, if thinning it gives the bytes that came home" {
	"$anechoic" run --profile smoke --memory 16m --probe clock --out "$dir/whole.ndjson" >/dev/null
	fixture other
	cat "$dir/other.ndjson" "$dir/whole.ndjson" | sed 's/$/\r/' >"$dir/log"
	stored() { # RESULT CODE TEXT
		exits "$2" "$3" "$anechoic" import --serial "$dir/log" --stored "$1" --out "$dir/back.ndjson"
	}
	stored "$dir/whole.ndjson" 0 "whole"
	cmp "$dir/back.ndjson" "$dir/whole.ndjson"
	fixture third bare
	rm "$dir/back.ndjson"
	stored "$dir/third.ndjson" 1 "is not the same result: it is not thinned, and differs"
	[ ! -e "$dir/back.ndjson" ] || { echo "written, though it is another result"; return 1; }
	sed -i '12d' "$dir/log"
	stored "$dir/whole.ndjson" 1 "is not the same result: the log's run is not whole"
	exits 2 "--stored goes with --serial" "$anechoic" import --efivars "$dir" --stored "$dir/whole.ndjson"
	exits 2 "No such file" "$anechoic" import --serial "$dir/log" --stored "$dir/none"
}

@test "import: nothing that was there is lost for a result that is not" {
	fixture a
	cp "$dir/a.ndjson" "$dir/back.ndjson"
	exits 2 "no result line" "$anechoic" import --serial /dev/null --out "$dir/back.ndjson"
	exits 2 "No such file" "$anechoic" import --serial "$dir/none" --out "$dir/back.ndjson"
	exits 2 "nothing is pending" "$anechoic" import --efivars "$dir" --out "$dir/back.ndjson"
	cmp "$dir/back.ndjson" "$dir/a.ndjson"
	sed 's/$/\r/' "$dir/a.ndjson" >"$dir/log"
	exits 0 "7 lines kept, whole" "$anechoic" import --serial "$dir/log" --out "$dir/log"
	cmp "$dir/log" "$dir/a.ndjson"
	"$anechoic" import --serial "$dir/a.ndjson" --out - 2>/dev/null | cmp - "$dir/a.ndjson"
	[ ! -e - ]
}

@test "import --efivars: the variables go only when the result is safe" {
	fixture a
	mkdir "$dir/vars"
	python3 tests/cli/variables.py "$dir/vars" "$dir/a.ndjson"
	files=$(ls "$dir/vars" | wc -l)
	exits 2 "No space left" "$anechoic" import --efivars="$dir/vars" --delete --out /dev/full
	exits 2 "cannot write '$dir/no/place'" "$anechoic" import --efivars "$dir/vars" --delete --out "$dir/no/place"
	[ "$(ls "$dir/vars" | wc -l)" = "$files" ] || { echo "deleted, and the result was not written"; return 1; }
	exits 0 "$files variables deleted" "$anechoic" import --efivars "$dir/vars" --delete --out "$dir/back.ndjson"
	cmp "$dir/back.ndjson" "$dir/a.ndjson"
	[ -z "$(ls "$dir/vars")" ]
}

@test "make install honours DESTDIR and PREFIX" {
	make -s install DESTDIR="$dir/root" PREFIX=/opt/x
	[ -x "$dir/root/opt/x/bin/anechoic" ]
	cmp build/BOOTX64.EFI "$dir/root/opt/x/lib/anechoic/BOOTX64.EFI"
	[ -f "$dir/root/opt/x/share/man/man1/anechoic.1" ]
	[ -f "$dir/root/opt/x/share/bash-completion/completions/anechoic" ]
	for file in README.md CONTRIBUTING.md docs/*.md docs/pictures/* probes/*/README.md; do
		cmp "$file" "$dir/root/opt/x/share/doc/anechoic/$file"
	done
}

# linked PROGRAM: the folder to whose READMEs its page leads.
linked() {
	"$1" report "$dir/a.ndjson" | sed -n 's/.*<a href="\([^"]*\)\/probes\/latency\/README.md".*/\1/p'
}

@test "the page's links lead to the documents of this program, built or installed" {
	fixture a
	make -s install DESTDIR="$dir/root" PREFIX=/opt/x
	[ "$(linked "$anechoic")" = "$PWD" ] || { echo "built: $(linked "$anechoic")"; return 1; }
	[ "$(linked "$dir/root/opt/x/bin/anechoic")" = "$dir/root/opt/x/share/doc/anechoic" ] ||
		{ echo "installed: $(linked "$dir/root/opt/x/bin/anechoic")"; return 1; }
	cp "$anechoic" "$dir/alone"
	[ "$(linked "$dir/alone")" = . ] || { echo "alone: $(linked "$dir/alone")"; return 1; }
}

# completed BEFORE: what the completion offers behind these words of `anechoic`.
completed() {
	COMP_WORDS=("$anechoic" "$@" "") COMP_CWORD=$(($# + 1))
	_anechoic
	echo "${COMPREPLY[*]}"
}

@test "formats and rooms stand in help, completion and manual as in their tables" {
	source tools/package/completions/anechoic
	formats=$(sed -n 's/^EXPORT_FORMAT(\([a-z]*\),.*/\1/p' linux/report/export/export_formats.inc | xargs)
	rooms=$(sed -n 's/^ROOM(\([a-z]*\))$/\1/p' lib/rooms.inc | xargs)
	[ "$(completed export --format)" = "$formats" ] || { echo "formats: $(completed export --format)"; return 1; }
	[ "$(completed show --room)" = "$rooms" ] || { echo "rooms: $(completed show --room)"; return 1; }
	exits 2 "--format must be one of: $formats" "$anechoic" export --format xml x
	for format in $formats; do
		grep -q "^.BI .*format \" $format\"" docs/anechoic.1 || { echo "the manual lacks $format"; return 1; }
	done
}

@test "the completion offers the choices that the help has, and the program takes them" {
	source tools/package/completions/anechoic
	"$anechoic" run --help-all | awk '/^  -/ { option = $1 } match($0, /[^ ]+\|[^ ]+/) {
		print option, substr($0, RSTART, RLENGTH) }' >"$dir/choices"
	[ "$(wc -l <"$dir/choices")" -ge 10 ]
	while read -r option choices; do
		[ "$(completed run $option)" = "${choices//|/ }" ] || { echo "$option: $(completed run $option)"; return 1; }
		for choice in $(completed run $option); do
			"$anechoic" run $option $choice --list >/dev/null
		done
	done <"$dir/choices"
}

@test "the completion offers what belongs there, and nothing else" {
	source tools/package/completions/anechoic
	probes=$(sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc | xargs)
	[ "$(completed run --probe)" = "$probes" ] || { echo "probes: $(completed run --probe)"; return 1; }
	COMP_WORDS=("$anechoic" show --probe = clock,wa) COMP_CWORD=4
	_anechoic
	[ "${COMPREPLY[*]}" = "clock,walks clock,ways clock,wake" ]
	COMP_WORDS=("$anechoic" run --profile =) COMP_CWORD=3
	_anechoic
	[ "${COMPREPLY[*]}" = "smoke default full" ]
	[[ $(completed plot --probe) == "latency latency-methods "* ]]
	[[ $(completed help) == "run compare "* ]]
	cd "$dir"
	touch a.ndjson
	[ "$(completed show)" = a.ndjson ]
}

# As a person's shell does it: the word behind the key that asks for completion.
@test "bash itself completes by it" {
	cat >"$dir/keys" <<-END
		source tools/package/completions/anechoic
		complete -F _anechoic $anechoic
		bind 'set bell-style none'
	END
	printf '%s run --probe priv\t--help-a\t | tail -1\nexit\n' "$anechoic" |
		script -qec "env PS1= bash --noprofile --rcfile '$dir/keys' -i" /dev/null >"$dir/screen"
	grep -q "run --probe privileged --help-all  *| tail -1" "$dir/screen" || { cat "$dir/screen"; return 1; }
	grep -q "Example: anechoic run" "$dir/screen"
}

# of_section COMMAND: what the manual has under this command.
of_section() {
	awk -v section=".SS anechoic $1" '/^\.S/ { on = $0 == section } on' docs/anechoic.1
}

# synopsis COMMAND: its lines of the manual's synopsis.
synopsis() {
	awk '/^\.SH/ { all = $2 == "SYNOPSIS" } all && /^\.B anechoic/ { on = $3 == command } all && on' command="$1" docs/anechoic.1
}

# The long options of a text of the manual.
in_manual() {
	sed 's/\\f.//g' | grep -o '\\-\\-[a-z\\-]*' | tr -d '\\' | sort -u
}

@test "help, manual and completion name the same commands and options" {
	source tools/package/completions/anechoic
	commands=$("$anechoic" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | xargs)
	COMP_WORDS=("$anechoic" "") COMP_CWORD=1
	_anechoic
	[ "${COMPREPLY[*]}" = "$commands help --help --version" ]
	[ "$(sed -n 's/^\.SS anechoic //p' docs/anechoic.1 | xargs)" = "$commands" ]
	for command in $commands; do
		all=--help
		[ $command != run ] || all=--help-all
		"$anechoic" $command $all | grep -oP '^  (-., )?\K--[a-z-]*' | sort -u >"$dir/help"
		COMP_WORDS=("$anechoic" $command --) COMP_CWORD=2
		_anechoic
		diff "$dir/help" <(printf '%s\n' "${COMPREPLY[@]}") || { echo "$command: the completion"; return 1; }
		sed -i '/^--help$/d' "$dir/help"
		diff "$dir/help" <(synopsis $command | in_manual) || { echo "$command: the synopsis"; return 1; }
		of_section $command | in_manual | comm -23 "$dir/help" - >"$dir/lacks"
		[ ! -s "$dir/lacks" ] || { echo "$command: the section lacks $(cat "$dir/lacks")"; return 1; }
	done
}

# gap_file NAME NS [PARTS_PER_MILLION]: a result whose scan of noise found a gap of NS.
gap_file() {
	results_by "$dir/$1.ndjson" "$2" "${3:-310}" <<-'PYTHON'
		result = Result()
		result.row('pointer', [10, 10.01, 10.02])
		result.row('gaps', [1], 'gaps/s', 'noise', params={'seconds': 10})
		for name, value in ('noise_stolen_ppm', sys.argv[3]), ('noise_longest_ns', sys.argv[2]):
		    result.add('summary', name=name, value=float(value), unit='x')
		result.write(sys.argv[1])
	PYTHON
}

@test "compare: what --fail-above and --max-gap refuse is named with its numbers" {
	fixture a
	fixture c hosted 1.2
	exits 1 "c/hosted: 'latency pointer 1K' is slower by 20.0 %, more than 5 %: 1.20048 after 1.0004 ns/load, ratio 1.158..1.243 with 95 % confidence" \
		"$anechoic" compare --fail-above 5% "$dir/a.ndjson" "$dir/c.ndjson"
	gap_file quiet 900
	gap_file noisy 84000
	exits 0 "longest gap 0.9 us" \
		"$anechoic" compare --max-gap 20us "$dir/quiet.ndjson" "$dir/quiet.ndjson"
	exits 1 "noisy/hosted: the longest gap in 10 s is 84.0 us, more than 20 us" \
		"$anechoic" compare --max-gap 20us "$dir/quiet.ndjson" "$dir/noisy.ndjson"
	exits 0 "" "$anechoic" compare --max-gap 1ms "$dir/quiet.ndjson" "$dir/noisy.ndjson"
}

@test "compare: stolen time has an interval over runs, and none of a single one" {
	for i in 1 2 3; do
		gap_file before-$i 900 100
		gap_file after-$i 84000 3${i}0
	done
	run "$anechoic" compare "$dir"/before-*.ndjson "$dir"/after-*.ndjson
	[[ ${output//$'\n'/ } == *"B lost 0.032 % of the time (0.0295..0.0345), longest gap 84 us"* ]] ||
		{ echo "expected an interval: $output"; return 1; }
	# Of three runs that scatter as on a busy guest, half the width is more than the rest of the time.
	for i in 1 2 3; do
		gap_file busy-$i 84000 $((150000 + 220000 * i))
	done
	run "$anechoic" compare "$dir"/before-*.ndjson "$dir"/busy-*.ndjson
	[[ ${output//$'\n'/ } == *"B lost 59 % of the time (4.35..100), longest gap 84 us"* ]] ||
		{ echo "expected no more than all of the time: $output"; return 1; }
	run "$anechoic" compare --json "$dir"/before-1.ndjson "$dir"/after-1.ndjson
	[ "$(jq '.sets[1].disturbances | .stolen_low, .stolen_high' <<<"$output" | sort -u)" = null ]
}
