/* SPDX-License-Identifier: MIT */
/* Changes since an earlier result: the choice of that result, the doubts, the differences. */
#include "engine/infer/since.h"
#include "tests/unit/test.h"

static char said[4096];
static unsigned lines_said;

static void hear(void *to, const char *line, size_t n)
{
	size_t used = strlen(said);

	assert_true(used + n < sizeof said);
	assert_true(n > 0 && n <= 80 && line[n - 1] == '\n');
	memcpy(said + used, line, n);
	said[used + n] = 0;
	lines_said++;
}

#define CPU                                                                                        \
	"\"cpu\":{\"vendor\":\"V\",\"brand\":\"B\",\"family\":6,\"model\":143,\"stepping\":8,"     \
	"\"microcode\":16}"
#define REAL ",\"emulated\":false,\"hypervisor\":\"\""

static char texts[2][8192];
static struct card cards[2];

/* A result of these lines: run is what the run line has, the rest summary lines. */
static struct since side(unsigned i, const char *run, const char *summaries)
{
	struct since s = { .card = &cards[i] };
	struct line line;

	snprintf(texts[i], sizeof texts[i], "{\"kind\":\"run\",\"room\":\"bare\",%s}\n%s", run,
		summaries);
	card_begin(&cards[i]);
	for (const char *at = texts[i], *end = at + strlen(at); line_next(&at, end, &line);) {
		card_read(&cards[i], line);
		if (line_kind(line) == LINE_RUN)
			s.run = line;
	}
	return s;
}

static void compare(const char *run_now, const char *now, const char *run_before,
	const char *before)
{
	struct since a = side(0, run_now, now), b = side(1, run_before, before);

	*said = 0;
	lines_said = 0;
	since_print(&a, &b, "old.ndjson", hear, NULL);
	if (lines_said > SINCE_LINES)
		fail_msg("%u lines, more than %u:\n%s", lines_said, SINCE_LINES, said);
}

static void expect(const char *part)
{
	if (!strstr(said, part))
		fail_msg("expected '%s' (engine/infer/since.c) in:\n%s", part, said);
}

static void refute(const char *part)
{
	if (strstr(said, part))
		fail_msg("did not expect '%s' (engine/infer/since.c) in:\n%s", part, said);
}

/* A summary line; low 0: without a bracket. One at a time. */
static const char *value(const char *name, double v, double low, double high, double confidence)
{
	static char line[4][256];
	static unsigned turn;
	char bracket[64] = "", *out = line[turn++ % 4];

	if (low > 0)
		snprintf(bracket, sizeof bracket, ",\"low\":%.9g,\"high\":%.9g", low, high);
	snprintf(out, sizeof line[0],
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"%s\",\"value\":%.9g%s,"
		"\"unit\":\"x\",\"confidence\":%g}\n",
		name, v, bracket, confidence);
	return out;
}

/* Returns the printed change of one value on the same machine, with its star. */
static const char *change_of(const char *run, const char *now, const char *before)
{
	static char text[80];
	const char *line, *percent;

	compare(run, now, run, before);
	line = strchr(strchr(said, '\n') + 1, '\n') + 1;
	percent = strchr(line, '%');
	snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
	if (!percent || percent > strchr(line, '\n'))
		return text;
	while (*percent != '+' && *percent != '-')
		percent--;
	snprintf(text, sizeof text, "%.*s", (int)strcspn(percent, "\n"), percent);
	return text;
}

