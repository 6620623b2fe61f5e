/* SPDX-License-Identifier: MIT */
/*
 * Tests each member that a gap scan adds to a row's line, and the request for the system's counts.
 */
#include <jansson.h>

#include "lib/jsonl_write.h"
#include "probes/noise/noise_scan.h"
#include "tests/unit/fake_room.h"

static struct room room;
static struct options options;
static struct bench b;
static json_t *line;

/* The TSC runs at 2 GHz: a tick is half a nanosecond. */
BEFORE_EACH(begin)
{
	fake_reset(&room);
	room.facts.tsc_hz = 2e9;
	b = (struct bench){ .room = &room, .opt = &options };
	b.work.base = room.work;
	b.work.bytes = room.work_bytes;
}

AFTER_EACH(end)
{
	json_decref(line);
	line = NULL;
}

static void put(const struct cpu_gaps *g)
{
	static char text[16384];
	struct jsonl l;

	jsonl_begin(&l, text, sizeof text - 1);
	cpu_gaps_put(&b, g, &l);
	size_t n = jsonl_end(&l);

	assert_true(n > 0);
	json_decref(line);
	line = json_loadb(text, n, 0, NULL);
	assert_non_null(line);
}

static void expect(const char *key, double is)
{
	const json_t *value = json_object_get(line, key);

	if (!json_is_number(value) || !(fabs(json_number_value(value) - is) <= 1e-6 * fabs(is)))
		fail_msg("%s: expected %g, came %s%g", key, is, value ? "" : "nothing, ",
			json_number_value(value));
}

/* The list of that name, on one line. */
static void expect_list(const char *key, const char *is)
{
	char *came = json_dumps(json_object_get(line, key), JSON_COMPACT);

	if (!came || strcmp(came, is) != 0)
		fail_msg("%s: expected %s, came %s", key, is, came ? came : "nothing");
	free(came);
}

/* Three gaps of two slices, kept shortest first. */
static struct kept kept[] = { { 1500, 250, 0 }, { 9000, 900, 4 }, { 300, 700, 256 } };
static double longest_ns[] = { 900, 700, 5000 };
static struct gap_monitor one = { .n = 1, .slices = 3, .done = 2, .started = 777 };

static struct cpu_gaps scanned(struct gap_monitor *monitor)
{
	return (struct cpu_gaps){
		.monitor = monitor,
		.longest_ns = longest_ns,
		.threshold_ticks = 240,
		.smallest_ticks = 40,
		.gap_ticks = 3700,
		.observed_ticks = 4e9,
		.blind_ticks = 60,
		.gaps = 5,
		.unrecorded = 2,
		.together = 1,
		.longest = { kept, 3, 3 },
		.log2 = { [0] = 1, [9] = 3, [63] = 2 },
	};
}

TEST(each_member_has_its_value)
{
	struct cpu_gaps g = scanned(&one);

	put(&g);
	expect("observed_seconds", 2);
	expect("started_ticks", 777);
	expect("resolution_ns", 20);
	expect("threshold_ns", 120);
	expect("gaps", 5);
	expect("gaps_unrecorded", 2);
	expect("stolen_ns", 1850);
	expect("blind_ns", 30);
	expect("longest_ns", 900); /* of the slices that were made */
	expect("p999_ns", 900);
	expect_list("events", "[[1500,250,0],[9000,900,4],[300,700,256]]");
	assert_int_equal(64, json_array_size(json_object_get(line, "log2_ticks")));
	assert_int_equal(1,
		json_integer_value(json_array_get(json_object_get(line, "log2_ticks"), 0)));
	assert_int_equal(3,
		json_integer_value(json_array_get(json_object_get(line, "log2_ticks"), 9)));
	assert_int_equal(2,
		json_integer_value(json_array_get(json_object_get(line, "log2_ticks"), 63)));
	assert_null(json_object_get(line, "gaps_together"));
	assert_null(json_object_get(line, "moved"));
	assert_null(json_object_get(line, "rt_stops"));
}

TEST(several_processors_have_gaps_together)
{
	struct gap_monitor two = one;
	struct cpu_gaps g = scanned(&two);

	two.n = 2;
	put(&g);
	expect("gaps_together", 1);
}

/* One gap in a thousand is longer than it; it must be among those kept. */
TEST(a_percentile_of_those_kept)
{
	static const struct {
		uint64_t gaps;
		double ns;
	} of[] = { { 0, NAN }, { 1, 900 }, { 999, 900 }, { 1000, 700 }, { 1999, 700 },
		{ 2000, 250 }, { 2999, 250 }, { 3000, NAN } };
	struct cpu_gaps g = scanned(&one);

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		g.gaps = of[i].gaps;
		put(&g);
		const json_t *came = json_object_get(line, "p999_ns");

		if (isnan(of[i].ns) ? !json_is_null(came) : json_number_value(came) != of[i].ns)
			fail_msg("of %llu gaps: expected %g, came %g",
				(unsigned long long)of[i].gaps, of[i].ns, json_number_value(came));
	}
}

