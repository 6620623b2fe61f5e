/* SPDX-License-Identifier: MIT */
/* How early the planned rows are left out when time is short, and what each says of itself. */
#include "tests/unit/planned.h"
#include "tests/unit/row_text.h"
#include "tests/unit/test.h"

/* Rows of each drop order in each profile: a change of one changes a line. */
static const struct {
	const char *probe;
	unsigned ranks[PROFILE_FULL + 1][DROP_FIRST + 1];
} ranked[] = {
	{ "clock",
		{ { 1, 0, 5, 0, 8, 0, 0, 0, 0 }, { 1, 0, 5, 0, 8, 0, 0, 0, 0 },
			{ 1, 0, 5, 0, 8, 0, 0, 0, 0 } } },
	{ "latency",
		{ { 20, 0, 2, 0, 20, 0, 6, 0, 0 }, { 40, 0, 2, 0, 20, 0, 6, 0, 157 },
			{ 80, 0, 2, 0, 20, 0, 6, 0, 345 } } },
	{ "mlp",
		{ { 0, 0, 9, 3, 7, 8, 39, 0, 0 }, { 0, 0, 11, 22, 7, 15, 41, 0, 301 },
			{ 0, 0, 11, 120, 17, 120, 41, 0, 756 } } },
	{ "bandwidth",
		{ { 0, 0, 35, 0, 53, 0, 41, 0, 9 }, { 0, 0, 51, 0, 170, 0, 81, 0, 93 },
			{ 0, 0, 83, 0, 242, 0, 175, 0, 117 } } },
	{ "random",
		{ { 0, 0, 6, 0, 0, 0, 24, 0, 0 }, { 0, 0, 6, 0, 0, 0, 24, 0, 108 },
			{ 0, 0, 6, 0, 0, 0, 24, 0, 108 } } },
	{ "stride",
		{ { 0, 0, 15, 0, 9, 0, 0, 0, 0 }, { 0, 0, 15, 0, 17, 0, 8, 0, 0 },
			{ 0, 0, 15, 0, 33, 0, 24, 0, 0 } } },
	{ "ilp",
		{ { 0, 0, 10, 0, 4, 0, 0, 0, 0 }, { 0, 0, 10, 0, 8, 0, 0, 0, 0 },
			{ 0, 0, 10, 0, 8, 0, 0, 0, 0 } } },
	{ "matmul",
		{ { 0, 0, 2, 0, 2, 0, 0, 0, 0 }, { 0, 0, 2, 0, 2, 0, 0, 0, 2 },
			{ 0, 0, 2, 0, 4, 0, 0, 0, 0 } } },
	{ "oscost",
		{ { 0, 0, 15, 0, 0, 0, 0, 0, 0 }, { 0, 0, 15, 0, 0, 0, 0, 0, 0 },
			{ 0, 0, 15, 0, 0, 0, 0, 0, 0 } } },
	{ "noise",
		{ { 0, 0, 3, 0, 14, 0, 0, 0, 0 }, { 0, 0, 3, 0, 14, 0, 0, 0, 0 },
			{ 0, 0, 3, 0, 14, 0, 0, 0, 3 } } },
	{ "branch",
		{ { 1, 0, 17, 0, 94, 0, 6, 0, 0 }, { 1, 0, 17, 0, 201, 0, 6, 0, 0 },
			{ 1, 0, 17, 0, 265, 0, 6, 0, 0 } } },
	{ "cores",
		{ { 0, 0, 7, 2, 20, 9, 9, 0, 0 }, { 0, 0, 7, 2, 20, 9, 9, 0, 0 },
			{ 0, 0, 7, 2, 20, 13, 9, 0, 0 } } },
};

TEST(as_many_of_each_rank)
{
	for (unsigned i = 0; i < sizeof ranked / sizeof *ranked; i++)
		for (unsigned profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++) {
			unsigned came[DROP_FIRST + 1] = { 0 };

			plan_of(probe_named(ranked[i].probe), profile);
			for (unsigned k = 0; k < plan.n; k++)
				came[plan.rows[k].drop_order]++;
			for (unsigned drop_order = 0; drop_order <= DROP_FIRST; drop_order++)
				if (came[drop_order] != ranked[i].ranks[profile][drop_order])
					fail_msg("%s, profile %u: expected %u rows of rank %u, "
						 "came %u",
						ranked[i].probe, profile,
						ranked[i].ranks[profile][drop_order], drop_order,
						came[drop_order]);
		}
}

