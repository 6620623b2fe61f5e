/* SPDX-License-Identifier: MIT */
/* The card: what stands on the last screen of a run. */
#include "tests/unit/card_fixture.h"

#include "lib/published.h"

static struct card_beside beside;

static void print_card(void)
{
	*said = 0;
	card_print(&card, &beside, hear, &card);
}

/* Expect all of the card, line by line, behind its head, which is that of begin(). */
static void expect_card(const char *expected)
{
	char whole[4096];

	snprintf(whole, sizeof whole,
		"\nThe machine as measured in room bare\nFast CPU, family 6, model 143, stepping "
		"8\n"
		"%s",
		expected);
	print_card();
	expect_lines(whole);
}

#define HEAD                                                                                       \
	"                      latency     one CPU  * disturbed         ! unlike ours\n"           \
	"level  size            ns  cycles    GB/s  sure         CPUID\n"

static void level(const char *name, double bytes, double cycles, double ns, double per_cycle)
{
	char text[40];

	snprintf(text, sizeof text, "%s_bytes", name);
	lone(text, bytes, "bytes");
	snprintf(text, sizeof text, "%s_latency_cycles", name);
	lone(text, cycles, "cycles");
	snprintf(text, sizeof text, "%s_latency_ns", name);
	lone(text, ns, "ns");
	snprintf(text, sizeof text, "read_roof_%s", *name == 'l' && name[2] == 'd' ? "l1" : name);
	lone(text, per_cycle, "bytes/cycle");
}

TEST(every_line_of_a_card)
{
	static const struct card_beside all = { .not_done = "all of it", .saved = "me.ndjson" };

	begin();
	beside = all;
	lone("noise_stolen_ppm", 123, "ppm");
	lone("noise_longest_ns", 54321, "ns");
	level("l1d", 49152, 5.04, 1.68, 128);
	claim(&card.values[2], 49152);
	level("l2", 2 << 20, 16, 5.32, 64.04);
	claim(&card.values[6], 1 << 20);
	level("l3", NAN, 70.5, 23.5, 20);
	strcpy(card.values[10].reason, "levels run into one another");
	soft(lone("l4_bytes", 96 << 20, "bytes"), 64 << 20, 96 << 20, 128 << 20);
	lone("l4_latency_ns", 50, "ns");
	lone("memory_latency_cycles", 360.3, "cycles");
	strcpy(lone("memory_latency_ns", 120.1, "ns")->form, "to 256M");
	lone("read_roof_memory", 5, "bytes/cycle")->floor = 6;
	lone("memory_walk_latency_cycles", 420, "cycles");
	strcpy(lone("memory_walk_latency_ns", 140, "ns")->form, "at 1G");
	lone("parallel_misses", 16.3, "misses")->confidence = 0.5;
	lone("memory_read_gbs", 88.1, "GB/s");
	card.memory_limit_gbs = 96;
	lone("syscall_ns", 120, "ns");
	lone("switch_ns", 1740, "ns");
	lone("page_fault_ns", 512, "ns");
	lone("timer_late_ns", 55000, "ns")->confidence = 0.49;
	lone("core_clock_hz", 3e9, "Hz");
	between("window_instructions", 512, 512, 528, "instructions");
	lone("issue_width", 6.03, "ops/cycle");
	lone("mispredict_cycles", 17.25, "cycles");
	between("branch_targets", 12288, 12288, 12290, "targets");
	lone("handover_ns", 29.1, "ns");
	lone("handover_most_ns", 120, "ns");
	lone("stlb_entries", 2048, "entries")->confidence = 0.1;
	lone("states_elements", 2048, "elements")->confidence = 0.1; /* of no line */
	expect_card("A noisy room: others had the core 0.012 % of the time, up to 54.3 us at "
		    "once.\n" HEAD "L1     48K            1.68     5.0     384  90 % sure    48K\n"
		    "L2     2M             5.32    16.0     192  90 % sure    1M!\n"
		    "L3     ?             23.50    70.5      60  90 % sure\n"
		    "L4     64M..128M     50.00       ?          90 % sure\n"
		    "memory to 256M      120.10   360.3      15  90 % sure*\n"
		    " walks at 1G        140.00   420.0          90 % sure\n"
		    "parallel   16.3 misses at once [50 % likely], all CPUs read 88.1 of 96 GB/s\n"
		    "Linux      system call 120 ns, switch 1.74 us, page fault 512 ns,\n"
		    "           timer 55 us late [49 % guess]\n"
		    "core       3.000 GHz, window 512..527 instructions, 6.0 ops a cycle,\n"
		    "           misprediction 17.25 cycles, targets 12288..12289\n"
		    "CPU to CPU a line in 29.1 ns, between the farthest in 120 ns\n"
		    "NOT SURE   timer_late_ns 49 %, stlb_entries 10 %\n"
		    "NOT DONE   all of it\n"
		    "SAVED      me.ndjson\n"
		    "NEXT       anechoic check me.ndjson; anechoic report me.ndjson\n"
		    "?          l3_bytes: levels run into one another\n");
	beside = (struct card_beside){ NULL };
}

