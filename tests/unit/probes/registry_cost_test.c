/* SPDX-License-Identifier: MIT */
/*
 * What a row is said to cost before it is measured: the promise of a profile's time rests on it.
 * On a machine of which one thing alone is slow, the cost is what of it the calls need.
 */
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/near.h"
#include "tests/unit/planned.h"
#include "tests/unit/test.h"

#define TOLERANCE    1.3
#define CALLS_FEWEST 4  /* of a row: warming up and the fewest samples */
#define CALLS_MOST   30 /* and what the preparation may take beside */

static struct plan plan;
static struct room room;

/* By CPUID an L1 data cache of 48 KiB and an L3 cache of 32 MiB, whatever this machine says. */
static struct cpuid claims(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	(void)e;
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0)
		return (struct cpuid){ 1 | 1 << 5, 11u << 22 | 63, 63, 0 };
	if (leaf == 4 && subleaf == 1)
		return (struct cpuid){ 3 | 3 << 5, 15u << 22 | 63, 32767, 0 };
	return (struct cpuid){ 0 };
}

static bool emulated;

static void plan_at_pace(const char *name, struct pace pace)
{
	static struct options options = { .profile = PROFILE_DEFAULT };
	static const struct level_size levels[LEVELS] = {
		[LEVEL_L1] = { "l1", 24 * KIB, "measured" },
		[LEVEL_L2] = { "l2", MIB, "measured" },
		[LEVEL_MEMORY] = { "memory", 64 * MIB, "measured" },
	};
	static const struct cpu_location places[] = { { .core = 0 }, { .core = 1 }, { .core = 2 },
		{ .core = 3 } };
	struct bench b = {
		.plan = &plan, .opt = &options, .room = &room, .pace = pace, .node_bytes = 128
	};

	snprintf(options.probes, sizeof options.probes, "%s", name);
	fake_reset(&room);
	room.cpuid = claims;
	room.system.request = no_request;
	room.facts.emulated = emulated;
	room.facts.cpus = 4;
	room.facts.topology = places;
	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
	memcpy(b.levels, levels, sizeof levels);
	b.arena.bytes = GIB;
	plan.n = 0;
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, name)) {
			b.probe = &probes[i];
			if (b.probe->hooks->plan_first)
				b.probe->hooks->plan_first(&b);
			b.probe->hooks->plan(&b);
		}
}

/* `call`: what a call takes, in ns. */
static void expect_between(const struct row *row, double call)
{
	if (!(row->cost_ns >= CALLS_FEWEST * call && row->cost_ns <= CALLS_MOST * call))
		fail_msg("%s of %.0f bytes by %.0f bits: a call takes %g ns, all %g", row->variant,
			row_get(row, "bytes", 0), row_get(row, "width_bits", 0), call,
			row->cost_ns);
}

/* Rows of a variant cost `each` ns for each access of their width, for all calls. */
static void expect_accesses(const char *variant, double each)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		double bytes = row_get(row, "bytes", 0);
		double call = bytes / row_get(row, "width_bits", 0) * 8 * each;

		if (strcmp(row->variant, variant) || bytes < MIB)
			continue;
		n++;
		expect_between(row, call);
	}
	assert_true(n >= 2);
}

/*
 * By the work of a row, preparation and fewest samples, on a machine that fills 10 bytes, loads
 * once and runs four instructions in a nanosecond, and misses in 50: microseconds.
 */
