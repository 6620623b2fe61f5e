/* SPDX-License-Identifier: MIT */
/* The first screen of a comparison: its length and width, its sentence, its circumstances. */
#include "tests/unit/compared.h"
#include "tests/unit/test.h"

AFTER_EACH(forget);

#define SCREEN_LINES   40
#define SCREEN_COLUMNS 80

/* The first screen as one paragraph: wrapping is no part of what is looked for. */
static char *screen_of(bool wrapped)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	comparison_print(&b.c, false, out);
	fclose(out);
	for (char *c = text; !wrapped && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
}

static void screen_says(const char *what)
{
	char *text = screen_of(false);

	if (!strstr(text, what))
		fail_msg("expected '%s' in:\n%s", what, text);
	free(text);
}

static void screen_says_not(const char *what)
{
	char *text = screen_of(false);

	if (strstr(text, what))
		fail_msg("did not expect '%s' in:\n%s", what, text);
	free(text);
}

static void expect_one_screen(void)
{
	char *text = screen_of(true);
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
static struct fixture *bare_file(const char *name, const char *room, const char *members)
{
	struct fixture *f = &b.files[b.n];

	b.names[b.n++] = name;
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
		for (int i = 0; i < sets; i++) {
			char more[400];
			snprintf(more, sizeof more,
				",\"cpu\":{\"brand\":\"X 1\"},\"emulated\":false"
				",\"clock\":{\"asked\":\"%d\"},\"node_bytes\":%d,\"os\":{"
				"\"kernel\":"
				"\"6.%d\",\"governor\":\"%d\",\"turbo\":\"%d\",\"smt\":\"%d\"},"
				"\"firmware\":{\"revision\":%d},\"hypervisor\":\"%d\"",
				i, i, i, i, i, i, i, i);
			fill(bare_file(names[i], rooms[i], more), 1 + 0.3 * i);
		}
		compare();
		expect_one_screen();
		forget();
	}
}

/* A level that is "?" on the card has no latency here either, though a plateau was seen. */
TEST(test_a_level_of_no_known_size_has_no_latency)
{
	for (int i = 0; i < 2; i++) {
		struct fixture *f = bare_file(i ? "b" : "a", "hosted", PLAIN);

		row(f, "read", "", "ns/op", 1);
		summary(f, "l2_bytes", 1 << 20);
		summary(f, "l2_latency_cycles", 14);
		fixture_line(f, "summary",
			",\"name\":\"l3_bytes\",\"value\":null,\"unit\":\"bytes\","
			"\"reason\":\"elsewhere at another time\"");
		summary(f, "l3_latency_cycles", 1117);
	}
	compare();
	screen_says("14 cycles");
	screen_says_not("1117");
}

/* Five of the rows that differ are named, also between two sets; the rest is counted. */
TEST(test_five_of_the_rows_that_differ_are_named)
{
	for (int sets = 2; sets <= 3; sets++) {
		char *screen;
		int named = 0;

		for (int i = 0; i < sets; i++) {
			struct fixture *f = bare_file(i ? i > 1 ? "c" : "b" : "a", "bare", "");
			for (int j = 0; j < 7; j++)
				fixture_line(f, "row",
					",\"probe\":\"ilp\",\"variant\":\"v%d\",\"unit\":\"ns/op\","
					"\"samples\":16,\"median\":%d,\"mad\":0.01",
					j, 10 << i);
		}
		compare();
		screen = screen_of(false);
		for (const char *at = screen; (at = strstr(at, " -> ")); at++)
			named++;
		if (named != 5)
			fail_msg("%d sets: %d rows named; expected 5:\n%s", sets, named, screen);
		free(screen);
		forget();
	}
}

/* One set of three runs of a machine under a kernel, with a microcode. */
static void runs(const char *const names[3], const char *more, double times)
{
	for (int i = 0; i < 3; i++)
		row(bare_file(names[i], "hosted", more), "pointer-padded",
			",\"level\":\"memory\"" PARAMS("\"page_bytes\":4096"), "ns/load",
			80 * times * (1 + 0.001 * i));
}

static const char *const before[] = { "before-1", "before-2", "before-3" };
static const char *const after[] = { "after-1", "after-2", "after-3" };