/* The doubt: the further end of a bracket, 0.3 of the confidence lost, 3 % in any case. */
TEST(a_star_is_more_than_the_doubt_of_both)
{
	static const struct {
		const char *name;
		double now, low, high, confidence, before, before_confidence;
		const char *change;
	} rows[] = {
		{ "memory_latency_ns", 103, 0, 0, 1, 100, 1, "+3.0 %" }, /* two runs differ so */
		{ "memory_latency_ns", 104, 0, 0, 1, 100, 1, "+4.0 %!" },
		{ "memory_latency_ns", 96, 0, 0, 1, 100, 1, "-4.0 %!" },
		{ "memory_latency_ns", 120, 0, 0, 0.5, 100, 0.9, "+20.0 %" },  /* 18 + 3 */
		{ "memory_latency_ns", 122, 0, 0, 0.5, 100, 0.9, "+22.0 %!" }, /* 18.3 + 3 */
		{ "parallel_misses", 12, 10, 14, 1, 10, 1, "+20.0 %" },
		{ "parallel_misses", 12, 11, 13, 1, 10, 1, "+20.0 %!" },
		{ "noise_stolen_ppm", 80, 0, 0, 1, 10, 1, "+700 %" }, /* no median shows it */
		{ "noise_stolen_ppm", 190, 0, 0, 1, 100, 1, "+90.0 %" },
		{ "noise_stolen_ppm", 50000, 0, 0, 1, 30000, 1, "+66.7 %" },
		{ "noise_stolen_ppm", 70000, 0, 0, 1, 30000, 1, "+133 %!" },
		{ "noise_stolen_ppm", 900000, 0, 0, 1, 1, 1, "+9999 %!" },
		{ "noise_stolen_ppm", 500, 0, 0, 1, 0, 1, "+9999 %!" }, /* of nothing */
		{ "noise_stolen_ppm", 0, 0, 0, 1, 0, 1, "+0.0 %" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *got = change_of(CPU REAL,
			value(rows[i].name, rows[i].now, rows[i].low, rows[i].high,
				rows[i].confidence),
			value(rows[i].name, rows[i].before, 0, 0, rows[i].before_confidence));

		if (strcmp(got, rows[i].change))
			fail_msg("row %zu: expected '%s', got '%s':\n%s", i, rows[i].change, got,
				said);
	}
}

/* In a guest the last cache and memory vary by more; in an emulator no time means anything. */
TEST(the_machine_beneath_counts)
{
	static const char *const guest = CPU ",\"emulated\":false,\"hypervisor\":\"KVMKVMKVM\"";
	static const char *const emulator = CPU ",\"emulated\":true,\"hypervisor\":\"TCGTCGTCG\"";

	assert_string_equal(change_of(guest, value("memory_latency_ns", 110, 0, 0, 1),
				    value("memory_latency_ns", 100, 0, 0, 1)),
		"+10.0 %");
	assert_string_equal(change_of(guest, value("memory_latency_ns", 120, 0, 0, 1),
				    value("memory_latency_ns", 100, 0, 0, 1)),
		"+20.0 %!");
	assert_string_equal(change_of(guest, value("l1d_latency_ns", 1.1, 0, 0, 1),
				    value("l1d_latency_ns", 1, 0, 0, 1)),
		"+10.0 %!");
	assert_string_equal(change_of(emulator, value("l1d_latency_ns", 2, 0, 0, 1),
				    value("l1d_latency_ns", 1, 0, 0, 1)),
		"+100 %");
	expect("(EMULATED: no difference means anything)");
	compare(CPU REAL, value("l1d_latency_ns", 2, 0, 0, 1), emulator,
		value("l1d_latency_ns", 1, 0, 0, 1));
	refute("%!");
}

/* Bytes per cycle are a rate at the clock of their run; a clock that wandered makes it doubtful. */
TEST(rates_are_in_time)
{
	char now[512], before[512];

	snprintf(now, sizeof now, "%s%s", value("core_clock_hz", 4e9, 0, 0, 1),
		value("read_roof_memory", 5, 0, 0, 1));
	snprintf(before, sizeof before, "%s%s", value("core_clock_hz", 3e9, 0, 0, 1),
		value("read_roof_memory", 6, 0, 0, 1));
	compare(CPU REAL, now, CPU REAL, before);
	expect("\n                   now  before  change                     now  before  "
	       "change\n");
	expect("clock GHz            4       3 +33.3 %!");
	expect("read GB/s           20      18 +11.1 %!");
	snprintf(now, sizeof now, "%s%s", value("core_clock_hz", 4e9, 3.5e9, 4.5e9, 1),
		value("read_roof_memory", 5, 0, 0, 1));
	compare(CPU REAL, now, CPU REAL, before);
	expect("read GB/s           20      18 +11.1 %\n");
}

TEST(what_one_lacks)
{
	compare(CPU REAL, value("l2_latency_ns", 4, 0, 0, 1), CPU REAL,
		value("l3_latency_ns", 12345, 0, 0, 1));
	expect("Since old.ndjson (! more than the doubt of both)\n");
	expect("L2 ns                4       ?");
	expect("L3 ns                ?   12345");
	refute("L1");
	refute("% ");
	compare(CPU REAL, "", CPU REAL, value("line_bytes", 64, 0, 0, 1));
	assert_string_equal(said,
		"Since old.ndjson (! more than the doubt of both)\n"
		"differs: no setting that both state\n");
}

#define SMBIOS(modules, limit, mts, version)                                                       \
	"\"smbios\":{\"firmware_version\":\"" version "\",\"board\":\"X\",\"memory_modules\":"     \
	"\"" modules "\",\"memory_limit_gbs\":" limit ",\"modules\":[{\"count\":2,\"mts\":" mts    \
	"}]}"

TEST(settings_that_differ)
{
	const char *one = value("l1d_latency_ns", 1, 0, 0, 1);

	compare(CPU REAL, one, CPU REAL, one);
	expect("differs: no setting that both state\n");
	compare(CPU REAL "," SMBIOS("2 x 16 GiB DDR5-6000", "96", "6000", "1.2"), one,
		CPU REAL "," SMBIOS("2 x 16 GiB DDR5-4800", "77", "4800", "1.1"), one);
	expect("differs: memory modules 2 x 16 GiB DDR5-6000, was 2 x 16 GiB DDR5-4800;\n"
	       "         firmware's version 1.2, was 1.1\n");
	refute("mts");
	refute("limit");
	/* A difference that the text does not show is printed by itself. */
	compare(CPU REAL "," SMBIOS("m", "null", "6000", "1"), one,
		CPU REAL "," SMBIOS("m", "77", "4800", "1"), one);
	expect("differs: modules of kind 1.mts 6000, was 4800\n");
	compare("\"cpu\":{\"microcode\":255},\"speed\":{\"ratio\":40,\"c1e\":true,\"new\":1}", one,
		"\"cpu\":{\"microcode\":16},\"speed\":{\"ratio\":36,\"c1e\":false,\"old\":1}", one);
	expect("differs: microcode 0xff, was 0x10; register c1e true, was false\n");
	compare("\"profile\":\"full\"," CPU REAL, one, "\"profile\":\"smoke\"," CPU REAL, one);
	expect("differs: profile full, was smoke\n");
}

TEST(many_settings_are_counted)
{
	const char *one = value("l1d_latency_ns", 1, 0, 0, 1);
	char runs[2][2048];

	for (unsigned i = 0; i < 2; i++) {
		int n = sprintf(runs[i], CPU REAL ",\"speed\":{");

		for (unsigned r = 0; r < 20; r++)
			n += sprintf(runs[i] + n, "%s\"register_%u\":\"value_%u_%u\"", r ? "," : "",
				r, r, i);
		sprintf(runs[i] + n, "}");
	}
	compare(runs[0], one, runs[1], one);
	expect("; and 18 more\n");
	sprintf(runs[0], "%s,\"speed\":{\"r\":\"%0200d\"}", CPU REAL, 1);
	sprintf(runs[1], "%s,\"speed\":{\"r\":\"%0200d\"}", CPU, 2);
	compare(runs[0], one, runs[1], one);
}

TEST(what_is_kept_says_the_same)
{
	char now[512], out[1024];
	struct since a, b, c;
	size_t n;

	snprintf(now, sizeof now, "%s%s", value("l1d_latency_ns", 2, 0, 0, 1),
		value("line_bytes", 64, 0, 0, 1));
	a = side(0, CPU REAL, now);
	n = since_keep(texts[0], strlen(texts[0]), out, sizeof out);
	assert_true(n > 0 && n < strlen(texts[0]));
	assert_null(memmem(out, n, "line_bytes", 10));
	for (size_t less = 0; less < n; less++)
		assert_int_equal(since_keep(texts[0], strlen(texts[0]), out, less), 0);
	assert_int_equal(since_keep(texts[0], strlen(texts[0]), out, n), n);
	assert_int_equal(since_keep(now, strlen(now), out, sizeof out), 0);
	b = side(1, CPU REAL, value("l1d_latency_ns", 1, 0, 0, 1));
	c = b;
	*said = 0;
	since_print(&a, &c, "x", hear, NULL);
	expect("L1 ns                2       1  +100 %!");
}