static const struct figure {
	const char *probe, *variant, *param;
	double value, us;
} figures[] = {
	{ "clock", "rdtsc", NULL, 0, 31 },
	{ "clock", "core-clock", NULL, 0, 9835 },
	{ "clock", "step", NULL, 0, 415 },
	{ "clock", "div3-bare", NULL, 0, 81.8 },
	{ "clock", "adds-plain", NULL, 0, 824 },
	{ "clock", "adds-delta", NULL, 0, 2460 },
	{ "clock", "os-clock", NULL, 0, 17.8 },
	{ "latency", "pointer-padded", "bytes", 1024, 721 },
	{ "latency", "pointer-padded", "bytes", 67108864, 109000 },
	{ "latency", "pointer", "bytes", 67108864, 623000 },
	{ "latency", "list-one", NULL, 0, 11600 },
	{ "latency", "list-shuffled-two", NULL, 0, 1.04e6 },
	{ "latency", "method-checked", "bytes", 1024, 724 },
	{ "mlp", "chains", "lanes", 1, 27200 },
	{ "mlp", "work", "lanes", 32, 9544 },
	{ "mlp", "batch", "bytes", 8388608, 9845 },
	{ "mlp", "batch-work", "bytes", 2048, 1004 },
	{ "random", "read", "bytes", 24576, 813 },
	{ "random", "read", "bytes", 1048576, 2730 },
	{ "random", "read", "bytes", 67108864, 38173 },
	{ "bandwidth", "read", "bytes", 24576, 174 },
	{ "bandwidth", "rep-movsb", "bytes", 24576, 2530 },
	{ "bandwidth", "mix-3-1", "bytes", 67108864, 71900 },
	{ "bandwidth", "write", "bytes", 67108864, 58500 },
	{ "bandwidth", "one-byte-per-line", NULL, 0, 9.44e5 },
	{ "stride", "even", "stride_bytes", 16, 2.43e5 },
	{ "stride", "flush-beside", NULL, 0, 198 },
	{ "shuffle", "fisher-yates", "bytes", 16384, 160 },
	{ "tlb", "cost", "pages", 1, 197 },
	{ "tlb", "upper", "pages", 8192, 60100 },
	{ "walks", "cr3", NULL, 0, 3074 },
	{ "walks", "invlpg", "flushed", 4, 5530 },
	{ "walks", "code-pages", "pages", 861, 791 },
	{ "window", "two-misses", "instructions", 1027, 584 },
	{ "backend", "store", "entries", 704, 584 },
	{ "frontend", "dense", "bytes", 1024, 1600 },
	{ "frontend", "long", "bytes", 524288, 1640 },
	{ "ways", "same-set", "ways", 32, 199 },
	{ "branch", "copy-odd-random", NULL, 0, 3200 },
	{ "branch", "word-odd-random", NULL, 0, 2400 },
	{ "branch", "penalty", NULL, 0, 1640 },
	{ "branch", "bits-random", NULL, 0, 821 },
	{ "branch", "period", "elements", 65536, 16400 },
	{ "branch", "states-random", "elements", 1048576, 68200 },
	{ "branch", "learn", "pass", 20, 2000 },
	{ "branch", "state-machine", NULL, 0, 11400 },
	{ "branch", "targets", "targets", 131072, 78700 },
	{ "branch", "return-stack", "depth", 64, 2460 },
	{ "indirect", "order", "targets", 1, 658.56 },
	{ "indirect", "period", "elements", 8192, 5246.08 },
	{ "indirect", "returns", "depth", 96, 1293.44 },
	{ "ilp", "differences", NULL, 0, 260 },
	{ "ilp", "add", "lanes", 8, 332 },
	{ "ilp", "odd-calls", NULL, 0, 324 },
	{ "ilp", "factorial-calls", NULL, 0, 414 },
	{ "ilp", "int-differences", NULL, 0, 516 },
	{ "ilp", "factorials-calls", NULL, 0, 30000 },
	{ "storeload", "forward", NULL, 0, 1640 },
	{ "limits", "nop", NULL, 0, 4618 },
	{ "limits", "branch-taken", NULL, 0, 4618 },
	{ "matmul", "ijk", "n", 32, 2620 },
	{ "matmul", "ijk", "n", 512, 168000 },
	{ "matmul", "ijk", "n", 2048, 2.1e6 },
	{ "privileged", "cr3", NULL, 0, 3205 },
	{ "privileged", "cr3-touch", NULL, 0, 907 },
	{ "privileged", "clflush-dirty", NULL, 0, 655 },
	{ "oscost", "syscall", NULL, 0, 6480 },
	{ "oscost", "clock-gettime", NULL, 0, 6480 },
	{ "oscost", "clock-syscall", NULL, 0, 7300 },
	{ "oscost", "signal", NULL, 0, 6270 },
	{ "oscost", "switch-pipe", NULL, 0, 8320 },
	{ "oscost", "switch-futex", NULL, 0, 7300 },
	{ "oscost", "cross-cpu-pipe", NULL, 0, 13400 },
	{ "oscost", "minor-fault", NULL, 0, 11400 },
	{ "oscost", "minor-fault-2m", NULL, 0, 41600 },
	{ "oscost", "mmap-munmap", NULL, 0, 7300 },
	{ "oscost", "mmap-touch-munmap", NULL, 0, 11400 },
	{ "oscost", "thread-create", NULL, 0, 10900 },
	{ "oscost", "timer-wakeup", NULL, 0, 51200 },
	{ "bytouch", "touch-4k", NULL, 0, 74500 },
	{ "memtype", "uc-latency", NULL, 0, 4900 },
	{ "memtype", "wb-read", NULL, 0, 786 },
	{ "noise", "quanta", "quantum_ns", 1e6, 1.13e6 },
	{ "noise", "gaps", NULL, 0, 1.05e7 },
	{ "skew", "offset", "cpu", 3, 108 },
	{ "skew", "drift", "cpu", 1, 400108 },
	{ "atomics", "lock-add", NULL, 0, 312 },
	{ "atomics", "split", NULL, 0, 405 },
	{ "atomics", "shared", "cpus", 4, 12019 },
	{ "cores", "cpu-clock", "cpu", 3, 1626 },
	{ "cores", "cpu-l2", "cpu", 3, 1921 },
	{ "cores", "node-latency", NULL, 0, 28350 },
	{ "cores", "read", "cpus", 4, 1.93e5 },
	{ "cores", "loaded-latency", "cpus", 2, 87940 },
};