TEST(test_before_and_after_a_kernel)
{
	runs(before, PLAIN ",\"os\":{\"kernel\":\"6.1\"}", 1);
	runs(after, PLAIN ",\"os\":{\"kernel\":\"6.8\"}", 1.1);
	compare();
	screen_says("Linux 6.8 (B) costs, against Linux 6.1 (A): +10.0 % time in memory latency "
		    "with 4K pages (");
	screen_says("kernel 6.1 / 6.8 (touches ");
	expect_one_screen();
}

TEST(test_before_and_after_a_microcode)
{
	runs(before, ",\"cpu\":{\"brand\":\"X 1\",\"microcode\":1}", 1);
	runs(after, ",\"cpu\":{\"brand\":\"X 1\",\"microcode\":2}", 1);
	compare();
	screen_says("after (B) costs nothing beyond ");
	screen_says("%, against before (A), in memory latency with 4K pages.");
	screen_says("microcode 0x1 / 0x2 (touches everything)");
	screen_says_not("two machines");
}

TEST(test_two_machines)
{
	runs(before, ",\"cpu\":{\"brand\":\"X 1\"}", 1);
	runs(after, ",\"cpu\":{\"brand\":\"Y 2\"}", 0.9);
	compare();
	screen_says("after (B, Y 2) against before (A, X 1):");
	screen_says("-10.0 % time in memory latency");
}

TEST(test_a_side_without_rows)
{
	runs(before, PLAIN, 1);
	bare_file("empty", "hosted", PLAIN);
	compare();
	screen_says("empty (B) against before (A): no time or rate was measured in both.");
	screen_says("Stolen time was not measured.");
}

TEST(test_what_may_be_virtual_is_warned_of)
{
	runs(before, ",\"may_be\":\"virtual\",\"may_be_why\":\"CPUID is slow; it is odd\"", 1);
	runs(after, ",\"may_be\":\"\"", 1.1);
	compare();
	says("before may not be silicon alone: CPUID is slow; it is odd");
	screen_says_not("after may not be");
}

TEST(test_a_thread_that_spun_is_warned_of)
{
	runs(before, ",\"siblings\":\"pause\"", 1);
	runs(after, ",\"siblings\":\"not started\"", 1.1);
	compare();
	says("before/hosted had a thread beside it that spun: window and misses are\n"
	     "         those of half a core");
	says("sibling threads as pause / not started");
	screen_says_not("after/hosted had a thread");
}

/* An emulator's times are not compared; a known-answer machine's are. */
TEST(test_emulated_and_simulated)
{
	const char *const marks[] = { ",\"emulated\":true",
		",\"emulated\":true,\"known_answer\":{\"machine\":\"x\"}" };

	for (int i = 0; i < 2; i++) {
		runs(before, marks[i], 1);
		runs(after, marks[i], 1.1);
		compare();
		if (i)
			screen_says("On a simulated machine, after (B) costs, against before (A): "
				    "+10.0 % time in ");
		else
			screen_says("no cost is stated, because one of them is EMULATED");
		if (!i) {
			screen_says_not("costs");
			screen_says_not("+10.0 %");
			says("  one of them is EMULATED: no cost is stated\n");
		}
		forget();
	}
}

TEST(what_forbids_a_cost_is_called_as_it_is_marked)
{
	static const char simulated[] = ",\"emulated\":true,\"known_answer\":{\"machine\":\"x\"}";
	static const struct {
		const char *a, *b, *mark;
	} sets[] = { { "", simulated, "SIMULATED" }, { simulated, "", "SIMULATED" },
		{ simulated, ",\"emulated\":true", "EMULATED" } };

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		char text[99];

		runs(before, sets[i].a, 1);
		runs(after, sets[i].b, 1.1);
		compare();
		snprintf(text, sizeof text,
			"no cost is stated, because one of them is %s:", sets[i].mark);
		screen_says(text);
		snprintf(text, sizeof text, "  one of them is %s: no cost is stated\n",
			sets[i].mark);
		says(text);
		forget();
	}
}

/* compare says what one pays for asking the system, of each set that measured it. */

static void asked(struct fixture *f, const char *variant, double median)
{
	fixture_line(f, "row",
		",\"probe\":\"oscost\",\"variant\":\"%s\",\"unit\":\"ns/op\",\"samples\":3,"
		"\"min\":%g,\"median\":%g,\"mad\":0,\"disturbed\":0,\"values\":[%g,%g,%g]",
		variant, median, median, median, median, median);
}

