# SPDX-License-Identifier: MIT
# For the tests of `code` on stated machines.

load ../../tests/kam/stated_helper

asked=(--probes code)

# Two machines whose multiplications, sums of doubles and L1 take what no other machine here states.
machine_1='tests/kam/mutations/quick.ini memory.arena=8m core.multiply=7 core.fp_add=11 l1.latency=6'
machine_2='tests/kam/cpus/small.ini core.multiply=13 core.fp_add=5'

# rooms MACHINE: the image's row in both rooms.
rooms() {
	edited $1
	measured "$ini" --layer b --rooms both --load 'code=48,0f,af,c0 code_unroll=100'
	ok 'code:snippet@firmware +1 rows' 'code:snippet@bare +1 rows'
}