/*
 * Memory's two latencies, each with its sizes; where walks cost nothing one row is enough. What is
 * not known of the room is said.
 */
TEST(memory_with_page_walks)
{
	for (int walks = 0; walks < 2; walks++) {
		begin();
		if (walks)
			lone("noise_stolen_ppm", 123, "ppm");
		lone("memory_latency_ns", 125, "ns");
		lone("memory_walk_latency_ns", walks ? 330 : 130, "ns");
		print_card();
		assert_int_equal(walks, !!strstr(said, "\n walks "));
		assert_int_equal(!walks, !!strstr(said, "the room was quiet was not measured"));
	}
}

TEST(a_value_has_a_grade)
{
	static const struct {
		double confidence;
		const char *grade;
	} grades[] = { { 1, "sure" }, { 0.8, "sure" }, { 0.795, "sure" }, { 0.794, "likely" },
		{ 0.5, "likely" }, { 0.494, "guess" }, { 0, "guess" } };

	for (unsigned i = 0; i < sizeof grades / sizeof *grades; i++)
		assert_string_equal(grades[i].grade, card_grade(grades[i].confidence));
}

/* The room comes first: a reader judges the rest by it. */
TEST(the_room_is_judged_in_a_sentence)
{
	static const struct {
		double ppm, ns;
		const char *text;
	} rooms[] = { { 99.9, 2000,
			      "A quiet room: others had the core < 0.01 % of the time, up to "
			      "2 us at once.\n" },
		{ 100, NAN, "A noisy room: others had the core 0.01 % of the time.\n" },
		{ 10000, 123456,
			"A noisy room: others had the core 1 % of the time, up to 123 us "
			"at once.\n" },
		{ 551234, 8.1e6,
			"A busy room: others had the core 55 % of the time, up to 8.1 ms "
			"at once.\nLatencies are upper bounds therefore, and rates are "
			"lower ones.\n" } };

	for (unsigned i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		begin();
		lone("noise_stolen_ppm", rooms[i].ppm, "ppm");
		if (!isnan(rooms[i].ns))
			lone("noise_longest_ns", rooms[i].ns, "ns");
		expect_card(rooms[i].text);
	}
}

TEST(the_head_says_who_is_under_it)
{
	static const struct {
		const char *members, *after;
	} heads[] = { { "", "in room bare\nFast" },
		{ ",\"hypervisor\":\"\"", "in room bare\nFast" },
		{ ",\"hypervisor\":\"K\"", "in room bare   VIRTUAL: under a hypervisor\nFast" },
		{ ",\"hypervisor\":\"\",\"emulated\":true",
			"in room bare   EMULATED: times mean nothing\nFast" },
		{ ",\"hypervisor\":\"known-answer\",\"emulated\":true",
			"in room bare   SIMULATED: a stated machine\nFast" },
		{ ",\"hypervisor\":\"\",\"may_be\":\"\"", "in room bare\nFast" },
		{ ",\"may_be\":\"virtual\",\"may_be_why\":\"it is odd; very\"",
			"in room bare   MAY BE VIRTUAL\n(it is odd)\nFast" },
		{ ",\"hypervisor\":\"K\",\"may_be\":\"emulated\",\"may_be_why\":\"odd\"",
			"in room bare   MAY BE EMULATED\n(odd)\nFast" },
		{ ",\"siblings\":\"not started\"", "in room bare\nFast" },
		{ ",\"siblings\":\"pause\"",
			"in room bare\n(a thread beside it spun: window and misses are those of "
			"half a core)\nFast" } };

	for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
		char run[256];

		begin();
		snprintf(run, sizeof run,
			"{\"kind\":\"run\",\"room\":\"bare\",\"cpu\":{\"brand\":\"Fast CPU\"}%s}",
			heads[i].members);
		card_line(run);
		lone("issue_width", 6, "ops/cycle");
		print_card();
		assert_non_null(strstr(said, heads[i].after));
	}
}