TEST(a_price_is_told_of_who_has_it)
{
	struct fixture *f = file("metal", "bare", "");

	row(f, "v", "", "ns/load", 10);
	f = file("linux", "hosted", ",\"os\":{\"kernel\":\"6.1.0\"}");
	row(f, "v", "", "ns/load", 10);
	asked(f, "syscall", 112.4);
	asked(f, "switch-pipe", 2345);
	asked(f, "switch-futex", 1901);
	asked(f, "minor-fault", 540);
	asked(f, "thread-create", 14210);
	compare();
	says("Asking Linux (B, one run): system call 112 ns, context switch 1.90 us,\n"
	     "  minor fault 540 ns, thread 14.2 us\n");
	says_not("Asking Linux (A");
}

TEST(each_of_two_systems_has_its_line)
{
	asked(file("before", "hosted", ""), "syscall", 100);
	asked(file("after", "hosted", ""), "syscall", 1000);
	compare();
	says("Asking Linux (A, one run): system call 100 ns\n"
	     "Asking Linux (B, one run): system call 1.00 us\n");
}

/* One number of several runs would say nothing of how far they lie apart. */
TEST(several_runs_give_a_range)
{
	asked(file("old-1", "hosted", ""), "syscall", 100);
	asked(file("old-2", "hosted", ""), "syscall", 117);
	asked(file("old-3", "hosted", ""), "syscall", 108);
	asked(file("new-1", "hosted", ""), "syscall", 990);
	asked(file("new-2", "hosted", ""), "syscall", 1210);
	compare();
	says("Asking Linux (A, lowest..highest of 3 runs): system call 100..117 ns\n");
	says("Asking Linux (B, lowest..highest of 2 runs): system call 0.99..1.21 us\n");
}

TEST(who_did_not_measure_it_says_nothing)
{
	row(file("a", "hosted", ""), "syscall", "", "ns/load", 1); /* of another probe */
	row(file("b", "hosted", ""), "v", "", "ns/load", 1);
	compare();
	says_not("Asking");
}

TEST(an_emulator_has_no_price)
{
	struct fixture *f = file("a", "hosted", "");

	asked(f, "syscall", 100);
	f = &b.files[b.n];
	b.names[b.n++] = "qemu";
	fixture_open(f);
	fixture_line(f, "run",
		",\"schema\":\"anechoic/2\",\"build\":\"v1\",\"cpu\":{\"vendor\":\"X\","
		"\"brand\":\"QEMU\",\"family\":6,\"model\":6,\"stepping\":3},\"cpus\":2,"
		"\"emulated\":true,\"hypervisor\":\"TCGTCGTCGTCG\",\"tsc_hz\":2500000000");
	asked(f, "syscall", 9000);
	compare();
	says("Asking Linux (A, one run): system call 100 ns\n");
	says_not("Asking Linux (B");
}

/* Who else was in the room, and how compare says so. */

TEST(test_disturbance_is_named)
{
	const char *members = ",\"probe\":\"p\",\"variant\":\"v\",\"unit\":\"ns\",\"samples\":100,"
			      "\"median\":10,\"mad\":0.1,\"disturbed\":%d,\"counts\":{\"switches\":"
			      "%d,\"faults\":0}";

	fixture_line(file("quiet", "hosted", ""), "row", members, 1, 1);
	fixture_line(file("busy", "hosted", ""), "row", members, 60, 75);
	compare();
	says("A  1 of 100 samples disturbed (1.0 %), 1 context switches, 0 page faults\n");
	says("B  60 of 100 samples disturbed (60.0 %), 75 context switches, 0 page faults  <- "
	     "DISTURBED");
}

/* Each is held against every other, not only against the first. */
TEST(test_disturbed_more_than_another)
{
	const char *members = ",\"probe\":\"p\",\"variant\":\"%s\",\"unit\":\"ns\",\"samples\":100,"
			      "\"median\":10,\"disturbed\":%d";

	fixture_line(file("a", "firmware", ""), "row", members, "v", 30);
	fixture_line(file("b", "bare", ""), "row", members, "v", 35);
	fixture_line(file("c", "hosted", ""), "row", members, "v", 2);
	compare();
	says("A  30 of 100 samples disturbed (30.0 %)  <- DISTURBED more than another\n");
	says("B  35 of 100 samples disturbed (35.0 %)  <- DISTURBED more than another\n");
	says("C  2 of 100 samples disturbed (2.0 %)\n");
}