static void expect_figure(const struct figure *f)
{
	const struct row *row = NULL;

	for (unsigned i = 0; i < plan.n && !row; i++)
		if (!strcmp(plan.rows[i].variant, f->variant) &&
			(!f->param || row_get(&plan.rows[i], f->param, -1) == f->value))
			row = &plan.rows[i];
	if (!row)
		fail_msg("%s:%s is not planned", f->probe, f->variant);
	if (!(row->cost_ns > f->us * 1e3 / TOLERANCE && row->cost_ns < f->us * 1e3 * TOLERANCE))
		fail_msg("%s:%s: expected %g us, is said to take %g", f->probe, f->variant, f->us,
			row->cost_ns / 1e3);
}

static const struct pace usual = { .ns_per_byte = 0.1,
	.ns_per_node = 20,
	.ns_per_near_load = 1,
	.ns_per_far_load = 50,
	.ns_per_call = 100 };

TEST(all_rows_cost_their_work)
{
	for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++) {
		plan_at_pace(figures[i].probe, usual);
		expect_figure(&figures[i]);
	}
}

/* An emulator computes a product by fifty instructions of its own. */
TEST(products_cost_more_where_they_are_emulated)
{
	static const struct figure products[] = { { "matmul", "ijk", "n", 32, 41900 },
		{ "matmul", "ikj", "n", 2048, 3.36e7 } };

	emulated = true;
	plan_at_pace("matmul", usual);
	emulated = false;
	expect_figure(&products[0]);
	expect_figure(&products[1]);
}

/* No row is said to take less time where something takes longer, and some row takes more. */
TEST(nothing_slower_costs_less)
{
	static double before[PLAN_ROWS];
	unsigned n, more[5] = { 0 };

	for (unsigned i = 0; i < probe_count; i++) {
		plan_at_pace(probes[i].name, usual);
		n = plan.n;
		for (unsigned k = 0; k < n; k++)
			before[k] = plan.rows[k].cost_ns;
		for (unsigned what = 0; what < 5; what++) {
			struct pace slow = usual;
			double *const each[] = { &slow.ns_per_byte, &slow.ns_per_node,
				&slow.ns_per_near_load, &slow.ns_per_far_load, &slow.ns_per_call };

			*each[what] *= 3;
			plan_at_pace(probes[i].name, slow);
			assert_int_equal(n, plan.n);
			for (unsigned k = 0; k < n; k++) {
				if (plan.rows[k].cost_ns < before[k])
					fail_msg("%s:%s: %g ns, but %g where figure %u of the pace "
						 "is three times that",
						probes[i].name, plan.rows[k].variant, before[k],
						plan.rows[k].cost_ns, what);
				more[what] += plan.rows[k].cost_ns > before[k];
			}
		}
	}
	for (unsigned what = 0; what < 5; what++)
		assert_true(more[what] > 0);
}

/* Rows of mlp's batches on a machine where preparing alone takes time: one of a size builds it. */
TEST(one_row_of_a_size_builds_its_chain)
{
	unsigned n = 0;

	plan_at_pace("mlp", (struct pace){ .ns_per_node = 20 });
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		double bytes = row_get(row, "bytes", 0), lanes = row_get(row, "lanes", 0);
		bool builds = !strcmp(row->variant, "batch") && lanes == 1;
		double expected = builds ? bytes / 128 * 20 : 0;

		if (strncmp(row->variant, "batch", 5) != 0)
			continue;
		n += builds;
		if (fabs(row->cost_ns - expected) > 1e-6)
			fail_msg("%s of %g bytes, %g lanes: expected %g ns, came %g", row->variant,
				bytes, lanes, expected, row->cost_ns);
	}
	assert_true(n > 4);
}

/* Four accesses in the time of a load that waits for another. */
TEST(slow_instructions_cost_bandwidth)
{
	plan_at_pace("bandwidth", (struct pace){ .ns_per_near_load = 100 });
	expect_accesses("read", 25);
	expect_accesses("write", 25);
}

TEST(slow_memory_costs_bandwidth)
{
	unsigned n = 0;

	plan_at_pace("bandwidth", (struct pace){ .ns_per_byte = 10 });
	for (unsigned i = 0; i < plan.n; i++) {
		double call = 10 * row_get(&plan.rows[i], "bytes", 0);

		if (call < 10 * MIB)
			continue;
		n++;
		expect_between(&plan.rows[i], call);
	}
	assert_true(n > 4);
}

