/* SPDX-License-Identifier: MIT */
/*
 * Curves of a cloud guest whose memory a hypervisor within another one backs with pages of 4 KiB:
 * an AMD Zen 5, whose L3 is shared with others. L1 has 48 KiB, L2 1 MiB; 3 to 6 MiB of L3 are left;
 * memory takes 120 to 150 ns up to 16 MiB, which 4096 entries of the TLB reach, and up to 360 ns
 * where page walks take part. The rows of flushed lines, which these runs did not have, are added.
 */
#include "tests/unit/summary_rows.h"

/* Bytes, ns and core cycles of a load. */
struct seen {
	double bytes, ns, cycles;
};

static const struct seen idle[] = { { 1024, 1.0845, 4 }, { 1472, 1.0844, 4 }, { 2048, 1.0847, 4 },
	{ 2880, 1.0847, 4 }, { 4096, 1.0846, 4 }, { 5824, 1.0848, 4 }, { 8192, 1.0845, 4 },
	{ 11584, 1.085, 4 }, { 16384, 1.0854, 4 }, { 23168, 1.0861, 4.01 }, { 24576, 1.087, 4.01 },
	{ 28672, 1.088, 4.01 }, { 32768, 1.0909, 4.02 }, { 46336, 1.1167, 4.12 },
	{ 49152, 1.1677, 4.3 }, { 50176, 1.8592, 6.86 }, { 51200, 2.5642, 9.46 },
	{ 53248, 3.8495, 14.22 }, { 57344, 3.797, 13.98 }, { 65536, 3.7972, 14 },
	{ 92672, 3.7967, 14 }, { 131072, 3.8002, 14.01 }, { 185344, 3.8036, 14.03 },
	{ 262144, 3.8003, 14.04 }, { 370752, 3.807, 14.08 }, { 524288, 4.2962, 15.88 },
	{ 741440, 4.7239, 17.47 }, { 1048576, 6.1163, 22.59 }, { 1179648, 8.8686, 32.75 },
	{ 1310720, 10.166, 37.48 }, { 1482880, 11.015, 40.66 }, { 2097152, 12.57, 46.36 },
	{ 2965824, 14.175, 52.28 }, { 4194304, 15.677, 57.85 }, { 5931648, 17.385, 63.96 },
	{ 6291456, 20.463, 75.51 }, { 7340032, 129.71, 477.97 }, { 8388608, 122.82, 452.91 },
	{ 10485760, 124.76, 460.13 }, { 11863296, 127.55, 470.31 }, { 12582912, 130.62, 481.6 },
	{ 13631488, 129.98, 479.63 }, { 14680064, 132.84, 491.39 }, { 16777216, 134.15, 494.75 },
	{ 23726592, 139.69, 515.18 }, { 30756864, 143.12, 527.62 }, { 33554432, 175.21, 645.72 },
	{ 47453120, 150.13, 554.82 }, { 67108864, 161.06, 593.96 }, { 83886080, 163.08, 600.6 },
	{ 85983232, 163.51, 602.71 }, { 88080384, 162.42, 598.52 }, { 92274688, 164.56, 607.26 },
	{ 94906240, 173.11, 637.88 }, { 100663296, 242.82, 784.28 }, { 109051904, 180.94, 668.42 },
	{ 117440512, 183.6, 676.25 }, { 125829120, 189.26, 698.55 }, { 134217728, 205.39, 758.06 },
	{ 150994944, 218.79, 807.58 }, { 167772160, 219.07, 790.36 }, { 189812544, 215.56, 792.49 },
	{ 268435456, 239.31, 838.61 }, { 285212672, 265.03, 979.05 }, { 301989888, 254.53, 940.27 },
	{ 335544320, 253.72, 937.27 }, { 352321536, 252.49, 929.64 }, { 379625088, 272.75, 955.06 },
	{ 536870912, 269.26, 991.38 }, { 738197504, 266.63, 986.63 }, { 759250112, 307.31, 1131.5 },
	{ 1073741824, 328.29, 1211.8 }, { 0 } };

