/* SPDX-License-Identifier: MIT */
/*
 * What a row is said to cost before it is measured: the promise of a profile's time rests on it.
 * On a machine of which one thing alone is slow, the cost is what of it the calls need.
 */
#include "tests/unit/planned.h"

/*
 * What each row's cost is made of: the bytes that are filled, the nodes of chains that are built,
 * the loads from near and from far, and the calls, each counted on a machine where nothing else
 * takes time; what takes as long everywhere; and the whole at planned.h's pace, where that is not
 * their sum.
 */

enum { BYTES, NODES, NEAR, FAR, CALLS, THINGS, TIME = THINGS, WHOLE, PARTS };

static const char *const things[PARTS] = { "bytes", "nodes", "near loads", "far loads", "calls",
	"time everywhere", "the whole" };

static const struct pace usual = { 0.1, 20, 1, 50, 100 };

/* What one of the things takes. */
static double *figure(struct pace *p, unsigned thing)
{
	double *const each[] = { &p->ns_per_byte, &p->ns_per_node, &p->ns_per_near_load,
		&p->ns_per_far_load, &p->ns_per_call };

	return each[thing];
}

/* No row is said to take less time where something takes longer, and some row takes more. */
TEST(nothing_slower_costs_less)
{
	static double before[PLAN_ROWS];
	unsigned n, more[THINGS] = { 0 };

	request = no_request;
	for (unsigned i = 0; i < probe_count; i++) {
		pace = usual;
		plan_of(&probes[i], PROFILE_DEFAULT);
		n = plan.n;
		for (unsigned k = 0; k < n; k++)
			before[k] = plan.rows[k].cost_ns;
		for (unsigned thing = 0; thing < THINGS; thing++) {
			pace = usual;
			*figure(&pace, thing) *= 3;
			plan_of(&probes[i], PROFILE_DEFAULT);
			assert_int_equal(n, plan.n);
			for (unsigned k = 0; k < n; k++) {
				if (plan.rows[k].cost_ns < before[k])
					fail_msg("%s:%s: %g ns, but %g where %s take three times "
						 "as long",
						probes[i].name, plan.rows[k].variant, before[k],
						plan.rows[k].cost_ns, things[thing]);
				more[thing] += plan.rows[k].cost_ns > before[k];
			}
		}
	}
	for (unsigned thing = 0; thing < THINGS; thing++)
		assert_true(more[thing] > 0);
}

/* A change of an estimate changes its line. */
struct cost {
	const char *probe, *row;
	double parts[PARTS];
};

