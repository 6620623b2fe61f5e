/* SPDX-License-Identifier: MIT */
/* Rows of a machine that does not exist -> summary lines and the card. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <jansson.h>
#include <cmocka.h>

#include "probes/emit.h"
#include "probes/places.h"
#include "probes/stride.h"
#include "probes/summary.h"
#include "tests/unit/fake_env.h"

#define MOST 600
#define HZ   3e9 /* core clock; 1 ns is 3 cycles */

static struct {
	struct env env;
	struct options opt;
	struct bench b;
	struct emit emit;
	struct row rows[MOST];
	struct result results[MOST];
	char said[16384];
} m;

static void hear(struct env *env, const char *text, size_t n)
{
	(void)env;
	size_t used = strlen(m.said);

	if (used + n < sizeof m.said)
		memcpy(m.said + used, text, n + 1), m.said[used + n] = 0;
}

/* CPUID of nobody: no claims but leaf 4, which says L1d 48 KiB, 12 ways, lines of 64 bytes. */
static struct cpuid claims(struct env *env, uint32_t leaf, uint32_t subleaf)
{
	(void)env;
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0)
		return (struct cpuid){ 1 | 1 << 5, 11u << 22 | 63, 63, 0 };
	return (struct cpuid){ 0 };
}

static void begin(void)
{
	memset(&m, 0, sizeof m);
	fake_reset(&m.env);
	m.env.say = hear;
	m.env.cpuid = claims;
	m.b = (struct bench){ .env = &m.env, .opt = &m.opt, .results = m.results, .emit = &m.emit };
	m.b.work.base = m.env.work;
	m.b.work.bytes = m.env.work_bytes;
}

static const struct probe *probe(const char *name)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, name))
			return &probes[i];
	fail_msg("no probe %s", name);
	return NULL;
}

/* A row with one parameter; y in its unit and cycles. */
static struct row *add(const char *of, const char *variant, const char *param, double x, double y,
	size_t page)
{
	struct row *row = &m.rows[m.b.nresults];

	assert_true(m.b.nresults < MOST);
	*row = (struct row){ .probe = probe(of), .variant = variant, .page_bytes = page };
	row_param(row, param, x);
	m.results[m.b.nresults++] = (struct result){ .row = row, .median = y, .min = y, .max = y,
		.mad = 0.001 * y, .samples = 9, .page_bytes = page, .core_hz = HZ,
		.cycles = y * HZ / 1e9 };
	return row;
}

static double latency(double bytes)
{
	return bytes <= 48 * KIB ? 1.5 : bytes <= 2 * MIB ? 5 : bytes <= 32 * MIB ? 25 : 100;
}

static void add_latency(void)
{
	for (double x = KIB; x <= GIB; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", floor(x / 64) * 64, latency(floor(x / 64) * 64),
			PAGE_2M);
	add("latency", "pointer-padded", "bytes", 256 * MIB, 100, PAGE_2M)->place = "memory";
	add("latency", "pointer-padded", "bytes", 256 * MIB, 130, PAGE_4K)->place = "memory";
}

static void add_lines(double line, double fetch)
{
	for (double x = 16; x <= 1024; x *= M_SQRT2) {
		add("stride", "even", "stride_bytes", floor(x), fmin(floor(x), fetch) / 10, PAGE_2M);
		add("stride", "odd", "stride_bytes", floor(x) - 1, fmin(floor(x) - 1, fetch) / 10,
			PAGE_2M);
	}
	for (double x = 8; x <= 256; x *= 2)
		add("stride", FLUSH_VARIANT, FLUSH_APART, x, x < line ? 100 : 1.5, PAGE_2M);
	for (double x = 1; x <= 32; x++) {
		add("ways", "same-set", "ways", x, x <= 12 ? 1.5 : 5, PAGE_2M);
		add("ways", "same-pages", "ways", x, 1.5, PAGE_2M);
	}
	for (double x = 3; x < 650; x += 16)
		add("window", "two-misses", "instructions", x, x <= 512 ? 100 + x / 10 : 220 + x / 10,
			PAGE_2M);
	for (int large = 0; large < 2; large++)
		for (double x = 4; x <= 16384; x *= M_SQRT2)
			add("tlb", "cost", "pages", floor(x), x <= 96 ? 0 : x < 2100 ? 7 / 3. : 20,
				large ? PAGE_2M : PAGE_4K);
}