static const struct seen loaded[] = { { 1024, 1.1078, 4.0021 }, { 1472, 1.1081, 4.0021 },
	{ 2048, 1.1076, 4.0033 }, { 2880, 1.1078, 4.0021 }, { 4096, 1.1083, 4.003 },
	{ 5824, 1.1084, 4.0027 }, { 8192, 1.1091, 4.0027 }, { 11584, 1.1088, 4.0027 },
	{ 16384, 1.1087, 4.0052 }, { 23168, 1.1107, 4.0096 }, { 28672, 1.2573, 4.1866 },
	{ 32768, 1.1159, 4.0286 }, { 46336, 1.1397, 4.1176 }, { 47104, 3.2392, 11.155 },
	{ 49152, 3.4801, 12.078 }, { 57344, 4.0929, 13.595 }, { 65536, 3.8811, 14.018 },
	{ 92672, 3.8772, 14.013 }, { 131072, 3.8823, 14.023 }, { 185344, 3.8859, 14.046 },
	{ 262144, 3.8903, 14.057 }, { 370752, 3.8987, 14.085 }, { 393216, 4.5863, 15.266 },
	{ 458752, 4.8511, 16.073 }, { 524288, 4.4008, 15.881 }, { 741440, 4.8847, 17.622 },
	{ 753664, 13.057, 45.169 }, { 786432, 12.591, 43.19 }, { 917504, 14.425, 48.101 },
	{ 983040, 15.499, 52.342 }, { 1048576, 22.336, 73.747 }, { 1482880, 16.205, 56.715 },
	{ 1572864, 17.567, 59.978 }, { 1703936, 16.34, 56.619 }, { 1736704, 17.209, 57.491 },
	{ 1769472, 65.154, 226.58 }, { 1835008, 220.58, 729.06 }, { 1966080, 206.49, 402.88 },
	{ 2097152, 39.243, 137.25 }, { 2359296, 93.126, 331.53 }, { 2621440, 75.093, 250 },
	{ 2752512, 85.411, 293.12 }, { 2883584, 147.29, 492.8 }, { 2965824, 134.35, 474.21 },
	{ 3145728, 145.67, 501.29 }, { 3670016, 141.54, 491.02 }, { 4194304, 138.54, 487.99 },
	{ 5931648, 150.36, 528.4 }, { 7340032, 155.86, 523.5 }, { 8388608, 152.34, 534.82 },
	{ 10485760, 162.89, 542.47 }, { 11863296, 173.34, 604.65 }, { 16777216, 177.99, 625.67 },
	{ 20971520, 194.76, 648.46 }, { 23726592, 210.59, 740.21 }, { 29360128, 198.94, 679.14 },
	{ 33554432, 236.41, 828.1 }, { 41943040, 231.29, 766.79 }, { 47453120, 261.95, 918.78 },
	{ 67108864, 272.91, 948.91 }, { 94906240, 279.02, 969.57 }, { 117440512, 353.86, 1178.8 },
	{ 134217728, 376.12, 1296.7 }, { 189812544, 363.32, 1280.7 }, { 268435456, 364.3, 1288.3 },
	{ 379625088, 447.87, 1492.7 }, { 0 } };

static const struct seen smoke_level[] = { { 1024, 1.1587, 4.0007 }, { 2048, 1.1585, 4.0018 },
	{ 4096, 1.1597, 4.0013 }, { 8192, 1.1586, 4.0012 }, { 16384, 1.1596, 4.0062 },
	{ 32768, 1.1665, 4.0281 }, { 65536, 4.0502, 14.002 }, { 131072, 4.6417, 16.07 },
	{ 262144, 4.0751, 14.067 }, { 524288, 4.6153, 15.926 }, { 1048576, 12.871, 43.472 },
	{ 2097152, 20.912, 72.159 }, { 4194304, 508.35, 1746.8 }, { 8388608, 161.76, 558.17 },
	{ 16777216, 169.63, 587.28 }, { 33554432, 193.97, 667.65 }, { 67108864, 258.73, 895.02 },
	{ 0 } };

