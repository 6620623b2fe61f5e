/* SPDX-License-Identifier: MIT */
/*
 * What each row's cost is made of: the bytes that are filled, the nodes of chains that are built,
 * the loads from near and from far, and the calls, each counted on a machine where nothing else
 * takes time. Whether the estimate is right as a whole is in registry_cost_test.
 */
#include "tests/unit/near.h"
#include "tests/unit/planned.h"
#include "tests/unit/test.h"

enum { BYTES, NODES, NEAR, FAR, CALLS, THINGS };

static const char *const things[THINGS] = { "bytes", "nodes", "near loads", "far loads", "calls" };

/* A change of an estimate changes its line; what a timer takes is the same everywhere. */
struct cost {
	const char *probe, *row;
	double parts[THINGS];
};

static const struct cost in_default[] = {
	{ "random", "read bytes=1024 width_bits=32", { 1024, 0, 787456, 0, 0 } },
	{ "random", "read bytes=24576 width_bits=64", { 24576, 0, 802816, 0, 0 } },
	{ "random", "write bytes=24576 width_bits=512", { 24576, 0, 789323.294118, 0, 0 } },
	{ "random", "read bytes=1048576 width_bits=64", { 1048576, 0, 1747626.66667, 0, 0 } },
	{ "random", "read bytes=2097152 width_bits=32", { 2097152, 0, 2097152, 786432, 0 } },
	{ "random", "read bytes=2097152 width_bits=128", { 2097152, 0, 838860.8, 314572.8, 0 } },
	{ "random", "write bytes=67108864 width_bits=64", { 67108864, 0, 25165824, 786432, 0 } },
	{ "bandwidth", "read bytes=1024 width_bits=128", { 6297600, 0, 98304, 0, 20 } },
	{ "bandwidth", "read bytes=24576 width_bits=32", { 1720320, 0, 98304, 0, 20 } },
	{ "bandwidth", "write bytes=1048576 width_bits=64", { 16777216, 0, 393216, 0, 20 } },
	{ "bandwidth", "copy bytes=67108864 width_bits=256", { 1073741824, 0, 6291456, 0, 20 } },
	{ "bandwidth", "nt-write bytes=67108864 width_bits=128",
		{ 1073741824, 0, 12582912, 0, 20 } },
	{ "bandwidth", "rep-movsb bytes=24576", { 25264128, 0, 98304, 0, 20 } },
	{ "bandwidth", "rep-stosb bytes=67108864", { 1073741824, 0, 3145728, 0, 20 } },
	{ "bandwidth", "mix-3-1 bytes=67108864 width_bits=128",
		{ 1207959552, 0, 12582912, 0, 20 } },
	{ "bandwidth", "one-byte-per-line bytes=939524096 stride_bytes=64",
		{ 16911433728, 0, 44040192, 0, 20 } },
	{ "mlp", "chains bytes=67108864 lanes=1", { 0, 524288, 327680, 327680, 0 } },
	{ "mlp", "chains bytes=67108864 lanes=2", { 0, 0, 327680, 245760, 0 } },
	{ "mlp", "chains bytes=67108864 lanes=7", { 0, 0, 327680, 187245.714286, 0 } },
	{ "mlp", "chains bytes=67108864 lanes=9", { 0, 0, 327680, 184320, 0 } },
	{ "mlp", "chains bytes=1048576 lanes=1", { 0, 8192, 0, 172032, 0 } },
	{ "mlp", "chains bytes=1048576 lanes=4", { 0, 0, 0, 43008, 0 } },
	{ "mlp", "work bytes=67108864 lanes=32 work=3", { 0, 0, 327680, 184320, 0 } },
	{ "mlp", "batch bytes=1024 lanes=1", { 0, 8, 163848, 0, 0 } },
	{ "mlp", "batch bytes=262144 lanes=1", { 0, 2048, 165888, 0, 0 } },
	{ "mlp", "batch bytes=524288 lanes=4", { 0, 0, 0, 41984, 0 } },
	{ "mlp", "batch bytes=33554432 lanes=1", { 0, 262144, 0, 425984, 0 } },
	{ "mlp", "batch bytes=33554432 lanes=8", { 0, 0, 0, 53248, 0 } },
	{ "mlp", "batch bytes=134217728 lanes=1", { 0, 1048576, 0, 196608, 0 } },
	{ "mlp", "batch bytes=268435456 lanes=16", { 0, 0, 0, 24576, 0 } },
	{ "mlp", "batch-work bytes=2048 lanes=16 work=3", { 0, 0, 1003522, 0, 0 } },
	{ "mlp", "batch-prefetch bytes=268435456 lanes=16 work=12", { 0, 0, 3932160, 24576, 0 } },
	{ "stride", "even stride_bytes=16 bytes=67108864", { 0, 0, 33554432, 4194304, 0 } },
	{ "stride", "odd stride_bytes=4095 bytes=67108864",
		{ 0, 0, 131104.007814, 16388.0009768, 0 } },
	{ "stride", "flush-beside apart_bytes=8", { 0, 0, 0, 3840, 60 } },
	{ "shuffle", "fisher-yates bytes=16384 elements=4096", { 0, 0, 159744, 0, 0 } },
	{ "shuffle", "fisher-yates bytes=262144 elements=65536", { 0, 0, 2555904, 0, 0 } },
	{ "shuffle", "fisher-yates bytes=524288 elements=131072", { 0, 0, 5111808, 212992, 0 } },
	{ "shuffle", "fisher-yates bytes=16777216 elements=4194304",
		{ 0, 0, 163577856, 6815744, 0 } },
	{ "shuffle", "fisher-yates bytes=33554432 elements=8388608",
		{ 0, 0, 150994944, 6291456, 0 } },
	{ "tlb", "cost pages=1 stride_bytes=65536", { 0, 2, 196800, 2, 0 } },
	{ "tlb", "cost pages=1024 stride_bytes=65536", { 0, 2048, 393216, 2048, 0 } },
	{ "tlb", "cost pages=2048 stride_bytes=65536", { 0, 4096, 0, 299008, 0 } },
	{ "tlb", "spread pages=1448 stride_bytes=65536", { 0, 2896, 0, 240208, 0 } },
	{ "tlb", "upper pages=8192 stride_bytes=2097152", { 0, 16384, 0, 1196032, 0 } },
	{ "window", "two-misses instructions=3 bytes=67108864", { 0, 524288, 0, 20480, 0 } },
	{ "window", "two-misses instructions=11 bytes=67108864", { 0, 0, 10240, 20480, 0 } },
	{ "window", "two-misses instructions=131 bytes=67108864", { 0, 0, 160000, 20000, 0 } },
	{ "window", "two-misses instructions=515 bytes=67108864", { 0, 0, 163840, 5120, 0 } },
	{ "window", "two-misses instructions=1027 bytes=67108864", { 0, 0, 327680, 5120, 0 } },
	{ "ways", "same-set ways=1 stride_bytes=65536", { 0, 0, 196608, 0, 20 } },
	{ "ways", "same-index ways=32 stride_bytes=4096", { 0, 0, 196608, 0, 20 } },
	{ "ilp", "differences elements=100", { 0, 0, 256000, 0, 40 } },
	{ "ilp", "add lanes=8", { 0, 0, 327680, 0, 40 } },
	{ "ilp", "odd-calls elements=999", { 0, 0, 319680, 0, 40 } },
	{ "ilp", "factorial-loop n=20", { 0, 0, 409600, 0, 40 } },
	{ "matmul", "ijk n=32 rows=32", { 16384, 0, 2621440, 0, 0 } },
	{ "matmul", "ikj n=512 rows=16", { 4194304, 0, 167772160, 0, 0 } },
	{ "matmul", "ijk n=2048 rows=1", { 67108864, 0, 0, 41943040, 0 } },
	{ "oscost", "syscall", { 0, 0, 6476800, 0, 0 } },
	{ "oscost", "clock-gettime", { 0, 0, 6476800, 0, 0 } },
	{ "oscost", "clock-syscall", { 0, 0, 7296000, 0, 0 } },
	{ "oscost", "signal", { 0, 0, 6272000, 0, 0 } },
	{ "oscost", "switch-pipe", { 0, 0, 8320000, 0, 0 } },
	{ "oscost", "switch-futex", { 0, 0, 7296000, 0, 0 } },
	{ "oscost", "cross-cpu-pipe", { 0, 0, 13440000, 0, 0 } },
	{ "oscost", "cross-cpu-futex", { 0, 0, 13440000, 0, 0 } },
	{ "oscost", "minor-fault", { 0, 0, 11392000, 0, 0 } },
	{ "oscost", "minor-fault-2m", { 0, 0, 41600000, 0, 0 } },
	{ "oscost", "mmap-munmap", { 0, 0, 7296000, 0, 0 } },
	{ "oscost", "mmap-touch-munmap", { 0, 0, 11392000, 0, 0 } },
	{ "oscost", "thread-create", { 0, 0, 10880000, 0, 0 } },
	{ "oscost", "timer-wakeup", { 51200000, 51200000, 51200000, 51200000, 51200000 } },
	{ "oscost", "timer-precise", { 51200000, 51200000, 51200000, 51200000, 51200000 } },
};