/* In profile default, some of each kind that there is. */
static const struct {
	const char *probe, *row;
} says[] = {
	{ "clock", "rdtsc - ticks 0K rank 2" },
	{ "clock", "rdtscp - ticks 0K rank 2 rdtscp" },
	{ "clock", "lfence-rdtsc - ticks 0K rank 2" },
	{ "clock", "cpuid-rdtsc - ticks 0K rank 2" },
	{ "clock", "step - ticks 0K rank 2" },
	{ "clock", "div3-bare - ticks 0K rank 4" },
	{ "clock", "div3-rdtscp - ticks 0K rank 4 rdtscp" },
	{ "clock", "div3-lfence - ticks 0K rank 4" },
	{ "clock", "div3-cpuid - ticks 0K rank 4" },
	{ "clock", "core-clock - GHz 0K rank 0" },
	{ "clock", "adds-plain - ns/op 0K rank 4" },
	{ "clock", "adds-delta - ns/op 0K rank 4" },
	{ "clock", "os-clock - ns/call 0K rank 4 linux" },
	{ "clock", "os-clock-step - ns 0K rank 4 linux" },
	{ "latency", "pointer-padded bytes=1024 - ns/load 2048K rank 0" },
	{ "latency", "pointer-padded bytes=24576 l1 ns/load 4K rank 4" },
	{ "latency", "pointer-padded bytes=24576 l1 ns/load 2048K rank 4" },
	{ "latency", "pointer bytes=24576 l1 ns/load 2048K rank 4" },
	{ "latency", "index bytes=24576 l1 ns/load 2048K rank 4" },
	{ "latency", "index-checked bytes=1048576 l2 ns/load 2048K rank 4" },
	{ "latency", "index-padded bytes=24576 l1 ns/load 2048K rank 4" },
	{ "latency", "sequential bytes=24576 stride_bytes=64 l1 ns/load 2048K rank 4" },
	{ "latency", "stride bytes=67108864 stride_bytes=1088 memory ns/load 2048K rank 6" },
	{ "latency", "pointer-padded bytes=67108864 memory ns/load 4K rank 2" },
	{ "latency", "pointer-padded bytes=67108864 memory ns/load 2048K rank 2" },
	{ "latency", "pointer bytes=67108864 memory ns/load 2048K rank 6" },
	{ "latency", "pointer-padded bytes=16384 - ns/load 4K rank 8" },
	{ "latency", "pointer-padded - ns/load 0K rank 8" },
	{ "latency", "method-checked bytes=1024 - ns/load 4K rank 8" },
	{ "latency", "method-unchecked bytes=1024 - ns/load 4K rank 8" },
	{ "latency", "method-raw bytes=1024 - ns/load 4K rank 8" },
	{ "latency", "method-padded bytes=1024 - ns/load 4K rank 8" },
	{ "latency", "method-padded bytes=1024 - ns/load 2048K rank 8" },
	{ "latency", "method-raw-padded bytes=1024 - ns/load 4K rank 8" },
	{ "latency", "method-raw-padded bytes=1024 - ns/load 2048K rank 8" },
	{ "mlp", "chains bytes=67108864 lanes=1 memory ns/line 2048K rank 2 clflush" },
	{ "mlp", "chains bytes=67108864 lanes=1 memory ns/line 4K rank 4 clflush" },
	{ "mlp", "chains bytes=67108864 lanes=3 memory ns/line 2048K rank 3 clflush" },
	{ "mlp", "work bytes=67108864 lanes=32 work=3 memory ns/line 2048K rank 4 clflush" },
	{ "mlp", "work bytes=67108864 lanes=1 work=12 memory ns/line 2048K rank 6 clflush" },
	{ "mlp", "prefetch bytes=67108864 lanes=32 work=6 memory ns/line 2048K rank 4 clflush" },
	{ "mlp", "batch bytes=1024 lanes=1 - ns/line 2048K rank 8" },
	{ "mlp", "batch bytes=131072 lanes=32 - ns/line 2048K rank 8" },
	{ "mlp", "batch-work bytes=2048 lanes=16 work=3 - ns/line 2048K rank 8" },
	{ "mlp", "batch-prefetch bytes=2048 lanes=16 work=12 - ns/line 2048K rank 8" },
	{ "mlp", "batch-prefetch bytes=2048 lanes=16 work=0 - ns/line 2048K rank 8" },
	{ "mlp", "batch-prefetch bytes=4096 lanes=32 work=0 - ns/line 2048K rank 8" },
	{ "bandwidth", "read bytes=24576 width_bits=32 l1 GB/s 2048K rank 4" },
	{ "bandwidth", "read bytes=24576 width_bits=128 l1 GB/s 2048K rank 2" },
	{ "bandwidth", "write bytes=24576 width_bits=256 l1 GB/s 2048K rank 4 avx2" },
	{ "bandwidth", "copy bytes=24576 width_bits=512 l1 GB/s 2048K rank 4 avx512" },
	{ "bandwidth", "nt-write bytes=67108864 width_bits=64 memory GB/s 2048K rank 4" },
	{ "bandwidth", "rep-movsb bytes=24576 l1 GB/s 2048K rank 2 erms" },
	{ "bandwidth", "rep-stosb bytes=67108864 memory GB/s 2048K rank 2 erms" },
	{ "bandwidth", "mix-3-1 bytes=67108864 width_bits=128 memory GB/s 2048K rank 4" },
	{ "bandwidth", "mix-2-1 bytes=67108864 width_bits=128 memory GB/s 2048K rank 4" },
	{ "bandwidth", "mix-1-1 bytes=67108864 width_bits=128 memory GB/s 2048K rank 4" },
	{ "bandwidth", "one-byte-per-line bytes=939524096 stride_bytes=64 - GB/s 2048K rank 4" },
	{ "bandwidth", "read bytes=1024 width_bits=128 - GB/s 2048K rank 2" },
	{ "bandwidth", "read bytes=94906240 width_bits=128 - GB/s 2048K rank 4" },
	{ "bandwidth", "copy bytes=94906240 width_bits=128 - GB/s 2048K rank 6" },
	{ "bandwidth", "rep-movsb bytes=1024 - GB/s 2048K rank 6 erms" },
	{ "bandwidth", "rep-stosb bytes=94906240 - GB/s 2048K rank 8 erms" },
	{ "bandwidth", "write bytes=1024 width_bits=32 - GB/s 2048K rank 8" },
	{ "random", "read bytes=24576 width_bits=64 l1 ns/op 2048K rank 2" },
	{ "random", "write bytes=24576 width_bits=32 l1 ns/op 2048K rank 6" },
	{ "random", "write bytes=67108864 width_bits=256 memory ns/op 2048K rank 6 avx2" },
	{ "random", "read bytes=1048576 width_bits=512 l2 ns/op 2048K rank 6 avx512" },
	{ "random", "read bytes=1024 width_bits=32 - ns/op 2048K rank 8" },
	{ "random", "write bytes=268435456 width_bits=128 - ns/op 2048K rank 8" },
	{ "stride", "even stride_bytes=16 bytes=67108864 - ns/op 2048K rank 2" },
	{ "stride", "odd stride_bytes=15 bytes=67108864 - ns/op 2048K rank 4" },
	{ "stride", "even stride_bytes=24 bytes=67108864 - ns/op 2048K rank 4" },
	{ "stride", "odd stride_bytes=23 bytes=67108864 - ns/op 2048K rank 6" },
	{ "stride", "even stride_bytes=4096 bytes=67108864 - ns/op 2048K rank 2" },
	{ "stride", "odd stride_bytes=4095 bytes=67108864 - ns/op 2048K rank 4" },
	{ "stride", "flush-beside apart_bytes=256 - ns/load 2048K rank 2 clflush" },
	{ "shuffle", "fisher-yates bytes=16384 elements=4096 - ns/element 2048K rank 4" },
	{ "shuffle", "fisher-yates bytes=23168 elements=5792 - ns/element 2048K rank 6" },
	{ "tlb", "cost pages=1 stride_bytes=65536 - ns/load 4K rank 2" },
	{ "tlb", "spread pages=1024 stride_bytes=65536 - ns/load 4K rank 4" },
	{ "tlb", "control pages=1448 stride_bytes=65536 - ns/load 4K rank 4" },
	{ "tlb", "cold pages=8192 stride_bytes=2097152 - ns/load 4K rank 2" },
	{ "tlb", "cost pages=128 stride_bytes=2097152 - ns/load 2048K rank 4" },
	{ "tlb", "control pages=128 stride_bytes=2097152 - ns/load 2048K rank 6" },
	{ "window", "two-misses instructions=3 bytes=67108864 - ns/op 2048K rank 2 clflush" },
	{ "window", "two-misses instructions=35 bytes=67108864 - ns/op 2048K rank 4 clflush" },
	{ "window", "two-misses instructions=67 bytes=67108864 - ns/op 2048K rank 2 clflush" },
	{ "window", "two-misses instructions=11 bytes=67108864 - ns/op 2048K rank 4 clflush" },
	{ "window", "two-misses instructions=1027 bytes=67108864 - ns/op 2048K rank 2 clflush" },
	{ "ways", "same-set ways=1 stride_bytes=65536 - ns/load 2048K rank 2" },
	{ "ways", "same-pages ways=32 stride_bytes=65600 - ns/load 2048K rank 2" },
	{ "ways", "same-index ways=8 stride_bytes=4096 - ns/load 2048K rank 2" },
	{ "ilp", "differences elements=100 - ns/element 0K rank 2" },
	{ "ilp", "prefix-sum elements=100 - ns/element 0K rank 2" },
	{ "ilp", "add lanes=1 - ns/op 0K rank 2" },
	{ "ilp", "multiply lanes=8 - ns/op 0K rank 2" },
	{ "ilp", "odd-inlined elements=1000 - ns/element 0K rank 4" },
	{ "ilp", "odd-calls elements=1000 - ns/element 0K rank 4" },
	{ "ilp", "factorial-loop n=20 - ns/op 0K rank 4" },
	{ "ilp", "factorial-calls n=20 - ns/op 0K rank 4" },
	{ "matmul", "ijk n=32 rows=32 - ns/madd 2048K rank 2" },
	{ "matmul", "ikj n=512 rows=16 - ns/madd 2048K rank 4" },
	{ "matmul", "ijk n=2048 rows=1 - ns/madd 2048K rank 8" },
	{ "matmul", "ikj n=2048 rows=1 - ns/madd 2048K rank 8" },
	{ "oscost", "syscall - ns/op 0K rank 2" },
	{ "oscost", "clock-gettime - ns/op 0K rank 2" },
	{ "oscost", "clock-syscall - ns/op 0K rank 2" },
	{ "oscost", "signal - ns/op 0K rank 2" },
	{ "oscost", "switch-pipe - ns/op 0K rank 2" },
	{ "oscost", "switch-futex - ns/op 0K rank 2" },
	{ "oscost", "cross-cpu-pipe - ns/op 0K rank 2 cpus" },
	{ "oscost", "cross-cpu-futex - ns/op 0K rank 2 cpus" },
	{ "oscost", "minor-fault - ns/op 0K rank 2" },
	{ "oscost", "minor-fault-2m - ns/op 0K rank 2" },
	{ "oscost", "mmap-munmap - ns/op 0K rank 2" },
	{ "oscost", "mmap-touch-munmap - ns/op 0K rank 2" },
	{ "oscost", "thread-create - ns/op 0K rank 2" },
	{ "oscost", "timer-wakeup - ns/op 0K rank 2" },
	{ "oscost", "timer-precise - ns/op 0K rank 2" },
	{ "noise", "gaps seconds=10 - gaps/s 0K rank 2 kept" },
	{ "noise", "stolen seconds=10 - ppm 0K rank 2 kept replays" },
	{ "noise", "longest seconds=10 - ns 0K rank 2 kept replays" },
	{ "noise", "gaps-all seconds=5 cpu=0 - gaps/s 0K rank 4 cpus" },
	{ "noise", "gaps-all seconds=5 cpu=3 - gaps/s 0K rank 4 cpus replays" },
	{ "noise", "stolen-all seconds=5 cpu=2 - ppm 0K rank 4 cpus replays" },
	{ "noise", "longest-all seconds=5 cpu=1 - ns 0K rank 4 cpus replays" },
	{ "noise", "quanta quantum_ns=10000 - ns/quantum 0K rank 4" },
	{ "noise", "quanta quantum_ns=1000000 - ns/quantum 0K rank 4" },
	{ "branch", "copy elements=10000 - ns/element 0K rank 2" },
	{ "branch", "nobranch-odd elements=10000 - ns/element 0K rank 2" },
	{ "branch", "word-copy elements=10000 - ns/element 0K rank 4" },
	{ "branch", "word-free-odd elements=10000 - ns/element 0K rank 4" },
	{ "branch", "penalty mispredicts_counted=0 - cycles 0K rank 0" },
	{ "branch", "bits-zero - ns/branch 0K rank 2" },
	{ "branch", "bits-random - ns/branch 0K rank 2" },
	{ "branch", "period elements=256 - ns/branch 0K rank 2" },
	{ "branch", "period elements=362 - ns/branch 0K rank 4" },
	{ "branch", "period elements=11585 - ns/branch 0K rank 4" },
	{ "branch", "period elements=65536 - ns/branch 0K rank 2" },
	{ "branch", "states-sorted elements=16 - ns/branch 0K rank 4" },
	{ "branch", "states-random elements=131072 - ns/branch 0K rank 4" },
	{ "branch", "states-sorted elements=262144 - ns/branch 0K rank 6" },
	{ "branch", "states-random elements=1048576 - ns/branch 0K rank 6" },
	{ "branch", "learn elements=1000 pass=1 - ns/branch 0K rank 4" },
	{ "branch", "learn elements=2000 pass=20 - ns/branch 0K rank 4" },
	{ "branch", "state-machine elements=4096 - ns/element 0K rank 4" },
	{ "branch", "targets targets=1 stride_bytes=16 - ns/jump 0K rank 4 code" },
	{ "branch", "targets targets=16384 stride_bytes=16 - ns/jump 0K rank 4 code" },
	{ "branch", "targets targets=1 stride_bytes=32 - ns/jump 0K rank 4 code" },
	{ "branch", "targets targets=16384 stride_bytes=32 - ns/jump 0K rank 4 code" },
	{ "branch", "return-stack depth=1 - ns/call 0K rank 4 code" },
	{ "branch", "return-stack depth=64 - ns/call 0K rank 4 code" },
	{ "cores", "bounce cpu_a=0 cpu_b=1 - ns/hop 2048K rank 4 cpus kept" },
	{ "cores", "bounce cpu_a=2 cpu_b=3 - ns/hop 2048K rank 6 cpus kept" },
	{ "cores", "cpu-clock cpu=0 - GHz 0K rank 2 cpus" },
	{ "cores", "cpu-clock cpu=3 - GHz 0K rank 4 cpus" },
	{ "cores", "cpu-l1 cpu=0 bytes=24576 l1 ns/load 2048K rank 3 cpus" },
	{ "cores", "cpu-l1 cpu=3 bytes=24576 l1 ns/load 2048K rank 5 cpus" },
	{ "cores", "cpu-l2 cpu=0 bytes=1048576 l2 ns/load 2048K rank 3 cpus" },
	{ "cores", "cpu-l2 cpu=1 bytes=1048576 l2 ns/load 2048K rank 5 cpus" },
	{ "cores",
		"node-latency cpu_node=0 memory_node=0 bytes=67108864 memory ns/load 2048K rank 2 "
		"cpus" },
	{ "cores",
		"node-read cpu_node=0 memory_node=0 bytes=67108864 memory GB/s 2048K rank 2 cpus" },
	{ "cores", "read cpus=1 bytes=67108864 memory GB/s 2048K rank 2 cpus" },
	{ "cores", "read cpus=2 bytes=67108864 memory GB/s 2048K rank 4 cpus" },
	{ "cores", "read cpus=4 bytes=67108864 memory GB/s 2048K rank 2 cpus" },
	{ "cores", "copy cpus=1 bytes=67108864 memory GB/s 2048K rank 4 cpus" },
	{ "cores", "write cpus=2 bytes=67108864 memory GB/s 2048K rank 6 cpus" },
	{ "cores", "mix-3-1 cpus=4 bytes=67108864 memory GB/s 2048K rank 4 cpus" },
	{ "cores", "mix-2-1 cpus=1 bytes=67108864 memory GB/s 2048K rank 4 cpus" },
	{ "cores", "mix-1-1 cpus=4 bytes=67108864 memory GB/s 2048K rank 4 cpus" },
	{ "cores",
		"loaded-latency cpus=1 bytes=67108864 pause_ns=0 memory ns/load 2048K rank 2 cpus "
		"kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=0 memory ns/load 2048K rank 2 cpus "
		"kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=100 memory ns/load 2048K rank 4 "
		"cpus kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=400 memory ns/load 2048K rank 4 "
		"cpus kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=1600 memory ns/load 2048K rank 4 "
		"cpus kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=200 memory ns/load 2048K rank 5 "
		"cpus kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=800 memory ns/load 2048K rank 5 "
		"cpus kept" },
	{ "cores",
		"loaded-latency cpus=4 bytes=67108864 pause_ns=6400 memory ns/load 2048K rank 5 "
		"cpus kept" },
	{ "cores",
		"loaded-latency cpus=2 bytes=67108864 pause_ns=0 memory ns/load 2048K rank 6 "
		"cpus" },
};

static unsigned planned_as(const char *row)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++)
		n += !strcmp(text_of(&plan.rows[i]), row);
	return n;
}

TEST(each_says_what_it_is)
{
	const char *probe = "";

	for (unsigned i = 0; i < sizeof says / sizeof *says; i++) {
		if (strcmp(probe, says[i].probe)) {
			probe = says[i].probe;
			plan_of(probe_named(probe), PROFILE_DEFAULT);
		}
		if (planned_as(says[i].row) != 1)
			fail_msg("%s: expected one row '%s', came %u", probe, says[i].row,
				planned_as(says[i].row));
	}
}
