/* SPDX-License-Identifier: MIT */
/* The parts of room `hosted` that read what the kernel says. */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/settings.h"
#include "linux/hosted.h"
#include "linux/os_counters.c"
#include "linux/sysfs.h"
#include "probes/noise/noise_scan.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

static FILE *text_file(const char *text)
{
	FILE *f = tmpfile();
	fputs(text, f);
	rewind(f);
	return f;
}

TEST(test_lists)
{
	assert_true(list_has("0-3,7,9-11", 2));
	assert_true(list_has("0-3,7,9-11", 7));
	assert_true(list_has("0-3,7,9-11", 11));
	assert_false(list_has("0-3,7,9-11", 8));
	assert_false(list_has("", 0));
	assert_false(list_has("(null)", 0));
}

TEST(test_interrupt_columns)
{
	uint64_t sum, timer;
	FILE *f = text_file("           CPU0       CPU2       \n"
			    "  1:          5          7  IO-APIC   5-edge      ACPI\n"
			    "LOC:        100        200  Local timer interrupts\n"
			    "ERR:          9\n");
	assert_int_equal(read_interrupts(f, 2, &sum, &timer), 0);
	assert_int_equal(sum, 207);
	assert_int_equal(timer, 200);
	rewind(f);
	assert_int_equal(read_interrupts(f, 0, &sum, &timer), 0);
	assert_int_equal(sum, 5 + 100 + 9);
	rewind(f);
	assert_int_equal(read_interrupts(f, 1, &sum, &timer), -1);
	fclose(f);
}

TEST(test_cpu_times)
{
	struct cpu_times t;
	FILE *f = text_file("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
			    "cpu1 1 2 3 4 5 60 70 80 9 10\nintr 5\n");
	assert_int_equal(read_cpu_times(f, 1, &t), 0);
	assert_int_equal(t.irq, 60);
	assert_int_equal(t.softirq, 70);
	assert_int_equal(t.steal, 80);
	assert_int_equal(read_cpu_times(f, 2, &t), -1);
	fclose(f);
}

TEST(test_waiting)
{
	uint64_t ns;
	FILE *f = text_file("123 4567890123 89\n");
	assert_int_equal(read_waited(f, &ns), 0);
	assert_int_equal(ns, 4567890123);
	fclose(f);
	f = text_file("");
	assert_int_equal(read_waited(f, &ns), -1);
	fclose(f);
}

/* A fault between begin and end is seen and counted as a fault; without one nothing is. */
TEST(test_counts_see_a_fault)
{
	struct hosted h = { .room.priv = &h };
	struct event_counts q;
	unsigned undisturbed = 0;
	counters_init(&h);
	volatile char *page = mmap(NULL, 64 * PAGE_4K, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(madvise((void *)page, 64 * PAGE_4K, MADV_NOHUGEPAGE), 0);
	h.room.timed_begin(&h.room, &q);
	for (int i = 0; i < 64; i++)
		page[i * PAGE_4K] = 1;
	h.room.timed_end(&h.room, &q);
	assert_true(q.known & EVENT_FAULTS);
	/* Fewer than 64 where one fault maps several pages, more with a sanitizer's own. */
	assert_in_range(q.faults, 1, 1000);
	for (int i = 0; i < 1000; i++) {
		h.room.timed_begin(&h.room, &q);
		page[0]++;
		h.room.timed_end(&h.room, &q);
		undisturbed += !q.faults && !q.switches && !q.interrupts;
	}
	assert_in_range(undisturbed, 1, 1000);
	counters_close(&h.counters);
}

static void *count_elsewhere(void *room)
{
	struct event_counts q;
	((struct room *)room)->timed_begin(room, &q);
	((struct room *)room)->timed_end(room, &q);
	return NULL;
}

/* A new thread has had fewer faults than this one: taken for ours they would show. */
TEST(test_counts_are_each_threads_own)
{
	struct hosted h = { .room.priv = &h };
	struct event_counts q;
	pthread_t thread;
	counters_init(&h);
	volatile char *pages = mmap(NULL, 3000 * PAGE_4K, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(madvise((void *)pages, 3000 * PAGE_4K, MADV_NOHUGEPAGE), 0);
	for (int i = 0; i < 2999; i++)
		pages[i * PAGE_4K] = 1;
	h.room.timed_begin(&h.room, &q);
	assert_int_equal(pthread_create(&thread, NULL, count_elsewhere, &h.room), 0);
	pthread_join(thread, NULL);
	pages[2999 * PAGE_4K] = 1;
	h.room.timed_end(&h.room, &q);
	assert_in_range(q.faults, 1, 500);
	counters_close(&h.counters);
}

/* Counters that every kernel has stand in for the processor's. */
TEST(test_counter_group)
{
	static const struct counter_kind kinds[2] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, EVENT_MISPREDICTS },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, EVENT_INSTRUCTIONS },
	};
	struct event_counters q = { 0 };
	uint64_t before[COUNTERS], after[COUNTERS];
	counters_open(&q, kinds, 2, 0);
	if (q.ncounters < 2) {
		counters_close(&q);
		skip(); /* perf_event_open is forbidden here */
	}
	volatile char *page =
		mmap(NULL, PAGE_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(counters_read(&q, before), 0);
	page[0] = 1;
	assert_int_equal(counters_read(&q, after), 0);
	assert_in_range(after[0] - before[0], 1, 1000);
	assert_int_equal(after[1], before[1]);
	counters_close(&q);
}