static void add_memory(void)
{
	static const char *const variants[] = { "read", "write", "copy" };
	static const struct place places[LEVELS] = { { "l1", 24 * KIB, "measured" },
		{ "l2", MIB, "measured" }, { "l3", 10 * MIB, "measured" },
		{ "memory", 256 * MIB, "measured" } };

	for (unsigned lanes = 1; lanes <= 40; lanes++)
		for (int large = 0; large < 2; large++)
			add("mlp", "chains", "lanes", lanes, 100 / fmin(lanes, large ? 14 : 10),
				large ? PAGE_2M : PAGE_4K)->place = "memory";
	for (unsigned level = 0; level < LEVELS; level++) {
		m.b.places[level] = places[level];
		for (unsigned v = 0; v < 3; v++)
			add("bandwidth", variants[v], "bytes", (double)places[level].bytes,
				(300 >> 2 * level) / (1. + v), PAGE_2M)->place = places[level].name;
	}
}

/* Measured on an Emerald Rapids, spacing 16 and 32 bytes: 16 .. 16384 jumps, 2 an octave. */
static const double jumps[2][21] = {
	{ 0.504, 0.493, 0.487, 0.515, 0.504, 0.537, 0.532, 0.537, 0.546, 0.549, 0.549, 0.553, 0.553,
		0.559, 0.558, 0.564, 0.590, 0.596, 1.013, 1.078, 1.849 },
	{ 0.348, 0.341, 0.383, 0.402, 0.391, 0.396, 0.405, 0.483, 0.533, 0.539, 0.550, 0.569, 0.557,
		0.557, 0.557, 0.559, 0.564, 0.573, 0.748, 0.851, 1.862 },
};
/* Below, each count has a cost of its own. */
static const double few[] = { 0.555, 0.417, 0.348, 0.415 };

static void add_targets(double spacing, const double *ns)
{
	for (int i = 0; i < 4; i++)
		row_param(add("branch", "targets", "targets", 1 << i, few[i], 0), "stride_bytes",
			spacing);
	for (int i = 0; i < 21; i++)
		row_param(add("branch", "targets", "targets", floor(16 * exp2(i / 2.)), ns[i], 0),
			"stride_bytes", spacing);
}

static void add_core(void)
{
	add("clock", "core-clock", "n", 65536, HZ / 1e9, 0);
	add("branch", "penalty", "elements", 8192, 17, 0);
	for (double x = 256; x <= 65536; x *= M_SQRT2)
		add("branch", "period", "elements", floor(x), x <= 5000 ? 1 : x <= 8000 ? 3 : 6, 0);
	for (int depth = 1; depth <= 64; depth++)
		add("branch", "return-stack", "depth", depth,
			(depth + 9 * fmax(0, depth - 24)) / depth, 0);
	add_targets(16, jumps[0]);
	add_targets(32, jumps[1]);
}

static void add_noise(void)
{
	static const char *const variants[] = { "gaps", "stolen", "longest" };
	static const double values[] = { 1400, 3000, 54000000 };

	for (int i = 0; i < 3; i++) {
		add("noise", variants[i], "cpu", 0, values[i], 0);
		m.results[m.b.nresults - 1].mean = values[i];
	}
}

static void add_all(void)
{
	add_noise();
	add_latency();
	add_lines(64, 128);
	add_memory();
	add_core();
}

/* The summary line of that name, to be released. */
static json_t *summary(const char *name)
{
	for (const char *p = fake_out; *p; p = strchr(p, '\n') + 1) {
		json_t *line = json_loads(p, JSON_DISABLE_EOF_CHECK, NULL);
		if (!strcmp(json_string_value(json_object_get(line, "name")), name))
			return line;
		json_decref(line);
	}
	fail_msg("no summary line '%s' in:\n%s", name, fake_out);
	return NULL;
}

