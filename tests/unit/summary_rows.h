/* SPDX-License-Identifier: MIT */
/*
 * The rows that a machine which does not exist would give: tests of the summary change and add to
 * them.
 */
#ifndef TESTS_UNIT_SUMMARY_ROWS_H
#define TESTS_UNIT_SUMMARY_ROWS_H

#include "engine/emit.h"
#include "engine/find.h"
#include "engine/infer/card.h"
#include "tests/unit/fake_room.h"

#define MOST 600
#define HZ   3e9 /* core clock; 1 ns is 3 cycles */

#define CYCLES(n) ((n)*1e9 / HZ) /* in ns */

static struct {
	struct room room;
	struct options opt;
	struct bench b;
	struct emit emit;
	struct found_values found;
	struct card card;
	struct row rows[MOST];
	struct result results[MOST];
	char said[16384];
} m;

static void hear(struct room *room, const char *text, size_t n)
{
	size_t used = strlen(m.said);

	if (used + n < sizeof m.said)
		memcpy(m.said + used, text, n + 1), m.said[used + n] = 0;
}

/* CPUID of nobody: no claims but leaf 4, which says L1d 48 KiB, 12 ways, lines of 64 bytes. */
static struct cpuid claims(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0)
		return (struct cpuid){ 1 | 1 << 5, 11u << 22 | 63, 63, 0 };
	return (struct cpuid){ 0 };
}

static void begin(void)
{
	memset(&m, 0, sizeof m);
	fake_reset(&m.room);
	m.room.say = hear;
	m.room.cpuid = claims;
	m.b = (struct bench){
		.room = &m.room,
		.opt = &m.opt,
		.results = m.results,
		.emit = &m.emit,
		.found = &m.found,
		.card = &m.card,
		.node_bytes = 64,
	};
	m.found.reader.bench = &m.b;
	m.b.work.base = m.room.work;
	m.b.work.bytes = m.room.work_bytes;
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
	m.results[m.b.nresults++] = (struct result){
		.row = row,
		.median = y,
		.min = y,
		.max = y,
		.mad = 0.001 * y,
		.samples = 9,
		.page_bytes = page,
		.core_hz = HZ,
		.cycles = y * HZ / 1e9,
	};
	return row;
}

/* Rows as after begin(), for the values of this probe. */
static inline void begin_of(const char *of)
{
	begin();
	m.b.probe = probe(of);
}

/* A value of that probe, found anew in all rows by this reading of them; NULL: there is none. */
static inline const struct summary *value_by(enum reading reading, const char *name)
{
	m.found = (struct found_values){ .reader = { .bench = &m.b, .reading = reading } };
	run_find(&m.b, &m.found, m.b.probe->name);
	return find_value(&m.found, value_by_name(name));
}

/* Likewise by their medians. */
static inline const struct summary *value(const char *name)
{
	const struct summary *s = value_by(READ_MEDIAN, name);

	if (!s)
		fail_msg("%s was not found", name);
	return s;
}

static inline void fail_value(const struct summary *s, const char *expected)
{
	fail_msg("%s: expected %s, came %.9g (%g..%g), confidence %g, %s", s->name, expected,
		s->value, s->low, s->high, s->confidence, s->reason ? s->reason : "resolved");
}

/* Expect the value within this part of it. */
static inline void expect_found(const char *name, double is, double tolerance)
{
	const struct summary *s = value(name);
	char expected[32];

	snprintf(expected, sizeof expected, "%.9g", is);
	if (!(fabs(s->value - is) <= tolerance * is))
		fail_value(s, expected);
}

static inline void expect_open(const char *name, const char *reason)
{
	const struct summary *s = value(name);

	if (!isnan(s->value) || !s->reason || strcmp(s->reason, reason))
		fail_value(s, reason);
}

static inline void expect_range(const char *name, double is, double low, double high)
{
	const struct summary *s = value(name);
	char expected[96];

	snprintf(expected, sizeof expected, "%g (%g..%g)", is, low, high);
	if (s->reason || s->value != is || s->low != low || s->high != high)
		fail_value(s, expected);
}

static inline void expect_least(const char *name, double least)
{
	expect_range(name, least, least, INFINITY);
}

