#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Two NUMA nodes of 1 GiB, the second one higher, two of four CPUs on each.

load helper

two_nodes() {
	SMP=4 boot -object memory-backend-ram,id=low,size=1G -object memory-backend-ram,id=high,size=1G \
		-numa node,nodeid=0,cpus=0-1,memdev=low -numa node,nodeid=1,cpus=2-3,memdev=high
	results
}

# node_of ROOM: of the measuring CPU and of the arena.
node_of() {
	echo "$(first_of "$1" 'topology[0].node') $(first_of "$1" arena_node)"
}

@test "the arena lies on the node of the boot CPU, and another node's memory beside it" {
	machine 'rooms = firmware' 'probes = cores:node-latency,cores:node-read,cores:node-read-all'
	two_nodes
	[ "$(node_of firmware)" = '0 0' ]
	said 'the arena lies on node 0, memory of 1 more node(s) beside it'
	for cpu in 0 1; do
		for memory in 0 1; do # measured, unless this machine was too slow for its profile
			for variant in node-read node-read-all; do
				some firmware ".variant == \"$variant\" and .params.cpu_node == $cpu and
					.params.memory_node == $memory"
			done
		done
	done
	refute some firmware '.kind == "row" and .probe == "cores" and
		(.node // 0) != .params.memory_node'
	refute some firmware '.kind == "skip" and .probe == "cores" and
		(.reason | startswith("does not fit") | not)'
}

@test "cpu = 2: room bare measures there, on its node, and stores what it found" {
	machine 'cpu = 2'
	two_nodes
	[ "$(node_of firmware)" = '0 1' ]
	[ "$(first_of firmware measured_on)" = 0 ]
	[ "$(node_of bare)" = '1 1' ]
	[ "$(first_of bare measured_on)" = 2 ]
	[ "$(first_of bare 'topology[0].id')" = 2 ]
	[ "$(first_of bare 'topology[1].id')" = 0 ]
}

@test "a fault on the CPU that measures ends its run and nothing else" {
	provoking 'cpu = 3' 'rooms = bare' 'provoke_bare = ud'
	two_nodes
	ended faulted bare
	[ "$(first_of bare measured_on)" = 3 ]
}