static const struct seen smoke[] = { { 1024, 1.8466, 5.3565 }, { 2048, 1.4794, 1.8036 },
	{ 4096, 1.4719, 4.0042 }, { 8192, 1.288, 4.6915 }, { 16384, 1.1001, 4.0065 },
	{ 32768, 1.1065, 4.0326 }, { 65536, 3.8368, 14.016 }, { 131072, 5.3469, 19.483 },
	{ 262144, 3.8622, 14.069 }, { 524288, 4.3639, 15.943 }, { 1048576, 8.6277, 31.274 },
	{ 2097152, 92.077, 146.24 }, { 4194304, 403.23, 1468.9 }, { 8388608, 142.07, 511.59 },
	{ 16777216, 154.28, 567.7 }, { 33554432, 157.12, 576.2 }, { 67108864, 195.26, 710.12 },
	{ 0 } };
static struct cpuid two_caches(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	static const uint32_t sets[] = { 64, 2048 };

	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf < 2)
		return (struct cpuid){ (subleaf ? 3 : 1) | (subleaf + 1) << 5,
			(subleaf ? 7u : 11u) << 22 | 63, sets[subleaf] - 1, 0 };
	return (struct cpuid){ 0 };
}

static struct result *add_seen(const char *variant, double bytes, double ns, double cycles)
{
	add("latency", variant, "bytes", bytes, ns, PAGE_2M);
	m.results[m.b.nresults - 1].cycles = cycles;
	return &m.results[m.b.nresults - 1];
}

/* A curve, and flushed lines: on few pages, and on many, where walks make them dearer. */
static void guest_walking(const struct seen *curve, double memory, double cycles,
	const double walk[4])
{
	unsigned i;

	begin_of("latency");
	m.room.cpuid = two_caches;
	m.b.arena.bytes = 4096 * MIB;
	for (i = 0; curve[i].bytes; i++)
		add_seen("pointer-padded", curve[i].bytes, curve[i].ns, curve[i].cycles);
	for (i = 0; memory > 0 && i < 4; i++) {
		double bytes = 4 * MIB * (1 << 2 * i);

		add_seen("flushed", bytes, memory, cycles);
		add_seen("flushed-pages", bytes, walk[i] * memory, walk[i] * cycles);
	}
}

static void guest(const struct seen *curve, double memory, double cycles)
{
	guest_walking(curve, memory, cycles, (const double[]){ 1, 1.04, 1.3, 1.8 });
}

/* Either not resolved, or a bracket within these bounds. */
static void expect_at_most(const char *name, double low, double high)
{
	const struct summary *v = find_value(&m.found, value_by_name(name));

	if (v && isfinite(v->value) && !(v->low >= low && v->high <= high))
		fail_msg("%s: expected within %g..%g or not resolved, came %g (%g..%g)", name, low,
			high, v->value, v->low, v->high);
}

static void expect_one_memory(const struct seen *curve, double memory, double largest)
{
	guest(curve, memory, 3.6 * memory);
	expect_found("memory_latency_ns", memory, 1e-6);
	expect_found("memory_latency_cycles", 3.6 * memory, 1e-6);
	expect_found("memory_walk_latency_ns", largest, 1e-6);
	assert_string_equal("to 16M", value("memory_latency_ns")->form);
	assert_null(find_value(&m.found, VALUE_l4_bytes));
	expect_at_most("l3_bytes", MIB, 8 * MIB);
	expect_at_most("l2_bytes", 256 * KIB, 1.5 * MIB);
	m.b.probe->hooks->find_first(&m.b);
	assert_true(m.b.caches.count <= 3);
}

TEST(a_rise_of_translation_is_no_level)
{
	expect_one_memory(idle, 125, 328.29);
	expect_one_memory(loaded, 140, 447.87);
	expect_one_memory(smoke_level, 150, 258.73);
	expect_one_memory(smoke, 140, 195.26);
}