/*
 * The causes that took the processor away, by name: the tables of /proc, the throttling of a
 * real-time thread, and the texts of a scan for gaps about them.
 */

static const struct cpu_location cpus[] = { { .id = 2 }, { .id = 0 } };

static void table_of(struct counter_table *t, const char *text)
{
	FILE *f = tmpfile();

	fputs(text, f);
	rewind(f);
	assert_int_equal(0, counter_table_read(t, f, cpus, 2));
	fclose(f);
}

#define HEADING "            CPU0       CPU2       \n"

/* CPU 1 is offline; a device comes; another's line moves; ERR is of no CPU. */
static const char interrupts_before[] = HEADING
	"  1:          5          7  IO-APIC   5-edge      ACPI\n"
	" 36:          0        100  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0,  other\n"
	"LOC:        100        200   Local timer interrupts\n"
	"RES:         10         20   Rescheduling interrupts\n"
	"ERR:          9\n";
static const char interrupts_after[] = HEADING
	"  1:          5          7  IO-APIC   5-edge      ACPI\n"
	" 35:          0          3  PCI-MSIX-0000:00:03.0   0-edge      new\n"
	" 36:          1        104  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0,  other\n"
	"LOC:        150       2700   Local timer interrupts\n"
	"RES:         10         20   Rescheduling interrupts\n"
	"ERR:         99\n";

static void expect_count(const struct system_count *c, const char *name, const char *words,
	double count)
{
	assert_string_equal("interrupts", c->kind);
	assert_string_equal(name, c->name);
	assert_string_equal(words, c->words);
	assert_float_equal(count, c->count, 0);
}

TEST(what_grew_is_told_by_name)
{
	struct counter_table a, b;
	struct system_count out[8];

	table_of(&a, interrupts_before);
	table_of(&b, interrupts_after);
	assert_int_equal(4, a.n);
	unsigned n = counter_table_grown(&a, &b, 0, "interrupts", out, 0, 8);

	assert_int_equal(3, n);
	system_counts_rank(out, n);
	expect_count(&out[0], "LOC", "Local timer interrupts", 2500);
	expect_count(&out[1], "36", "virtio1-req.0, other", 4);
	expect_count(&out[2], "35", "new", 3);
	assert_int_equal(2, counter_table_grown(&a, &b, 1, "interrupts", out, 0, 8));
	assert_int_equal(2, counter_table_grown(&a, &b, 0, "interrupts", out, 0, 2));
	counter_table_free(&a);
	counter_table_free(&b);
}

TEST(softirqs_have_no_words)
{
	struct counter_table t;

	table_of(&t,
		HEADING "          HI:          0          1\n"
			"       TIMER:         17         18\n");
	assert_int_equal(2, t.n);
	assert_string_equal("TIMER", t.lines[1].name);
	assert_string_equal("", t.lines[1].words);
	assert_int_equal(18, t.lines[1].figures[0]);
	assert_int_equal(17, t.lines[1].figures[1]);
	counter_table_free(&t);
}

TEST(a_table_without_the_cpu_is_none)
{
	static const char *const texts[] = { "", "CPU0 CPU1\nLOC: 1 2\n", "no heading\n" };
	struct counter_table t;

	for (unsigned i = 0; i < 3; i++) {
		FILE *f = tmpfile();

		fputs(texts[i], f);
		rewind(f);
		assert_int_equal(-1, counter_table_read(&t, f, cpus, 2));
		assert_int_equal(0, t.n);
		fclose(f);
	}
}

static char said[65536];

static void keep_text(struct room *room, const char *text, size_t n)
{
	size_t used = strlen(said);

	if (used + n < sizeof said)
		memcpy(said + used, text, n), said[used + n] = 0;
}

static uint64_t now; /* of the scan */

/* A scan without a gap, but for one of 50 ms where a second begins; a TSC of 1 GHz. */
static struct timed scan_call(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct gap_scan *s = (void *)(uintptr_t)a[0];

	if (loop != loop_gaps)
		return fake_call(room, loop, a);
	s->started = now;
	s->reads = 1;
	s->smallest = 10;
	s->observed = a[1];
	if (now / 1000000000 != (now + a[1]) / 1000000000 && a[2] < 1000000) {
		s->events[s->recorded++] = (struct gap){ a[1] / 2, 50000000 };
		s->count = 1;
		s->total = s->longest = 50000000;
	}
	now += a[1];
	fake_time += a[1];
	return (struct timed){ 0, a[1] };
}