static void expect(const char *name, double value, double tolerance)
{
	json_t *line = summary(name);
	double got = json_number_value(json_object_get(line, "value"));

	if (!(fabs(got - value) <= tolerance * value))
		fail_msg("%s: expected %g, got %g, %s", name, value, got,
			json_string_value(json_object_get(line, "reason")));
	json_decref(line);
}

static void expect_open(const char *name, const char *reason)
{
	json_t *line = summary(name);
	const char *why = json_string_value(json_object_get(line, "reason"));

	if (!json_is_null(json_object_get(line, "value")) || !why || strcmp(why, reason))
		fail_msg("%s: expected not resolved, '%s', got '%s'", name, reason, why ? why : "a value");
	json_decref(line);
}

static void test_every_value_comes_back(void **state)
{
	static const struct {
		const char *name;
		double value, tolerance;
	} all[] = { { "l1d_bytes", 46341, 0.01 }, { "l2_bytes", 2 * MIB, 0.01 },
		{ "l3_bytes", 32 * MIB, 0.01 }, { "l1d_latency_ns", 1.5, 0 },
		{ "l2_latency_cycles", 15, 0 }, { "l3_latency_ns", 25, 0 },
		{ "memory_latency_ns", 100, 0 }, { "line_bytes", 64, 0 }, { "fetch_bytes", 128, 0 },
		{ "l1d_ways", 12, 0 }, { "dtlb_4k_entries", 90, 0.01 }, { "stlb_entries", 2048, 0.01 },
		{ "stlb_hit_cycles", 7, 0.001 }, { "walk_cycles", 60, 0.001 },
		{ "dtlb_2m_entries", 90, 0.01 }, { "stlb_2m_entries", 2048, 0.01 },
		{ "stlb_2m_hit_cycles", 7, 0.001 }, { "walk_2m_cycles", 60, 0.001 },
		{ "parallel_misses", 14, 0.001 }, { "parallel_misses_4k", 10, 0.001 },
		{ "page_size_effect", 1.3, 0.001 }, { "read_bytes_per_cycle_l1", 100, 0.001 },
		{ "write_bytes_per_cycle_l2", 12.5, 0.001 },
		{ "copy_bytes_per_cycle_memory", 4 / 9., 0.001 }, { "window_instructions", 499, 0 },
		{ "mispredict_cycles", 17, 0 }, { "predictor_branches", 5792, 0.01 },
		{ "branch_targets", 11585, 0 }, { "return_stack", 24, 0.05 }, { "core_clock_hz", HZ, 0 },
		{ "core_tsc_ratio", 3, 0 }, { "noise_gaps_per_second", 1400, 0 }, { "noise_stolen_ppm", 3000, 0 },
		{ "noise_longest_ns", 54e6, 0 } };

	(void)state;
	begin();
	add_all();
	summary_run(&m.b);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		expect(all[i].name, all[i].value, all[i].tolerance);
}

/* 128 bytes at once are a line of 128 or a pair of 64: the flush tells, and CPUID is not asked. */
static void test_a_flush_tells_lines_from_pairs(void **state)
{
	static const double lines[] = { 32, 64, 128, 256 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		begin();
		add_lines(lines[i], fmax(lines[i], 128));
		summary_run(&m.b);
		expect("line_bytes", lines[i], 0);
		expect("fetch_bytes", fmax(lines[i], 128), 0);
	}
	begin(); /* a flush that flushes nothing */
	add_lines(0, 64);
	summary_run(&m.b);
	expect_open("line_bytes", "the cost does not fall");
	begin(); /* one that takes all */
	add_lines(1024, 64);
	summary_run(&m.b);
	expect_open("line_bytes", "the cost does not fall");
}

static void test_targets_that_move_with_the_spacing_are_the_caches(void **state)
{
	double ns[2][21];

	(void)state;
	for (int far = 0; far < 2; far++)
		for (int i = 0; i < 21; i++)
			ns[far][i] = i <= (far ? 12 : 16) ? 0.5 : 2;
	begin();
	add_targets(16, ns[0]);
	add_targets(32, ns[1]);
	summary_run(&m.b);
	expect_open("branch_targets", "moves with the jumps' spacing");
}