static const struct cost in_default[] = {
	{ "clock", "rdtsc", { 0, 0, 25600, 0, 50 } },
	{ "clock", "core-clock", { 0, 0, 9830400, 0, 50 } },
	{ "clock", "step", { 0, 0, 409600, 0, 50 } },
	{ "clock", "div3-bare", { 0, 0, 76800, 0, 50 } },
	{ "clock", "adds-plain", { 0, 0, 819200, 0, 50 } },
	{ "clock", "adds-delta", { 0, 0, 2457600, 0, 50 } },
	{ "clock", "os-clock", { 0, 0, 12800, 0, 50 } },
	{ "latency", "pointer-padded bytes=1024", { 0, 16, 720912 } },
	{ "latency", "pointer-padded bytes=67108864", { 0, 1048576, 0, 1769472, 0, 0, 89307520 } },
	{ "latency", "pointer bytes=67108864", { 0, 8388608, 0, 9109504, 0, 0, 603109760 } },
	{ "latency", "list-one bytes=16000000 elements=1000000", { 16000000, 0, 10000000 } },
	{ "latency", "list-shuffled-two bytes=32000000 elements=1000000",
		{ 32000000, 2000000, 0, 20000000 } },
	{ "latency", "method-checked bytes=1024", { 0, 128, 721024 } },
	{ "mlp", "chains bytes=67108864 lanes=1", { 0, 524288, 327680, 327680, 0, 0, 21211264 } },
	{ "mlp", "chains bytes=67108864 lanes=2", { 0, 0, 327680, 245760, 0, 0, 12408704 } },
	{ "mlp", "chains bytes=67108864 lanes=7", { 0, 0, 327680, 187245.714286 } },
	{ "mlp", "chains bytes=67108864 lanes=9", { 0, 0, 327680, 184320 } },
	{ "mlp", "chains bytes=1048576 lanes=1", { 0, 8192, 0, 172032, 0, 0, 5831040 } },
	{ "mlp", "chains bytes=1048576 lanes=4", { 0, 0, 0, 43008 } },
	{ "mlp", "work bytes=67108864 lanes=32 work=3", { 0, 0, 327680, 184320 } },
	{ "mlp", "batch bytes=1024 lanes=1", { 0, 8, 163848 } },
	{ "mlp", "batch bytes=262144 lanes=1", { 0, 2048, 165888 } },
	{ "mlp", "batch bytes=524288 lanes=4", { 0, 0, 0, 41984 } },
	{ "mlp", "batch bytes=33554432 lanes=1", { 0, 262144, 0, 425984, 0, 0, 23607680 } },
	{ "mlp", "batch bytes=33554432 lanes=8", { 0, 0, 0, 53248 } },
	{ "mlp", "batch bytes=134217728 lanes=1", { 0, 1048576, 0, 196608, 0, 0, 27867520 } },
	{ "mlp", "batch bytes=268435456 lanes=16", { 0, 0, 0, 24576 } },
	{ "mlp", "batch-work bytes=2048 lanes=16 work=3", { 0, 0, 1003522 } },
	{ "mlp", "batch-prefetch bytes=268435456 lanes=16 work=12",
		{ 0, 0, 3932160, 24576, 0, 0, 4491648 } },
	{ "mlp", "batch bytes=8388608 lanes=1", { 0, 65536, 0, 229376, 0, 0, 9845120 } },
	{ "bandwidth", "read bytes=1024 width_bits=128", { 6297600, 0, 98304, 0, 20, 0, 631760 } },
	{ "bandwidth", "read bytes=24576 width_bits=32", { 1720320, 0, 98304, 0, 20, 0, 174032 } },
	{ "bandwidth", "write bytes=1048576 width_bits=64",
		{ 13188608, 0, 393216, 0, 20, 0, 1679721.6 } },
	{ "bandwidth", "copy bytes=67108864 width_bits=256",
		{ 541670912, 0, 6291456, 0, 20, 0, 58489091.2 } },
	{ "bandwidth", "nt-write bytes=67108864 width_bits=128",
		{ 541670912, 0, 8994304, 0, 20, 0, 58489091.2 } },
	{ "bandwidth", "rep-movsb bytes=24576", { 25264128, 0, 98304, 0, 20, 0, 2528412.8 } },
	{ "bandwidth", "rep-stosb bytes=67108864",
		{ 541670912, 0, 3145728, 0, 20, 0, 58489091.2 } },
	{ "bandwidth", "mix-3-1 bytes=67108864 width_bits=128",
		{ 675888640, 0, 8994304, 0, 20, 0, 71910864 } },
	{ "bandwidth", "one-byte-per-line bytes=939524096 stride_bytes=64",
		{ 9400040960, 0, 19480064, 0, 20, 0, 944326096 } },
	{ "bandwidth", "write bytes=67108864 width_bits=32",
		{ 541670912, 0, 21577216, 0, 20, 0, 58489091.2 } },
	{ "random", "read bytes=1024 width_bits=32", { 1024, 0, 787456 } },
	{ "random", "read bytes=24576 width_bits=64", { 24576, 0, 802816 } },
	{ "random", "write bytes=24576 width_bits=512", { 24576, 0, 789323.294118 } },
	{ "random", "read bytes=1048576 width_bits=64", { 1048576, 0, 1747626.66667 } },
	{ "random", "read bytes=2097152 width_bits=32", { 2097152, 0, 2097152, 786432 } },
	{ "random", "read bytes=2097152 width_bits=128", { 2097152, 0, 838860.8, 314572.8 } },
	{ "random", "write bytes=67108864 width_bits=64",
		{ 67108864, 0, 25165824, 786432, 0, 0, 38172646.4 } },
	{ "random", "read bytes=24576 width_bits=32", { 24576, 0, 811008 } },
	{ "random", "read bytes=1048576 width_bits=32", { 1048576, 0, 2621440 } },
	{ "random", "read bytes=67108864 width_bits=32",
		{ 67108864, 0, 25165824, 786432, 0, 0, 38172646.4 } },
	{ "stride", "even stride_bytes=16 bytes=67108864", { 0, 0, 33554432, 4194304 } },
	{ "stride", "odd stride_bytes=4095 bytes=67108864",
		{ 0, 0, 131104.007814, 16388.0009768 } },
	{ "stride", "flush-beside apart_bytes=8", { 0, 0, 0, 3840, 60 } },
	{ "shuffle", "fisher-yates bytes=16384 elements=4096", { 0, 0, 159744 } },
	{ "shuffle", "fisher-yates bytes=262144 elements=65536", { 0, 0, 2555904 } },
	{ "shuffle", "fisher-yates bytes=524288 elements=131072", { 0, 0, 5111808, 212992 } },
	{ "shuffle", "fisher-yates bytes=16777216 elements=4194304", { 0, 0, 163577856, 6815744 } },
	{ "shuffle", "fisher-yates bytes=33554432 elements=8388608", { 0, 0, 150994944, 6291456 } },
	{ "tlb", "cost pages=1 stride_bytes=65536", { 0, 2, 196752, 2 } },
	{ "tlb", "cost pages=1024 stride_bytes=65536", { 0, 2048, 344064, 2048 } },
	{ "tlb", "cost pages=2048 stride_bytes=65536", { 0, 4096, 0, 249856 } },
	{ "tlb", "spread pages=1448 stride_bytes=65536", { 0, 2896, 0, 205456 } },
	{ "tlb", "upper pages=8192 stride_bytes=2097152", { 0, 16384, 0, 999424 } },
	{ "walks", "cr3 levels=4 reads=1 flushed=0", { 0, 0, 3072000, 0, 24 } },
	{ "walks", "invlpg levels=4 reads=4 flushed=4", { 0, 0, 3072000, 49152, 24 } },
	{ "walks", "code-pages pages=861 stride_bytes=4096", { 0, 0, 786432, 0, 48 } },
	{ "window", "two-misses instructions=3 bytes=67108864", { 0, 524288, 0, 20480 } },
	{ "window", "two-misses instructions=11 bytes=67108864", { 0, 0, 10240, 20480 } },
	{ "window", "two-misses instructions=131 bytes=67108864", { 0, 0, 160000, 20000 } },
	{ "window", "two-misses instructions=515 bytes=67108864", { 0, 0, 163840, 5120 } },
	{ "window", "two-misses instructions=1027 bytes=67108864", { 0, 0, 327680, 5120 } },
	{ "backend", "any entries=2 bytes=67108864", { 0, 524288, 0, 20480 } },
	{ "backend", "integer entries=130 bytes=67108864", { 0, 0, 161280, 20160 } },
	{ "backend", "store entries=704 bytes=67108864", { 0, 0, 225280, 5120 } },
	{ "frontend", "dense bytes=1024", { 0, 0, 1539000, 0, 24 } },
	{ "frontend", "long bytes=524288", { 0, 0, 1572816, 0, 24 } },
	{ "ways", "same-set ways=1 stride_bytes=65536", { 0, 0, 196608, 0, 20 } },
	{ "ways", "same-index ways=32 stride_bytes=4096", { 0, 0, 196608, 0, 20 } },
	{ "ways", "same-set ways=32 stride_bytes=65536", { 0, 0, 196608, 0, 20 } },
	{ "branch", "copy-odd-random elements=10000", { 0, 0, 3200000, 0, 40 } },
	{ "branch", "word-odd-random elements=10000", { 0, 0, 2400000, 0, 40 } },
	{ "branch", "penalty mispredicts_counted=0", { 0, 0, 1638400, 0, 40 } },
	{ "branch", "bits-random", { 0, 0, 819200, 0, 20 } },
	{ "branch", "period elements=65536", { 0, 0, 16384000, 0, 50 } },
	{ "branch", "states-random elements=1048576", { 0, 0, 68157440, 0, 13 } },
	{ "branch", "learn elements=1000 pass=20", { 0, 0, 2000000, 0, 20 } },
	{ "branch", "state-machine elements=4096", { 0, 0, 11304960, 0, 552 } },
	{ "branch", "targets targets=131072 stride_bytes=16", { 0, 0, 78643200, 0, 60 } },
	{ "branch", "return-stack depth=64", { 0, 0, 2457600, 0, 60 } },
	{ "indirect", "order targets=1", { 0, 0, 655360, 0, 32 } },
	{ "indirect", "period targets=2 elements=8192", { 0, 0, 5242880, 0, 32 } },
	{ "indirect", "returns targets=64 depth=96", { 0, 0, 1290240, 0, 32 } },
	{ "ilp", "differences elements=100", { 0, 0, 256000, 0, 40 } },
	{ "ilp", "add lanes=8", { 0, 0, 307200, 0, 40 } },
	{ "ilp", "odd-calls elements=999", { 0, 0, 319680, 0, 40 } },
	{ "ilp", "factorial-loop n=20", { 0, 0, 409600, 0, 40 } },
	{ "ilp", "factorial-calls n=20", { 0, 0, 409600, 0, 40 } },
	{ "ilp", "int-differences elements=100", { 0, 0, 512000, 0, 40 } },
	{ "ilp", "factorials-calls n=999", { 0, 0, 29970000, 0, 10 } },
	{ "storeload", "load-page", { 0, 0, 1638400, 0, 50 } },
	{ "storeload", "forward store_bytes=8 load_bytes=8 offset_bytes=0",
		{ 0, 0, 1638400, 0, 50 } },
	{ "limits", "add", { 0, 0, 4608000, 0, 100 } },
	{ "limits", "branch-taken", { 0, 0, 4608000, 0, 100 } },
	{ "limits", "nop", { 0, 0, 4608000, 0, 100 } },
	{ "matmul", "ijk n=32 rows=32", { 16384, 0, 2621440 } },
	{ "matmul", "ikj n=512 rows=16", { 4194304, 0, 167772160 } },
	{ "matmul", "ijk n=2048 rows=1", { 67108864, 0, 0, 41943040 } },
	{ "matmul", "ijk n=512 rows=16", { 4194304, 0, 167772160 } },
	{ "bytouch", "touch-4k pages=4096 page_bytes=4096", { 335544320, 0, 0, 0, 0, 40960000 } },
	{ "memtype", "uc-latency bytes=262144", { 0, 0, 0, 98304 } },
	{ "memtype", "wb-read bytes=262144", { 0, 0, 786432 } },
	{ "privileged", "cpuid", { 0, 0, 3200000, 0, 50 } },
	{ "privileged", "touch pages=64", { 0, 0, 902400, 0, 50 } },
	{ "privileged", "clwb-clean", { 0, 0, 0, 12800, 150 } },
	{ "privileged", "wbinvd-full", { 0, 0, 0, 655360, 30 } },
	{ "privileged", "cr3", { 0, 0, 3200000, 0, 50 } },
	{ "privileged", "cr3-touch pages=64", { 0, 0, 902400, 0, 50 } },
	{ "privileged", "clflush-dirty", { 0, 0, 0, 12800, 150 } },
	{ "oscost", "syscall", { 0, 0, 6476800 } },
	{ "oscost", "clock-gettime", { 0, 0, 6476800 } },
	{ "oscost", "clock-syscall", { 0, 0, 7296000 } },
	{ "oscost", "signal", { 0, 0, 6272000 } },
	{ "oscost", "switch-pipe", { 0, 0, 8320000 } },
	{ "oscost", "switch-futex", { 0, 0, 7296000 } },
	{ "oscost", "cross-cpu-pipe", { 0, 0, 13440000 } },
	{ "oscost", "cross-cpu-futex", { 0, 0, 13440000 } },
	{ "oscost", "minor-fault", { 0, 0, 11392000 } },
	{ "oscost", "minor-fault-2m", { 0, 0, 41600000 } },
	{ "oscost", "mmap-munmap", { 0, 0, 7296000 } },
	{ "oscost", "mmap-touch-munmap", { 0, 0, 11392000 } },
	{ "oscost", "thread-create", { 0, 0, 10880000 } },
	{ "oscost", "timer-wakeup", { 0, 0, 0, 0, 0, 51200000 } },
	{ "oscost", "timer-precise", { 0, 0, 0, 0, 0, 51200000 } },
	{ "noise", "quanta quantum_ns=1000000", { 0, 0, 0, 0, 0, 1126400000 } },
	{ "noise", "gaps seconds=10", { 0, 0, 0, 0, 0, 10500000000 } },
	{ "cores", "cpu-clock cpu=3", { 0, 0, 1622016, 0, 36 } },
	{ "cores", "cpu-l2 cpu=3 bytes=1048576", { 0, 0, 1916928, 0, 36 } },
	{ "cores", "node-latency cpu_node=0 memory_node=0 bytes=67108864",
		{ 0, 524288, 0, 147456, 9 } },
	{ "cores", "read cpus=4 bytes=67108864", { 67108864, 0, 0, 0, 36, 180000000 } },
	{ "cores", "loaded-latency cpus=2 bytes=67108864 pause_ns=0",
		{ 134217728, 524288, 0, 442368, 18, 18000000 } },
	{ "skew", "offset cpu=3", { 0, 0, 0, 1800, 180 } },
	{ "skew", "drift cpu=1", { 0, 0, 0, 1800, 180, 400000000 } },
	{ "atomics", "lock-add", { 0, 0, 307200, 0, 50 } },
	{ "atomics", "split", { 0, 0, 400000, 0, 50 } },
	{ "atomics", "shared cpus=4", { 0, 0, 0, 0, 96, 12000000 } },
};

