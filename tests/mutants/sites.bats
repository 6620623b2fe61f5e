#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is drawn to be mutated: the same for the same seed, of every kind, each a real change.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	sites=tests/mutants/sites.py
	some='engine/plan.c probes/latency/latency.c probes/loops/chase_loops.S probes/loops/read_loops.S'
}

kinds() {
	grep -o '"kind": "[a-z-]*"' | sort | uniq -c
}

@test "equal seeds draw equal mutations, another seed draws others" {
	$sites --seed 7 --count 50 $some >"$BATS_TEST_TMPDIR/first"
	$sites --seed 7 --count 50 $some | cmp - "$BATS_TEST_TMPDIR/first"
	! $sites --seed 8 --count 50 $some | cmp -s - "$BATS_TEST_TMPDIR/first"
}

@test "every kind of mutation is drawn, and each equally often" {
	$sites --count 80 $some | kinds >"$BATS_TEST_TMPDIR/kinds"
	cat "$BATS_TEST_TMPDIR/kinds"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/kinds")" = 8 ]
	[ "$(awk '$1 != 10' "$BATS_TEST_TMPDIR/kinds")" = "" ]
}

@test "every file of the program is drawn from" {
	python3 -B - <<-'END' | diff - <(git ls-files engine probes kernel efi linux page lib '*.inc' |
		grep -E '\.[cS]$|/(stream|timing)\.inc$' | grep -vE '_(test|truth)\.c$' | grep -v '^t' | sort)
	import sys
	sys.path.insert(0, "tests/mutants")
	import sites
	print(*sorted(map(str, sites.sources())), sep="\n")
	END
}

@test "comments and texts are not mutated" {
	printf '%s\n' '/* add 1 + 2' ' * and 3 */' '	say(b, "4 + 5"); /* 6 + 7 */' \
		'	x = y + 8;' >"$BATS_TEST_TMPDIR/a.c"
	$sites "$BATS_TEST_TMPDIR/a.c" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	grep -q 'x = y - 8;' "$BATS_TEST_TMPDIR/found"
	! grep -qE 'add|and 3|4 - 5|6 - 7|"after": .*(5|7) \+' "$BATS_TEST_TMPDIR/found"
}

@test "what a mutation means has no names but that of its function and of those called" {
	meaning() { # FILE
		$sites --kind comparison "$1" | jq -r .meaning
	}
	printf 'int least(int n)\n{\n\tif (wide(n) < n) /* 1 */\n\t\treturn 0;\n}\n' >"$BATS_TEST_TMPDIR/a.c"
	{ echo 'struct x { int y; };'; sed 's/\bn\b/many/g; s/\/\*.*//; s/^\t/\t\t/' "$BATS_TEST_TMPDIR/a.c"; } >"$BATS_TEST_TMPDIR/b.c"
	[ "$(meaning "$BATS_TEST_TMPDIR/a.c")" = "least: if(wide(a) {< => <=} a)" ]
	[ "$(meaning "$BATS_TEST_TMPDIR/b.c")" = "least: if(wide(a) {< => <=} a)" ]
}

# drawn KIND LINES INSTRUCTION...: of these instructions, or statements of C, a line each, those
# mutations begin in these lines. A nop stands between the cases.
drawn() {
	local kind=$1 lines=$2 source=$BATS_TEST_TMPDIR/a.S
	[ "$kind" = swapped-instructions ] || source=$BATS_TEST_TMPDIR/a.c
	shift 2
	printf '\t%s\n' "$@" >"$source"
	$sites --kind "$kind" "$source" >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	[ "$(grep -o '"line": [0-9]*' "$BATS_TEST_TMPDIR/found" | tr -dc '0-9\n' | sort -n | xargs)" = "$lines" ] ||
		{ echo "expected lines $lines"; return 1; }
}

@test "neighbours are swapped only where one depends on the other" {
	drawn swapped-instructions '2 3' 'mov $4, %esi' 'mov $5, %ebx' 'mov %rbx, %rax' \
		'mov (%rax), %rdi' 'mov $1, %ecx' 'movabs $2, %r9' 'xor %edx, %edx'
}