static const struct published_fact facts[] = {
	{ VALUE_l1d_bytes, 48 << 10, 48 << 10, "a" },
	{ VALUE_l1d_latency_cycles, 4, 4, "a" },
	{ VALUE_window_instructions, 512, 512, "a" },
	{ VALUE_mispredict_cycles, 12, 18, "a" },
	{ VALUE_branch_targets, 0, 12288, "a" },
};
static const struct published_core fast = { "fast", "Fast", facts, 5 };

static const struct published_core *fast_core(const char *vendor, double family, double model,
	double core_type)
{
	assert_true(family == 6 && model == 143);
	return &fast;
}

/* A published figure stands beside ours; a sign says that ours is elsewhere. */
TEST(published_figures_stand_beside_ours)
{
	begin();
	beside.core_of = fast_core;
	between("l1d_bytes", 40000, 49152, 50000, "bytes");
	lone("l1d_latency_cycles", 5, "cycles")->confidence = 0.95;
	lone("window_instructions", 500, "instructions");
	lone("mispredict_cycles", 21, "cycles");
	lone("branch_targets", 13000, "targets");
	print_card();
	expect("stepping 8: Fast\n");
	expect(" CPUID  (Fast)\n");
	expect("L1     39.1K..48.8K      ?     5.0          90 % sure           (48K, 4 cy!)\n");
	expect("window 500 instructions (512), misprediction 21 cycles (12-18!)");
	expect("targets 13000 (<=12288!)");
	beside.core_of = NULL;
}

/* What is at least so much does not disagree with more. */
TEST(a_bracket_or_a_doubt_may_hold_the_published_figure)
{
	const struct published_fact fact = { VALUE_window_instructions, 100, 110, "a" };
	static const struct {
		double low, value, high, confidence;
		bool unlike;
	} values[] = { { 100, 100, 100, 1, false }, { 110, 110, 110, 1, false },
		{ 113, 113, 113, 1, false }, { 114, 114, 114, 1, true }, { 97, 97, 97, 1, true },
		{ 98, 98, 98, 1, false }, { 90, 90, 101, 1, false }, { 90, 90, 91, 1, true },
		{ 150, 150, 150, 0, false }, { 60, 60, NAN, 1, false }, { 150, 150, NAN, 1, true },
		{ 0, NAN, 0, 1, false } };

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		begin();
		struct card_value *v = between("window_instructions", values[i].low,
			values[i].value, values[i].high, "instructions");

		v->confidence = values[i].confidence;
		if (card_value_unlike(v, &fact) != values[i].unlike)
			fail_msg("%g: expected %d", values[i].value, values[i].unlike);
	}
}

TEST(what_does_not_fit_is_counted)
{
	begin();
	lone("issue_width", 16, "ops/cycle");
	for (unsigned i = 0; i < 9; i++)
		unresolved("l1d_bytes", "a reason of its own");
	print_card();
	expect("\n?          l1d_bytes: a reason of its own, and 8 more\n");
}

/* A file's name is whole, so that it can be copied, however long the line becomes. */
TEST(a_long_name_has_a_line_for_each_command)
{
	static const char name[] =
		"anechoic-20260101T120000Z-a-host-of-a-long-name.of-a-long-domain";
	char expected[300];

	begin();
	beside.saved = name;
	print_card();
	snprintf(expected, sizeof expected,
		"SAVED      %s\nNEXT       anechoic check %s\n           anechoic report %s\n",
		name, name, name);
	expect(expected);
	beside.saved = NULL;
}

TEST(nothing_measured_is_no_card)
{
	begin();
	print_card();
	assert_string_equal("", said);
	unresolved("l1d_bytes", NOT_MEASURED);
	unresolved("core_clock_hz", NOT_MEASURED);
	print_card();
	assert_string_equal("", said);
}

/* The numbers of a damaged file do not overflow a line: it is cut where its space ends. */
TEST(absurd_numbers_are_cut)
{
	for (double x = 1e13; x < 1e60; x *= 10) {
		begin();
		card.family = card.model = card.stepping = x;
		for (unsigned id = VALUE_none + 1; id < VALUES_KNOWN; id++) {
			struct card_value *v = between(value_facts((enum value_id)id).name, x,
				2 * x, 3 * x, "of any unit");

			v->confidence = v->claimed = v->floor = v->disturbed_share = x;
			if (id & 1)
				soft(v, x, 2 * x, 3 * x);
		}
		print_card();
		for (const char *at = said; *at; at = strchr(at, '\n') + 1)
			assert_true(strchr(at, '\n') - at <= 79);
	}
}