/* Samples are fewer in the shortest profile, and more of long ones in the longest. */
static const struct cost in_smoke[] = {
	{ "oscost", "syscall", { 0, 0, 1619200 } },
	{ "oscost", "timer-wakeup", { 0, 0, 0, 0, 0, 12800000 } },
};
static const struct cost in_full[] = {
	{ "shuffle", "fisher-yates bytes=33554432 elements=8388608",
		{ 0, 0, 327155712, 13631488 } },
};
/* An emulator computes a product by fifty instructions of its own. */
static const struct cost in_emulator[] = {
	{ "matmul", "ijk n=32 rows=32", { 16384, 0, 41943040 } },
	{ "matmul", "ikj n=2048 rows=1", { 67108864, 0, 0, 671088640 } },
};

static double cost_at(const struct cost *c, struct pace p, enum profile profile)
{
	pace = p;
	plan_of(probe_named(c->probe), profile);
	return row_planned(c->row)->cost_ns;
}

static void expect_parts(const struct cost *c, size_t n, enum profile profile)
{
	const double each[THINGS] = { usual.ns_per_byte, usual.ns_per_node, usual.ns_per_near_load,
		usual.ns_per_far_load, usual.ns_per_call };
	char what[128];

	for (; n--; c++) {
		double whole = c->parts[TIME];

		for (unsigned part = 0; part < PARTS; part++) {
			struct pace p = { 0 };
			double expected = c->parts[part];

			if (part < THINGS) {
				*figure(&p, part) = 1;
				whole += each[part] * expected;
				expected += c->parts[TIME];
			} else if (part == WHOLE) {
				p = usual;
				expected = expected > 0 ? expected : whole;
			}
			snprintf(what, sizeof what, "%s:%s: %s", c->probe, c->row, things[part]);
			near(what, expected, cost_at(c, p, profile));
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
	emulated = true;
	EXPECT_PARTS(in_emulator, PROFILE_DEFAULT);
	emulated = false;
}