static unsigned begun, ended;
static bool quiet_system; /* it counts a kind of softirqs, and nothing else */

static void count_begin(struct room *room)
{
	begun++;
}

static void count_end(struct room *room)
{
	ended++;
}

static unsigned counts_of(struct room *room, unsigned cpu, struct system_count *out, unsigned most)
{
	static const struct system_count all[] = {
		{ "interrupts", "LOC", "Local timer interrupts", 2500 },
		{ "softirqs", "TIMER", "", 31 },
		{ "interrupts", "24", "", 12 },
		{ "switches", "involuntary", "", 3 },
		{ "seconds", "steal", "", 0.123 },
	};

	assert_int_equal(0, cpu);
	assert_true(most >= 5);
	if (quiet_system)
		return memcpy(out, &all[1], sizeof *all), 1;
	memcpy(out, all, sizeof all);
	return 5;
}

static void run_noise(bool has_system, double rt_pause_ns)
{
	static struct room room;
	struct options opt;
	char err[128];

	fake_reset(&room);
	settings_init(option_settings, option_settings_count, &opt);
	assert_int_equal(0,
		settings_set(option_settings, option_settings_count, &opt, "probes",
			"noise:gaps,noise:stolen", err, sizeof err));
	opt.noise_seconds = 3;
	room.call = scan_call;
	room.say = keep_text;
	room.facts.rt_pause_ns = rt_pause_ns;
	room.facts.rt_period_ns = 1e9;
	said[0] = 0;
	begun = ended = 0;
	now = 0;
	if (has_system) {
		room.system.count_begin = count_begin;
		room.system.count_end = count_end;
		room.system.counts_of = counts_of;
	}
	assert_int_equal(0, bench_run(&room, &opt));
}

static void expect_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected \"%s\", got: %s", part, text);
}

TEST(a_scan_says_what_was_counted_meanwhile)
{
	run_noise(true, 0);
	assert_int_equal(1, begun);
	assert_int_equal(1, ended);
	expect_in(fake_out,
		"\"moved\":[{\"kind\":\"interrupts\",\"name\":\"LOC\","
		"\"words\":\"Local timer interrupts\",\"count\":2500},"
		"{\"kind\":\"softirqs\",\"name\":\"TIMER\",\"count\":31},");
	expect_in(said,
		"which gap is whose is not known:\n"
		"    2500 Local timer interrupts (LOC), 31 softirqs TIMER, 12 interrupts 24,\n"
		"    3 involuntary switches, 4.10 % of the time stolen by the hypervisor\n");
	assert_null(strstr(fake_out, "rt_stops"));
	assert_null(strstr(said, "sched_rt_runtime_us"));
	assert_null(strstr(said, "At least"));
}

TEST(gaps_that_nothing_counted_explains_are_told)
{
	quiet_system = true;
	run_noise(true, 0);
	quiet_system = false;
	expect_in(said, "At least 3 of the 3 gaps are none of these.");
}

TEST(stops_of_a_real_time_thread_are_named)
{
	run_noise(true, 50e6);
	expect_in(fake_out, "\"rt_stops\":");
	expect_in(said, "sched_rt_runtime_us");
	run_noise(true, 80e6);
	assert_null(strstr(fake_out, "rt_stops"));
}

TEST(a_room_without_a_system_says_nothing)
{
	run_noise(false, 0);
	expect_in(fake_out, "\"variant\":\"gaps\"");
	assert_null(strstr(fake_out, "\"moved\""));
	assert_null(strstr(said, "Counted"));
}

/* The real tables: the timer, or whatever else, has moved when a tenth of a second is over. */
TEST(linux_counts)
{
	static struct hosted h;
	static struct cpu_location where[1];
	struct system_count out[16];
	unsigned n = 0;

	where[0].id = first_cpu();
	h.room.priv = &h;
	h.room.facts.cpus = 1;
	h.topology = where;
	counters_init(&h);
	h.room.system.count_begin(&h.room);
	for (unsigned tries = 0; tries < 100 && !n; tries++) {
		struct timespec tenth = { 0, 100000000 };

		nanosleep(&tenth, NULL); /* a switch of its own */
		h.room.system.count_end(&h.room);
		n = h.room.system.counts_of(&h.room, 0, out, 16);
	}
	assert_true(n >= 1 && n <= 16);
	for (unsigned i = 0; i < n; i++)
		assert_true(out[i].count > 0 && *out[i].kind && *out[i].name);
	counters_close(&h.counters);
}
