#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic run --code: the user's own instructions, as assembly and as bytes; what is ended.

load helper

# code OPTION...: a run; its line of `code` is in $line. Where that is all and is a skip, the run is "empty".
code() {
	local status_of_run=${STATUS:-complete}
	run "$anechoic" run --memory 16m --force --out "$out" "$@"
	[ "$status" -eq 0 ] || { echo "exit $status: $output"; return 1; }
	python3 tests/cli/check_result.py "$out" "$status_of_run"
	line=$(jq -c 'select(.probe == "code" and .kind != "summary")' "$out")
}

# has CONDITION: of that line.
has() {
	jq -e "$1" <<<"$line" >/dev/null || { echo "expected $1, came: $line"; return 1; }
}

refused() { # because option...
	exits 2 "$1" "$anechoic" run --out "$out" "${@:2}"
	[ ! -e "$out" ]
}

@test "assembly and its bytes are the same row, and nothing else is measured" {
	code --memory 0 --code 'imul rax, rax'
	has '.kind == "row" and .cycles > 0 and .params.unroll == 1000 and .more.code == "48 0f af c0"'
	has '.more.source == "imul rax, rax"'
	crc=$(jq .params.code_crc <<<"$line")
	[ "$(jq -r 'select(.kind == "row") | .probe' "$out" | sort -u)" = code ]
	[ "$(jq 'select(.kind == "end").os.arenas | map(.bytes) | add' "$out")" -le 67108864 ]
	code --code '48 0F,af c0' --code-unroll 50 --code-loop 4
	has '.params.code_crc == '"$crc"' and .params.unroll == 50 and .params.loop == 4'
	has '.more | has("source") | not'
}

@test "a file, code before it, and other probes by name" {
	printf 'mov rsi, [rsi]\nnop # a comment\n' >"$BATS_TEST_TMPDIR/code.s"
	code --code-file "$BATS_TEST_TMPDIR/code.s" --code-init 'mov [rsi], rsi' --profile smoke \
		--probe code,clock:rdtsc
	has '.more.code == "48 8b 36 90" and .more.code_init == "48 89 36"'
	has '.more.source == "mov rsi, [rsi];nop # a comment"'
	jq -es 'any(.[]; .kind == "row" and .variant == "rdtsc")' "$out" >/dev/null
}

@test "an exception ends the row, by vector and place" {
	STATUS=empty
	code --code 'nop; ud2'
	has '.reason == "exception 6, invalid opcode, at byte 1 of the code" and .more.vector == 6'
	code --code cli
	has '.reason == "exception 13, general protection, at byte 0 of the code"'
	code --code 'div rbx'
	has '.reason == "exception 0, divide error, at byte 0 of the code"'
	code --code nop --code-init int3
	has '.reason == "exception 3, breakpoint, at byte 1 of code_init" or .more.vector == 3'
	code --code 'mov dword ptr [0x1000], 1'
	has '.reason == "exception 14, page fault, at byte 0 of the code: write to 1000"'
	code --code ret
	has '.reason == "exception 14, page fault, at 0, outside of it: execution at 0"'
}

@test "code that does not return is ended, whatever it has done to its stack" {
	STATUS=empty
	code --code 'jmp .'
	has '.reason == "it was ended after 1 s, at byte 0 of the code" and .more.late == true'
	code --code 'xor esp, esp; jmp .'
	has '.more.late == true'
	code --code 'push 0x40302; popf; mov eax, [rsp + 1]' # traps, and alignment checked
	has '.kind == "skip" and .more.vector == 17'
}

@test "what the code changes does not stay: direction, rounding, the stack, all registers" {
	code --profile smoke --probe code,clock:rdtsc,latency:pointer --largest 64k --code-unroll 1 --code-init \
		'std; mov dword ptr [rsp - 8], 0; ldmxcsr [rsp - 8]; fld1; mov r14, 0; mov rbp, 0' \
		--code 'xor esp, esp; xor ebx, ebx; xor r12d, r12d; xor r13d, r13d; xor r15d, r15d'
	has '.kind == "row"'
	jq -es 'any(.[]; .kind == "row" and .variant == "pointer" and .median > 0)' "$out" >/dev/null
}

@test "mistakes are named, before anything is measured" {
	refused "two hexadecimal digits" --code '48 0'
	refused "two hexadecimal digits" --code '48 0f a'
	refused "does not assemble it: no such instruction" --code 'imull rax'
	refused "refers to something that is not in it" --code 'call elsewhere'
	refused "has too many bytes" --code '.fill 129, 1, 0x90'
	refused "longer than 383 characters" --code "$(printf '90 %.0s' $(seq 129))"
	refused "it has no instruction" --code ''
	refused "it has no instruction" --code '# nothing'
	refused "there is no code that they are for" --code-init nop
	refused "cannot read '/no/such/file'" --code-file /no/such/file
	refused "must be 1 to 10000" --code nop --code-unroll 0
	PATH=/nowhere refused "there is no program \`as\` here" --code nop
}