/* Expect this text among the lines said. */
static inline void expect_said(const char *text)
{
	if (!strstr(m.said, text))
		fail_msg("expected '%s', was said:\n%s", text, m.said);
}

static inline void expect_not_said(const char *text)
{
	if (strstr(m.said, text))
		fail_msg("did not expect '%s', was said:\n%s", text, m.said);
}

static double latency(double bytes)
{
	return bytes <= 48 * KIB ? 1.5 : bytes <= 2 * MIB ? 5 : bytes <= 32 * MIB ? 25 : 100;
}

/* Flushed lines in memory of so many ns, on few pages and on many. */
static inline void add_flushed(double ns)
{
	for (double span = 4 * MIB; span <= 256 * MIB; span *= 4) {
		add("latency", "flushed", "bytes", span, ns, PAGE_2M);
		add("latency", "flushed-pages", "bytes", span, ns, PAGE_2M);
	}
}

static void add_latency(void)
{
	add_flushed(100);
	for (double x = KIB; x <= 1.01 * GIB; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", round(x / 64) * 64,
			latency(round(x / 64) * 64), PAGE_2M);
	add("latency", "pointer-padded", "bytes", 256 * MIB, 100, PAGE_2M)->level = "memory";
	add("latency", "pointer-padded", "bytes", 256 * MIB, 130, PAGE_4K)->level = "memory";
}

static void add_lines(double line, double fetch)
{
	for (double x = 16; x <= 1024; x *= M_SQRT2) {
		add("stride", "even", "stride_bytes", floor(x), fmin(floor(x), fetch) / 10,
			PAGE_2M);
		add("stride", "odd", "stride_bytes", floor(x) - 1, fmin(floor(x) - 1, fetch) / 10,
			PAGE_2M);
	}
	for (double x = 8; x <= 256; x *= 2)
		add("stride", "flush-beside", "apart_bytes", x, x < line ? 100 : 1.5, PAGE_2M);
	for (double x = 1; x <= 32; x++) {
		add("ways", "same-set", "ways", x, x <= 12 ? 1.5 : 5, PAGE_2M);
		add("ways", "same-pages", "ways", x, 1.5, PAGE_2M);
	}
	for (double x = 3; x < 650; x += 16)
		add("window", "two-misses", "instructions", x,
			x <= 512 ? 100 + x / 10 : 220 + x / 10, PAGE_2M);
	for (int large = 0; large < 2; large++)
		for (double x = 4; x <= 16384; x *= M_SQRT2)
			add("tlb", "cost", "pages", floor(x),
				x <= 96            ? 0
					: x < 2100 ? 7 / 3.
						   : 20,
				large ? PAGE_2M : PAGE_4K);
}

static void add_memory(void)
{
	static const char *const variants[] = { "read", "write", "copy" };
	static const struct level_size places[LEVELS] = {
		[LEVEL_L1] = { "l1", 24 * KIB, "measured" },
		[LEVEL_L2] = { "l2", MIB, "measured" },
		[LEVEL_L3] = { "l3", 10 * MIB, "measured" },
		[LEVEL_MEMORY] = { "memory", 256 * MIB, "measured" },
	};

	for (unsigned lanes = 1; lanes <= 40; lanes++)
		add("mlp", "chains-reach", "lanes", lanes, 100 / fmin(lanes, 15), PAGE_2M);
	for (unsigned lanes = 1; lanes <= 40; lanes++)
		for (int large = 0; large < 2; large++)
			add("mlp", "chains", "lanes", lanes, 100 / fmin(lanes, large ? 14 : 10),
				large ? PAGE_2M : PAGE_4K)
				->level = "memory";
	for (unsigned level = 0; level < LEVELS; level++) {
		m.b.levels[level] = places[level];
		if (!places[level].bytes)
			continue;
		double rate = 300 >> 2 * (level == LEVEL_MEMORY ? 3 : level);

		for (unsigned v = 0; v < 3; v++)
			add("bandwidth", variants[v], "bytes", (double)places[level].bytes,
				rate / (1. + v), PAGE_2M)
				->level = places[level].name;
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

static __attribute__((unused)) void add_all(void)
{
	add_noise();
	add_latency();
	add_lines(64, 128);
	add_memory();
	add_core();
}

#endif
