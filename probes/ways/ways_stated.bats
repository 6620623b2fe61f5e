#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `ways` finds on machines that state how L1 replaces.

load ../../tests/kam/stated_helper

probe=ways asked=(--probes ways)

# policy MACHINE.ini: the name that the result has, or why there is none.
policy() {
	measured "$1" || return
	jq -r 'select(.kind == "summary" and .name == "l1d_policy") | .form // .reason' "$result"
}

# is EXPECTED MACHINE.ini [SECTION.KEY=VALUE...]
is() {
	local came
	edited "${@:2}"
	came=$(policy "$ini") || { echo "$2: $came"; return 1; }
	[ "$came" = "$1" ] || { echo "${*:2}: expected '$1', came '$came'"; return 1; }
}

@test "each policy of a cache is told from the others by its misses" {
	local sp=tests/kam/cpus/skylake-sp.ini
	is LRU $sp
	is bit-PLRU tests/kam/cpus/zen.ini
	is bit-PLRU tests/kam/cpus/plru.ini
	is tree-PLRU $sp l1.policy=tree
	is tree-PLRU $sp l1.policy=tree l1.bytes=64k l1.ways=16
	is random $sp l1.policy=random
	is random $sp l1.policy=random l1.bytes=48k l1.ways=12
	is LRU $sp l1.bytes=24k l1.ways=6
}

@test "where misses do not tell, no policy is named" {
	is "two policies miss alike" tests/kam/cpus/liar.ini
	is "twice as many lines as ways cost no more" tests/kam/cpus/random.ini
	is "it is none of the policies that are tried" tests/kam/cpus/skylake-sp.ini l2.bytes=32k l2.ways=8 \
		"expect.l1d_policy=not resolved: L2 does not hold the lines"
}