/* Where the TLB's reach ends before the cache does, the walks' rise is not the cache's end. */
TEST(a_rise_by_walks_does_not_end_a_cache)
{
	static const struct seen curve[] = { { 16 * KIB, 1, 4 }, { 32 * KIB, 1, 4 },
		{ 48 * KIB, 1, 4 }, { 64 * KIB, 12, 43 }, { 128 * KIB, 12, 43 },
		{ 256 * KIB, 12, 43 }, { 512 * KIB, 12, 43 }, { MIB, 12, 43 },
		{ 1.25 * MIB, 12.1, 43.5 }, { 1.5 * MIB, 15, 54 }, { 1.75 * MIB, 18, 65 },
		{ 2 * MIB, 20, 72 }, { 2.25 * MIB, 104, 374 }, { 2.5 * MIB, 105, 378 },
		{ 4 * MIB, 107, 385 }, { 8 * MIB, 112, 403 }, { 16 * MIB, 115, 414 },
		{ 32 * MIB, 117, 421 }, { 0 } };

	guest_walking(curve, 100, 360, (const double[]){ 1.12, 1.15, 1.2, 1.3 });
	const struct summary *l2 = value("l2_bytes");

	near("the last size that a walk explains", 2 * MIB, l2->value);
	if (!(l2->low <= 1.5 * MIB && l2->high == 2.25 * MIB))
		fail_msg("expected a bracket from the walks' rise to 2.25M, came %g..%g", l2->low,
			l2->high);
}

/* Rows whose samples others disturbed, of a last cache that they empty, do not hide the others. */
TEST(rows_that_others_disturb_hide_no_level)
{
	guest(idle, 125, 450);
	double l1 = value("l1d_bytes")->value;

	guest(idle, 125, 450);
	for (unsigned i = 0; i < 8; i++) {
		struct result *r = add_seen("pointer-padded", 81920 * (i + 1), 150 - 10 * i, 500);

		r->samples = 256;
		r->disturbed = 140;
	}
	near("L1", l1, value("l1d_bytes")->value);
}

/* Levels that run with the core are read in core cycles, walks in ns. */
TEST(a_short_walk_leaves_a_cache_as_it_is)
{
	double l1;

	guest(idle, 125, 450);
	l1 = value("l1d_bytes")->value;
	guest_walking(idle, 125, 450, (const double[]){ 1.0005, 1.04, 1.3, 1.8 });
	near("L1 beside a walk of 0.06 ns", l1, value("l1d_bytes")->value);
}

/* Without flushed lines nothing tells a third level from page walks, if CPUID claims two. */
TEST(what_may_be_page_walks_is_no_level)
{
	guest(idle, 0, 0);
	expect_open("l3_bytes", "a cache, or page walks: no lines were flushed");
	expect_open("l3_latency_ns", "a cache, or page walks: no lines were flushed");
	guest(smoke_level, 0, 0);
	expect_open("l4_bytes", "a cache, or page walks: no lines were flushed");
}

/* Caches beyond L1 end where the frames of small pages have it. */
TEST(sizes_by_chance_are_less_sure)
{
	guest(loaded, 140, 504);
	double l1 = value("l1d_bytes")->confidence, l2 = value("l2_bytes")->confidence;

	guest(loaded, 140, 504);
	m.room.facts.frames_scattered = true;
	assert_true(value("l1d_bytes")->confidence == l1);
	near("the second level", 0.6 * l2, value("l2_bytes")->confidence);
}

/* Small pages cost as large ones do, and both more than within the reach of the TLB. */
TEST(large_pages_that_the_host_makes_of_small_ones)
{
	static const struct {
		double small, large;
		bool by_host;
	} pages[] = { { 405, 400, true }, { 600, 400, false }, { 132, 130, false } };

	for (unsigned i = 0; i < sizeof pages / sizeof *pages; i++) {
		guest(loaded, 125, 450);
		add("latency", "pointer-padded", "bytes", 256 * MIB, pages[i].small, PAGE_4K)
			->level = "memory";
		add("latency", "pointer-padded", "bytes", 256 * MIB, pages[i].large, PAGE_2M)
			->level = "memory";
		if (pages[i].by_host)
			expect_open("page_size_effect", "the host backs memory with 4 KiB pages");
		else
			expect_found("page_size_effect", pages[i].small / pages[i].large, 1e-6);
	}
}