/* 24 lines of 79 columns, nothing broken off; the blank line before it may scroll away. */
static void check_card(void)
{
	unsigned lines = 0;

	assert_int_equal(m.said[0], '\n');
	for (char *p = m.said + 1; *p; lines++) {
		size_t n = strcspn(p, "\n");
		if (n > 79)
			fail_msg("%zu columns: %.*s", n, (int)n, p);
		p += n + (p[n] == '\n');
	}
	if (lines > 24)
		fail_msg("%u lines:\n%s", lines, m.said);
}

static const char *const labels[] = { "L1 data cache ", "L2 cache ", "L3 cache ", "memory ",
	"cache line ", "L1 ways ", "TLB, 4 KiB pages ", "TLB, 2 MiB pages ", "misses at once ",
	"4 KiB pages cost ", "read  B/cycle ", "write B/cycle ", "copy  B/cycle ", "window ",
	"misprediction ", "random branches ", "branch targets ", "return stack ", "core clock ",
	"stolen time " };

static void has_labels(void)
{
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		char line[40];
		snprintf(line, sizeof line, "\n%s", labels[i]);
		if (!strstr(m.said, line))
			fail_msg("the card lacks '%s':\n%s", labels[i], m.said);
	}
}

static void test_the_card_fits_one_screen(void **state)
{
	(void)state;
	begin();
	m.env.facts.hypervisor = "KVMKVMKVM";
	add_all();
	summary_run(&m.b);
	check_card();
	has_labels();
	if (!strstr(m.said, "48K") || !strstr(m.said, "agrees") || !strstr(m.said, "VIRTUAL"))
		fail_msg("expected the claim of 48K, that it agrees, and VIRTUAL:\n%s", m.said);
	assert_non_null(strstr(m.said, "0 not resolved, 0 unlike"));
}

/* Flat everywhere: every line says why it is not resolved, and still fits. */
static void test_the_card_of_nothing_fits_too(void **state)
{
	(void)state;
	begin();
	m.env.facts.emulated = true;
	add_all();
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].median = m.results[i].cycles = strcmp(m.rows[i].variant, "penalty") ? 1 : 0;
	summary_run(&m.b);
	check_card();
	has_labels();
	assert_non_null(strstr(m.said, "EMULATED"));
	expect_open("mispredict_cycles", "random branches cost no more than constant ones");
}

static void test_nothing_measured_is_no_card(void **state)
{
	(void)state;
	begin();
	summary_run(&m.b);
	assert_string_equal(m.said, "");
	expect_open("l1d_bytes", "not measured in this run");
}

/* An emulator's curve: its second level ends nowhere. The planner must not take it for a size. */
static void a_level_without_an_edge_is_no_size(void **state)
{
	static const double ns[] = { 4.4, 3.9, 3.9, 3.9, 3.9, 4.1, 7, 7, 7.1, 7.6, 8.4, 27, 97, 71, 77, 56,
		144, 436 };

	(void)state;
	begin();
	m.b.arena.bytes = 1760 * MIB;
	for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++)
		add("latency", "pointer-padded", "bytes", 1024 << i, ns[i], PAGE_2M);
	summary_caches(&m.b);
	places_set(&m.b);
	for (unsigned i = 0; i + 1 < LEVELS; i++)
		if (m.b.places[i].bytes > 64 * MIB)
			fail_msg("%s is measured at %lu bytes (%s): see probes/summary_caches.c",
				m.b.places[i].name, m.b.places[i].bytes, m.b.places[i].origin);
	assert_string_equal("measured", m.b.places[LEVEL_L1].origin);
	assert_string_equal("assumed", m.b.places[LEVEL_L2].origin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_without_an_edge_is_no_size),
		cmocka_unit_test(test_every_value_comes_back),
		cmocka_unit_test(test_a_flush_tells_lines_from_pairs),
		cmocka_unit_test(test_targets_that_move_with_the_spacing_are_the_caches),
		cmocka_unit_test(test_the_card_fits_one_screen),
		cmocka_unit_test(test_the_card_of_nothing_fits_too),
		cmocka_unit_test(test_nothing_measured_is_no_card),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
