/* SPDX-License-Identifier: MIT */
/* The first screen of a comparison: its length and width, its sentence, its circumstances. */
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

#define SCREEN_LINES   40
#define SCREEN_COLUMNS 80

/* The first screen as one paragraph: wrapping is no part of what is looked for. */
static char *screen_of(const struct bench_of *b, bool wrapped)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	comparison_print(&b->c, false, out);
	fclose(out);
	for (char *c = text; !wrapped && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
}

static void screen_says(const struct bench_of *b, const char *what)
{
	char *text = screen_of(b, false);

	if (!strstr(text, what))
		fail_msg("expected '%s' in:\n%s", what, text);
	free(text);
}

static void screen_says_not(const struct bench_of *b, const char *what)
{
	char *text = screen_of(b, false);

	if (strstr(text, what))
		fail_msg("did not expect '%s' in:\n%s", what, text);
	free(text);
}

static void expect_one_screen(const struct bench_of *b)
{
	char *text = screen_of(b, true);
	int lines = 0, column = 0, widest = 0;

	for (const char *c = text; *c; c++) {
		column = *c == '\n' ? 0 : column + 1;
		widest = column > widest ? column : widest;
		lines += *c == '\n';
	}
	if (lines > SCREEN_LINES || widest > SCREEN_COLUMNS)
		fail_msg("expected %d lines of %d at most, got %d of %d:\n%s", SCREEN_LINES,
			SCREEN_COLUMNS, lines, widest, text);
	free(text);
}

#define PLAIN ",\"cpu\":{\"brand\":\"X 1\"},\"emulated\":false,\"hypervisor\":\"\""

/* A result whose run line has these members and none that says what the machine is. */
static struct fixture *bare_file(struct bench_of *b, const char *name, const char *room,
	const char *members)
{
	struct fixture *f = &b->files[b->n];

	b->names[b->n++] = name;
	fixture_open(f);
	f->room = room;
	fixture_line(f, "run", ",\"schema\":\"anechoic/2\",\"tsc_hz\":2500000000%s", members);
	return f;
}

static void summary(struct fixture *f, const char *name, double value)
{
	fixture_line(f, "summary", ",\"name\":\"%s\",\"value\":%g,\"unit\":\"x\"", name, value);
}

/* A result with all that a first screen can show. */
static void fill(struct fixture *f, double times)
{
	static const char *const probes[] = { "clock", "mlp", "bandwidth", "random", "stride",
		"tlb", "window", "ways", "branch", "ilp", "matmul", "cores" };
	static const char *const names[] = { "core_clock_hz", "l1d_latency_cycles",
		"l2_latency_cycles", "l3_latency_cycles", "memory_latency_ns", "parallel_misses",
		"read_bytes_per_cycle_memory", "mispredict_cycles", "noise_stolen_ppm" };
	static const char *const levels[] = { "l1", "l2", "l3", "memory" };

	for (int i = 0; i < 4; i++) {
		char members[80];
		snprintf(members, sizeof members,
			",\"level\":\"%s\"" PARAMS("\"bytes\":%d,\"page_bytes\":4096"), levels[i],
			1 << (10 + i));
		row(f, "pointer-padded", members, "ns/load", i * times + 1);
	}
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
		for (int j = 0; j < 12; j++)
			fixture_line(f, "row",
				",\"probe\":\"%s\",\"variant\":\"a-long-variant-%d\",\"unit\":\"ns/"
				"op\","
				"\"samples\":1,\"median\":%g,\"core_hz\":3e9,\"values\":[%g]",
				probes[i], j, times, times);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		summary(f, names[i], 1e9 * times);
}