/*
 * What each row's cost is made of: the bytes that are filled, the nodes of chains that are built,
 * the loads from near and from far, and the calls, each counted on a machine where nothing else
 * takes time. Whether the estimate is right as a whole is in registry_cost_test.
 */

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
	{ "bandwidth", "write bytes=1048576 width_bits=64", { 13188608, 0, 393216, 0, 20 } },
	{ "bandwidth", "copy bytes=67108864 width_bits=256", { 541670912, 0, 6291456, 0, 20 } },
	{ "bandwidth", "nt-write bytes=67108864 width_bits=128", { 541670912, 0, 8994304, 0, 20 } },
	{ "bandwidth", "rep-movsb bytes=24576", { 25264128, 0, 98304, 0, 20 } },
	{ "bandwidth", "rep-stosb bytes=67108864", { 541670912, 0, 3145728, 0, 20 } },
	{ "bandwidth", "mix-3-1 bytes=67108864 width_bits=128", { 675888640, 0, 8994304, 0, 20 } },
	{ "bandwidth", "one-byte-per-line bytes=939524096 stride_bytes=64",
		{ 9400040960, 0, 19480064, 0, 20 } },
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
	{ "tlb", "cost pages=1 stride_bytes=65536", { 0, 2, 196752, 2, 0 } },
	{ "tlb", "cost pages=1024 stride_bytes=65536", { 0, 2048, 344064, 2048, 0 } },
	{ "tlb", "cost pages=2048 stride_bytes=65536", { 0, 4096, 0, 249856, 0 } },
	{ "tlb", "spread pages=1448 stride_bytes=65536", { 0, 2896, 0, 205456, 0 } },
	{ "tlb", "upper pages=8192 stride_bytes=2097152", { 0, 16384, 0, 999424, 0 } },
	{ "walks", "cr3 levels=4 reads=1 flushed=0", { 0, 0, 3072000, 0, 24 } },
	{ "walks", "invlpg levels=4 reads=4 flushed=4", { 0, 0, 3072000, 49152, 24 } },
	{ "walks", "code-pages pages=861 stride_bytes=4096", { 0, 0, 786432, 0, 48 } },
	{ "window", "two-misses instructions=3 bytes=67108864", { 0, 524288, 0, 20480, 0 } },
	{ "window", "two-misses instructions=11 bytes=67108864", { 0, 0, 10240, 20480, 0 } },
	{ "window", "two-misses instructions=131 bytes=67108864", { 0, 0, 160000, 20000, 0 } },
	{ "window", "two-misses instructions=515 bytes=67108864", { 0, 0, 163840, 5120, 0 } },
	{ "window", "two-misses instructions=1027 bytes=67108864", { 0, 0, 327680, 5120, 0 } },
	{ "backend", "any entries=2 bytes=67108864", { 0, 524288, 0, 20480, 0 } },
	{ "backend", "integer entries=130 bytes=67108864", { 0, 0, 161280, 20160, 0 } },
	{ "backend", "store entries=704 bytes=67108864", { 0, 0, 225280, 5120, 0 } },
	{ "ways", "same-set ways=1 stride_bytes=65536", { 0, 0, 196608, 0, 20 } },
	{ "ways", "same-index ways=32 stride_bytes=4096", { 0, 0, 196608, 0, 20 } },
	{ "ilp", "differences elements=100", { 0, 0, 256000, 0, 40 } },
	{ "ilp", "add lanes=8", { 0, 0, 307200, 0, 40 } },
	{ "ilp", "odd-calls elements=999", { 0, 0, 319680, 0, 40 } },
	{ "ilp", "factorial-loop n=20", { 0, 0, 409600, 0, 40 } },
	{ "storeload", "load-page", { 0, 0, 1638400, 0, 50 } },
	{ "limits", "add", { 0, 0, 4608000, 0, 100 } },
	{ "limits", "branch-taken", { 0, 0, 4608000, 0, 100 } },
	{ "matmul", "ijk n=32 rows=32", { 16384, 0, 2621440, 0, 0 } },
	{ "matmul", "ikj n=512 rows=16", { 4194304, 0, 167772160, 0, 0 } },
	{ "matmul", "ijk n=2048 rows=1", { 67108864, 0, 0, 41943040, 0 } },
	{ "privileged", "cpuid", { 0, 0, 3200000, 0, 50 } },
	{ "privileged", "touch pages=64", { 0, 0, 902400, 0, 50 } },
	{ "privileged", "clwb-clean", { 0, 0, 0, 12800, 150 } },
	{ "privileged", "wbinvd-full", { 0, 0, 0, 655360, 30 } },
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