/* Samples are fewer in the shortest profile, and more of long ones in the longest. */
static const struct cost in_smoke[] = {
	{ "oscost", "syscall", { 0, 0, 1619200, 0, 0 } },
	{ "oscost", "timer-wakeup", { 12800000, 12800000, 12800000, 12800000, 12800000 } },
};
static const struct cost in_full[] = {
	{ "shuffle", "fisher-yates bytes=33554432 elements=8388608",
		{ 0, 0, 327155712, 13631488, 0 } },
};

static struct pace only(unsigned thing)
{
	struct pace p = { 0 };
	double *const each[] = { &p.ns_per_byte, &p.ns_per_node, &p.ns_per_near_load,
		&p.ns_per_far_load, &p.ns_per_call };

	*each[thing] = 1;
	return p;
}

static void expect_parts(const struct cost *c, size_t n, enum profile profile)
{
	char what[128];

	for (unsigned thing = 0; thing < THINGS; thing++) {
		pace = only(thing);
		for (size_t i = 0; i < n; i++) {
			if (!i || strcmp(c[i].probe, c[i - 1].probe))
				plan_of(probe_named(c[i].probe), profile);
			snprintf(what, sizeof what, "%s:%s: %s", c[i].probe, c[i].row,
				things[thing]);
			near(what, c[i].parts[thing], row_planned(c[i].row)->cost_ns);
		}
	}
}

#define EXPECT_PARTS(table, profile) expect_parts(table, sizeof table / sizeof *table, profile)

TEST(each_cost_is_of_these_parts)
{
	request = no_request;
	EXPECT_PARTS(in_default, PROFILE_DEFAULT);
	EXPECT_PARTS(in_smoke, PROFILE_SMOKE);
	EXPECT_PARTS(in_full, PROFILE_FULL);
}