TEST(no_memory_for_a_percentile)
{
	struct cpu_gaps g = scanned(&one);

	b.work.bytes = 3 * sizeof(double) - 1;
	put(&g);
	assert_true(json_is_null(json_object_get(line, "p999_ns")));
	b.work.bytes++;
	put(&g);
	expect("p999_ns", 900);
}

TEST(what_grew_is_listed)
{
	struct system_count counts[] = { { "interrupts", "LOC", "Local timer interrupts", 12 },
		{ "seconds", "steal", "", 0.25 }, { "softirqs", "NET_RX", "", 1 } };
	struct cpu_gaps g = scanned(&one);

	g.counts = counts;
	put(&g);
	expect_list("moved", "[]");
	g.ncounts = 2;
	put(&g);
	expect_list("moved",
		"[{\"kind\":\"interrupts\",\"name\":\"LOC\",\"words\":\"Local timer interrupts\","
		"\"count\":12},{\"kind\":\"seconds\",\"name\":\"steal\",\"count\":0.25}]");
}

/* Gaps of 50 ms, a second apart, of the thread that measures: other CPUs run ordinary threads. */
TEST(stops_of_a_real_time_thread)
{
	struct kept stops[] = { { 1e9, 50e6, 0 }, { 2e9, 50e6, 0 }, { 3e9, 50e6, 0 } };
	struct cpu_gaps g = scanned(&one);

	g.longest = (struct longest){ stops, 3, 3 };
	put(&g);
	assert_null(json_object_get(line, "rt_stops")); /* the room has no such rule */
	room.facts.rt_pause_ns = 50e6;
	room.facts.rt_period_ns = 1e9;
	put(&g);
	expect("rt_stops", 3);
	g.longest.n = 2;
	put(&g);
	expect("rt_stops", 2);
	room.facts.rt_period_ns = 0.7e9;
	put(&g);
	assert_null(json_object_get(line, "rt_stops"));
	room.facts.rt_period_ns = 1e9;
	g.cpu = 1;
	put(&g);
	assert_null(json_object_get(line, "rt_stops"));
}

static struct {
	unsigned ends, most, asked;
} counting;

static void count_end(struct room *e)
{
	counting.ends++;
}

static unsigned counts_of(struct room *e, unsigned cpu, struct system_count *out, unsigned most)
{
	counting.most = most;
	counting.asked++;
	for (unsigned i = 0; i < most; i++)
		out[i].count = cpu;
	return cpu + 1;
}

/* More kinds are kept of a processor alone than of each of several, and of each of many. */
TEST(as_many_counts_as_are_kept)
{
	static const struct {
		unsigned cpus, most;
	} scans[] = { { 1, 32 }, { 2, 16 }, { 64, 16 }, { 65, 6 } };
	static struct cpu_gaps cpus[65];

	room.system.counts_of = counts_of;
	for (unsigned i = 0; i < sizeof scans / sizeof *scans; i++) {
		struct gap_monitor m = { .n = scans[i].cpus, .cpus = cpus };

		memset(&counting, 0, sizeof counting);
		for (unsigned k = 0; k < m.n; k++)
			cpus[k] = (struct cpu_gaps){ .cpu = k + 3 };
		room.system.count_end = NULL;
		gap_monitor_count(&b, &m); /* a room without a system */
		assert_int_equal(0, counting.asked);
		room.system.count_end = count_end;
		gap_monitor_count(&b, &m);
		gap_monitor_count(&b, &m); /* its other rows: once is enough */
		assert_int_equal(1, counting.ends);
		assert_int_equal(scans[i].cpus, counting.asked);
		assert_int_equal(scans[i].most, counting.most);
		for (unsigned k = 0; k < m.n; k++) {
			assert_int_equal(k + 4, cpus[k].ncounts);
			assert_true(cpus[k].counts[0].count == k + 3);
		}
	}
}

/* Without memory there are no counts, and nobody is asked to write any. */
TEST(no_memory_for_counts)
{
	struct cpu_gaps g = { .cpu = 0 };
	struct gap_monitor m = { .n = 1, .cpus = &g };

	memset(&counting, 0, sizeof counting);
	room.system.counts_of = counts_of;
	room.system.count_end = count_end;
	b.work.bytes = 32 * sizeof(struct system_count) - 64;
	gap_monitor_count(&b, &m);
	assert_null(g.counts);
	assert_int_equal(0, g.ncounts);
	assert_int_equal(0, counting.asked);
	b.work.bytes = (32 * sizeof(struct system_count) + 63) / 64 * 64;
	m.counted = false;
	gap_monitor_count(&b, &m);
	assert_non_null(g.counts);
	assert_int_equal(1, counting.asked);
}