@test "what does nothing may stand before or after its neighbour" {
	drawn swapped-instructions '3' 'add %r9, %r8' 'nopl (%rax)' 'sub %r8, %r9' 'add %r9, %r8'
}

@test "a push and a move, upper halves and lower ones, flags that are overwritten: either order" {
	drawn swapped-instructions '2 3 4 8 14 22' 'push %r13' 'mov %rdx, %r12' 'mov %r13, %rdx' \
		'push %rdx' 'mov (%rsp), %rdx' nop 'mov %rbx, %rax' 'pop %rbp' 'pop %rbx' nop \
		'vpaddq %xmm1, %xmm4, %xmm4' vzeroupper nop 'vpaddq %ymm1, %ymm4, %ymm4' \
		vzeroupper nop 'xor %ebp, %ebp' 'xor %r10d, %r10d' 'xor %r13d, %r13d' nop \
		'xor %ebp, %ebp' 'xor %r10d, %r10d' 'jz 1f'
}

@test "two loads, or two counts before a third, may stand in either order" {
	drawn swapped-instructions '5 8 9 12 15 18' 'mov 8(%rsi), %rax' 'mov \at * 8(%rsi), %rdx' \
		nop 'inc %r10' 'inc %r9' 'dec %rdx' nop 'inc %r10' 'inc %r9' 'jb 1b' nop \
		'mov (%rsi), %rax' 'mov %rdx, (%rdi)' nop 'mov (%rax), %rax' 'mov (%rax), %rdx' \
		nop 'mov (%rsi), x' 'mov x, %rdx' nop 'mov z, %rax' 'xor %ebx, %ebx'
}

@test "a store, or a rotation, may stand before or after what has no part in it" {
	drawn swapped-instructions '4 7 11' 'mov %ebp, (%rdi, %rdx, 4)' 'add %rdx, %rbx' nop \
		'mov %ebp, (%rdi)' 'mov (%rsi), %rax' nop 'mov %ebp, (%rdi)' 'inc %rdi' nop \
		'inc %rdi' 'rol $5, %rax' 'xor %rcx, %rax'
}

@test "a vector's store, or a count whose carry nobody asks for, may stand before or after a sum" {
	drawn swapped-instructions '4 7 11 12 15 16 17' 'vmovdqa %ymm0, (%rdi, %rax)' \
		'add %rax, %rbx' nop 'movdqa %xmm0, (%rdi)' 'vpxor %ymm0, %ymm0, %ymm0' nop \
		'movdqa %xmm0, (%rdi)' 'inc %rdi' nop 'add %rax, %rbx' 'inc %r9' 'dec %rdx' \
		'jnz 7b' nop 'add %rax, %rbx' 'inc %r9' 'dec %rdx' 'jb 7b'
}

@test "the lesser of two is the same whichever is taken where they are equal" {
	drawn comparison '3 4 5 6' 'x = a < b ? a : b;' 'f(a > 79 ? 79 : (size_t)a);' \
		'x = r->a < b ? a : b;' 'x = a < b ? a : b - 1;' 'x = 2 * a < b ? a : b;' \
		'x = a < b ? a : c;'
}

@test "a buffer of text that is longer holds the same, a kept minimum is the same if both are equal" {
	printf '\t%s\n' 'char a[16], b[TEXT];' 'if (x[i].y < least)' '	least = x[i].y;' \
		'if (x < least)' '	least = x + 1;' >"$BATS_TEST_TMPDIR/a.c"
	$sites "$BATS_TEST_TMPDIR/a.c" | grep -e constant -e comparison >"$BATS_TEST_TMPDIR/found"
	cat "$BATS_TEST_TMPDIR/found"
	! grep 'a\[17\]' "$BATS_TEST_TMPDIR/found" || return 1
	grep -q 'a\[8\]' "$BATS_TEST_TMPDIR/found"
	! grep '"line": 2, "kind": "comparison"' "$BATS_TEST_TMPDIR/found" || return 1
	grep -q '"line": 4, "kind": "comparison"' "$BATS_TEST_TMPDIR/found"
}