TEST(test_many_sets_are_one_screen)
{
	static const char *const rooms[] = { "hosted", "firmware", "bare", "hosted", "hosted" };
	static const char *const names[] = { "a", "b", "c", "d", "a-rather-long-name-of-a-file" };

	for (int sets = 2; sets <= 5; sets++) {
		struct bench_of b = { 0 };
		for (int i = 0; i < sets; i++) {
			char more[400];
			snprintf(more, sizeof more,
				",\"cpu\":{\"brand\":\"X 1\"},\"emulated\":false"
				",\"clock\":{\"asked\":\"%d\"},\"node_bytes\":%d,\"os\":{"
				"\"kernel\":"
				"\"6.%d\",\"governor\":\"%d\",\"turbo\":\"%d\",\"smt\":\"%d\"},"
				"\"firmware\":{\"revision\":%d},\"hypervisor\":\"%d\"",
				i, i, i, i, i, i, i, i);
			fill(bare_file(&b, names[i], rooms[i], more), 1 + 0.3 * i);
		}
		compare(&b);
		expect_one_screen(&b);
		forget(&b);
	}
}

/* One set of three runs of a machine under a kernel, with a microcode. */
static void runs(struct bench_of *b, const char *const names[3], const char *more, double times)
{
	for (int i = 0; i < 3; i++)
		row(bare_file(b, names[i], "hosted", more), "pointer-padded",
			",\"level\":\"memory\"" PARAMS("\"page_bytes\":4096"), "ns/load",
			80 * times * (1 + 0.001 * i));
}

static const char *const before[] = { "before-1", "before-2", "before-3" };
static const char *const after[] = { "after-1", "after-2", "after-3" };

TEST(test_before_and_after_a_kernel)
{
	struct bench_of b = { 0 };

	runs(&b, before, PLAIN ",\"os\":{\"kernel\":\"6.1\"}", 1);
	runs(&b, after, PLAIN ",\"os\":{\"kernel\":\"6.8\"}", 1.1);
	compare(&b);
	screen_says(&b,
		"Linux 6.8 (B) costs, against Linux 6.1 (A): +10.0 % time in memory latency "
		"with 4K pages (");
	screen_says(&b, "kernel 6.1 / 6.8 (touches ");
	expect_one_screen(&b);
	forget(&b);
}

TEST(test_before_and_after_a_microcode)
{
	struct bench_of b = { 0 };

	runs(&b, before, ",\"cpu\":{\"brand\":\"X 1\",\"microcode\":1}", 1);
	runs(&b, after, ",\"cpu\":{\"brand\":\"X 1\",\"microcode\":2}", 1);
	compare(&b);
	screen_says(&b, "after (B) costs nothing beyond ");
	screen_says(&b, "%, against before (A), in memory latency with 4K pages.");
	screen_says(&b, "microcode 0x1 / 0x2 (touches everything)");
	screen_says_not(&b, "two machines");
	forget(&b);
}

TEST(test_two_machines)
{
	struct bench_of b = { 0 };

	runs(&b, before, ",\"cpu\":{\"brand\":\"X 1\"}", 1);
	runs(&b, after, ",\"cpu\":{\"brand\":\"Y 2\"}", 0.9);
	compare(&b);
	screen_says(&b, "after (B, Y 2) against before (A, X 1):");
	screen_says(&b, "-10.0 % time in memory latency");
	forget(&b);
}

TEST(test_a_side_without_rows)
{
	struct bench_of b = { 0 };

	runs(&b, before, PLAIN, 1);
	bare_file(&b, "empty", "hosted", PLAIN);
	compare(&b);
	screen_says(&b, "empty (B) against before (A): no time or rate was measured in both.");
	screen_says(&b, "Stolen time was not measured.");
	forget(&b);
}

/* What an emulator ran costs nothing that anybody knows; a known-answer machine says its own. */
TEST(test_emulated_and_simulated)
{
	const char *const marks[] = { ",\"emulated\":true",
		",\"emulated\":true,\"known_answer\":{\"machine\":\"x\"}" };

	for (int i = 0; i < 2; i++) {
		struct bench_of b = { 0 };
		runs(&b, before, marks[i], 1);
		runs(&b, after, marks[i], 1.1);
		compare(&b);
		if (i)
			screen_says(&b,
				"On a simulated machine, after (B) costs, against before (A): "
				"+10.0 % time in ");
		else
			screen_says(&b, "no cost is stated, because one of them is EMULATED");
		if (!i) {
			screen_says_not(&b, "costs");
			screen_says_not(&b, "+10.0 %");
			says(&b, "  one of them is EMULATED: no cost is stated\n");
		}
		forget(&b);
	}
}