/* Between the samples it is not seen: the kernel's count of the thread's waiting is. */
TEST(test_waiting_is_a_disturbance)
{
	struct fixture *f = file("quiet", "hosted", "");

	row(f, "v", "", "ns/load", 10);
	f->ending = ",\"seconds\":90,\"os\":{\"waited_s\":0.3}";
	f = file("busy", "hosted", "");
	row(f, "v", "", "ns/load", 10);
	f->ending = ",\"seconds\":90,\"os\":{\"waited_s\":4.5}";
	compare();
	says("A  0 of 7 samples disturbed (0.0 %); 0.30 s waiting while others ran\n");
	says("B  0 of 7 samples disturbed (0.0 %); 4.50 s waiting while others ran  <- "
	     "DISTURBED");
}

TEST(test_stolen_time)
{
	/* The members of the most thinned result. */
	const char *gaps = ",\"probe\":\"noise\",\"variant\":\"gaps\",\"unit\":\"gaps/s\","
			   "\"params\":{\"seconds\":10},\"samples\":3,\"median\":%d";
	const char *value = ",\"name\":\"noise_%s\",\"value\":%d";
	struct fixture *f = file("a", "bare", "");

	fixture_line(f, "row", gaps, 100);
	fixture_line(f, "summary", value, "stolen_ppm", 0);
	fixture_line(f, "summary", value, "longest_ns", 0);
	fixture_line(f, "summary", value, "gaps_above_10us", 0);
	f = file("b", "hosted", "");
	fixture_line(f, "row", gaps, 300);
	fixture_line(f, "summary", value, "stolen_ppm", 5000);
	fixture_line(f, "summary", value, "longest_ns", 90000);
	fixture_line(f, "summary", value, "gaps_above_10us", 45);
	fixture_line(f, "summary", value, "gaps_above_150us", 2);
	f = file("c", "firmware", "");
	fixture_line(f, "row", gaps, 300);
	fixture_line(f, "summary", value, "stolen_ppm", 5000);
	fixture_line(f, "summary", value, "longest_ns", 90000);
	fixture_line(f, "summary", value, "gaps_above_0.1us", 150920);
	fixture_line(f, "summary", value, "gaps_above_1us", 10330);
	compare();
	assert_int_equal(b.c.costs[1].rows, 0); /* gaps are no speed */
	says("C  firmware           15092    1033       -");
	says("A 0.0000 % (longest 0.0 us), B 0.5000 % (longest 90.0 us)");
	says("gaps/s above  0.1 / 1 / 10 / 20 / 150 us: A - / - / 0 / - / -, "
	     "B - / - / 4.5 / - / 0.2");
}

/* A run of `noise` `gaps`: how long it scanned, and what of that was stolen. */
static void scan(const char *name, const char *length, int ppm, int gaps)
{
	struct fixture *f = file(name, "hosted", "");
	const char *value = ",\"name\":\"noise_%s\",\"value\":%d";

	fixture_line(f, "row", ",\"probe\":\"noise\",\"variant\":\"gaps\",\"unit\":\"gaps/s\",%s",
		length);
	fixture_line(f, "summary", value, "stolen_ppm", ppm);
	fixture_line(f, "summary", value, "longest_ns", 0);
	fixture_line(f, "summary", value, "gaps_above_10us", gaps);
}

/* Pooled runs: what one run of 90 s says is nine times what one of 10 s says. */
TEST(test_scans_are_weighted_by_their_seconds)
{
	scan("a", "\"params\":{\"seconds\":10},\"samples\":3,\"median\":1", 0, 0);
	scan("b-1", "\"params\":{\"seconds\":10},\"samples\":3,\"median\":1", 5000, 40);
	/* planned for 1000 s, and ended after 90 */
	scan("b-2",
		"\"params\":{\"seconds\":1000},\"samples\":3,\"median\":1,"
		"\"more\":{\"observed_seconds\":90}",
		1000, 10);
	compare();
	assert_int_equal(b.c.sets.n, 2);
	says("B 0.1400 % (");
	says("B - / - / 0.5 / - / -\n");
}
