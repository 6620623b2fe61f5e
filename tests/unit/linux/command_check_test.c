/* SPDX-License-Identifier: MIT */
/* anechoic check: in a result in which one thing is wrong that one is found, and nothing else. */
#include "linux/command_check.c"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define BASE                                                                                       \
	",\"schema\":\"anechoic/2\",\"cpu\":{\"brand\":\"X\",\"microcode\":7},\"cpus\":2,"         \
	"\"topology\":[{\"id\":0},{\"id\":1}]"
#define TSC(hz)                                                                                    \
	",\"tsc_hz\":" hz ",\"tsc_source\":\"pm\",\"tsc_sources\":[{\"name\":\"pm\",\"hz\":" hz    \
	",\"claimed\":false}]"
#define STAMPS TSC("2e9")
#define CORE   ",\"core_hz\":3e9" TOLD
#define CACHED ",\"memory_type\":{\"write_back\":true}"
#define SPEED  ",\"speed\":{\"ratio\":20}"
#define TOLD   CACHED SPEED ",\"may_be\":\"\""
#define CLOCK  ",\"core_hz\":3e9,\"may_be\":\"\""
#define HEAD   BASE STAMPS CORE
#define UNSAID "the result does not say"
#define VALUE(name, value)                                                                         \
	",\"name\":\"" name "\",\"value\":" value ",\"unit\":\"x\",\"confidence\":0.9"
#define ROW                                                                                        \
	",\"probe\":\"latency\",\"variant\":\"v\",\"unit\":\"ns/load\",\"samples\":9,\"median\":1"

#define NO_CHECKS ",\"machine_checks\":0"

/*
 * A run that has these lines; NULL: none, of `head` and `ending` the usual ones. Each has what lets
 * every subject pass, but for values of the same names.
 */
struct made_run {
	bool bald; /* it has nothing else */
	const char *head, *row, *skip, *value, *value2, *ending, *status, *room;
};

static void add_value(struct fixture *x, const struct made_run *m, const char *name,
	const char *line)
{
	if (!m->bald && !(m->value && strstr(m->value, name)))
		fixture_line(x, "summary", "%s", line);
}

static struct findings found;
static struct results one, other;

static void forget(void)
{
	findings_free(&found);
	results_free(&one);
	results_free(&other);
	memset(&found, 0, sizeof found);
	memset(&one, 0, sizeof one);
	memset(&other, 0, sizeof other);
}

AFTER_EACH(forget);

static void make(struct results *r, const struct made_run *m)
{
	struct fixture x;

	fixture_open(&x);
	x.room = m->room ? m->room : "bare";
	x.ending = m->ending ? m->ending : m->bald ? NULL : NO_CHECKS;
	x.status = m->status;
	fixture_line(&x, "run", "%s", m->head ? m->head : HEAD);
	if (m->row)
		fixture_line(&x, "row", "%s", m->row);
	if (m->skip)
		fixture_line(&x, "skip", "%s", m->skip);
	if (m->value)
		fixture_line(&x, "summary", "%s", m->value);
	if (m->value2)
		fixture_line(&x, "summary", "%s", m->value2);
	add_value(&x, m, "noise_stolen_ppm", VALUE("noise_stolen_ppm", "3"));
	add_value(&x, m, "line_bytes", VALUE("line_bytes", "64") ",\"agrees\":true");
	add_value(&x, m, "walk", VALUE("walk_cycles", "30"));
	add_value(&x, m, "walk", VALUE("walk_cold_cycles", "40"));
	fixture_end(&x);
	fixture_read(&x, r, "made");
	assert_int_equal(r->nruns, 1);
}

static void find(const struct made_run *m)
{
	make(&one, m);
	findings_of_run(&found, one.runs);
}

/* The only finding that is no pass; NULL: there is none. */
static const struct finding *only(const char *what)
{
	const struct finding *only = NULL;

	for (size_t i = 0; i < found.n; i++) {
		const struct finding *f = &found.list[i];

		if (f->verdict == VERDICT_PASS)
			continue;
		if (only)
			fail_msg("%s: besides '%s: %s' came '%s: %s'", what, only->subject,
				only->text, f->subject, f->text);
		only = f;
	}
	return only;
}

static void expect(enum check_verdict verdict, const char *subject, const char *text)
{
	const struct finding *f = only(text);

	if (!f)
		fail_msg("expected '%s: %s', nothing was found", subject, text);
	if (f->verdict != verdict || strcmp(f->subject, subject) != 0 || strcmp(f->text, text) != 0)
		fail_msg("expected %d '%s: %s', found %d '%s: %s'", verdict, subject, text,
			f->verdict, f->subject, f->text);
}

TEST(a_good_run_passes_in_each_subject)
{
	find(&(struct made_run){ .row = ROW, .value = VALUE("l1d_bytes", "4") });
	assert_null(only("a good run"));
	assert_int_equal(found.n, 14);
}

#define PASS VERDICT_PASS
#define LOOK VERDICT_LOOK
#define FAIL VERDICT_FAIL

static const struct {
	struct made_run made;
	enum check_verdict verdict;
	const char *subject, *text;
} edits[] = {
	{ { .status = "faulted", .ending = NO_CHECKS ",\"why\":\"#GP\"" }, FAIL, "the run",
		"faulted: #GP" },
	{ { .status = "empty" }, FAIL, "the run", "empty" },
	{ { .status = "interrupted" }, LOOK, "the run", "interrupted" },
	{ { .head = HEAD ",\"emulated\":true" }, FAIL, "silicon",
		"EMULATED: its times mean nothing" },
	{ { .head = HEAD ",\"emulated\":true,\"known_answer\":{}" }, LOOK, "silicon",
		"SIMULATED: the times are the model's" },
	{ { .head = HEAD ",\"hypervisor\":\"KVM\"" }, LOOK, "silicon",
		"VIRTUAL: CPUID names the hypervisor KVM" },
	{ { .head = BASE STAMPS CACHED SPEED
		  ",\"core_hz\":3e9,\"may_be\":\"virtual\",\"may_be_why\":\"CPUID takes long\"" },
		LOOK, "silicon", "it may be virtual: CPUID takes long" },
	{ { .skip = ",\"probe\":\"mlp\",\"variant\":\"v\",\"reason\":\"proof failed: 1 for 2\"" },
		FAIL, "proofs", "mlp v: proof failed: 1 for 2" },
	{ { .head = BASE CORE
		  ",\"tsc_hz\":2e9,\"tsc_source\":\"pm\",\"tsc_sources\":[{\"name\":\"pm\","
		  "\"hz\":2e9,\"claimed\":false},{\"name\":\"leaf\",\"hz\":2.03e9,"
		  "\"claimed\":true}]" },
		LOOK, "time stamps", "leaf claims 2030.0 MHz, pm, which is used, 2000.0" },
	{ { .head = BASE CORE ",\"tsc_hz\":2e9,\"tsc_source\":\"leaf\",\"tsc_sources\":[{\"name\":"
			      "\"leaf\",\"hz\":2e9,\"claimed\":true}]" },
		LOOK, "time stamps", "no clock timed the rate of leaf" },
	{ { .head = HEAD ",\"tsc_invariant\":false" }, LOOK, "time stamps",
		"not invariant by CPUID: the rate may follow the core's clock" },
	{ { .head = HEAD ",\"os\":{\"tsc_doubt\":\"no constant_tsc\"}" }, LOOK, "time stamps",
		"Linux does not trust them: no constant_tsc" },
	{ { .ending = NO_CHECKS ",\"os\":{\"tsc_off_ppm\":501}" }, FAIL, "time stamps",
		"their rate was 501 ppm off in the run" },
	{ { .head = BASE STAMPS TOLD }, LOOK, "core clock", "not known: there are no cycles" },
	{ { .value = VALUE("core_clock_hz", "3e9") ",\"low\":2e9,\"high\":3e9" }, LOOK,
		"core clock", "it moved between 2000 and 3000 MHz" },
	{ { .head = HEAD ",\"idle\":{\"unresponsive\":1}" }, FAIL, "CPUs",
		"1 that the firmware names did not answer" },
	{ { .head = HEAD ",\"idle\":{\"kicked\":1}" }, LOOK, "CPUs",
		"1 were not woken by a store once" },
	{ { .head = HEAD ",\"idle\":{\"why\":\"no MONITOR\"}" }, LOOK, "CPUs",
		"they wait otherwise than asked: no MONITOR" },
	{ { .head = HEAD ",\"siblings\":\"pause\"" }, FAIL, "CPUs",
		"a thread beside the measuring one spun: window and misses are those of half a "
		"core" },
	{ { .head = HEAD ",\"siblings\":\"unknown\"" }, LOOK, "CPUs",
		"a thread beside the measuring one may have spun: it was the firmware's" },
	{ { .head = ",\"schema\":\"anechoic/"
		    "2\",\"cpus\":3,\"topology\":[{\"id\":0},{\"id\":1}]" STAMPS CORE },
		LOOK, "CPUs", "3 can be used, and 2 have a place" },
	{ { .head = BASE STAMPS SPEED CLOCK ",\"memory_type\":{\"efi\":\"write-back\","
					    "\"mtrr\":\"uncached\",\"pat\":"
					    "\"write-back\",\"write_back\":false}" },
		FAIL, "memory",
		"not cached as it should be: memory map write-back, MTRRs uncached, PAT "
		"write-back" },
	{ { .head = HEAD ",\"os\":{\"arenas\":[{\"page_bytes\":4096,\"how\":\"unverified\"}]}" },
		LOOK, "memory", "no page of 4 KiB was verified" },
	{ { .head = HEAD ",\"smbios\":{\"why\":\"no rate\"}" }, LOOK, "memory",
		"no limit by SMBIOS: no rate" },
	{ { .head = HEAD ",\"config_errors\":[\"line 3: x\"]" }, LOOK, "settings",
		"refused: line 3: x" },
	{ { .head = HEAD ",\"prefetch\":{\"works\":false,\"why\":\"locked\"}" }, LOOK, "settings",
		"prefetchers were not turned off: locked" },
	{ { .head = HEAD ",\"clock\":{\"set\":false,\"why\":\"no way\"}" }, LOOK, "settings",
		"the clock was not set: no way" },
	{ { .head = BASE STAMPS CACHED CLOCK ",\"speed\":{\"absent\":[\"1a0\",\"1b0\"]}" }, LOOK,
		"registers", "MSRs that fault: 1a0, 1b0" },
	{ { .head = BASE STAMPS CACHED CLOCK ",\"speed\":{\"why\":\"a guest\"}" }, LOOK,
		"registers", "none is known: a guest" },
	{ { .head = BASE STAMPS CACHED CLOCK
		  ",\"speed\":{\"throttled_by_heat\":true,\"c1e\":true}" },
		LOOK, "registers", "the clock was held back: throttled_by_heat" },
	{ { .ending = ",\"machine_checks\":2" }, FAIL, "faults", "2 machine checks" },
	{ { .ending = NO_CHECKS ",\"exceptions\":1" }, LOOK, "faults",
		"1 exceptions were taken and ended rows" },
	{ { .ending = NO_CHECKS ",\"interrupts\":1,\"nmis\":1" }, LOOK, "faults",
		"2 interrupts and NMIs, with interrupts off" },
	{ { .row = ROW ",\"counts\":{\"smis\":3}" }, LOOK, "faults",
		"3 SMIs while rows were timed" },
	{ { .value = VALUE("l2_bytes",
		    "5") ",\"low\":4,\"high\":6,\"claimed\":8,\"agrees\":false" },
		LOOK, "claims", "l2_bytes: 4..6 x, CPUID claims 8" },
	{ { .value = VALUE("line_bytes", "128") ",\"claimed\":64,\"agrees\":false" }, LOOK,
		"claims", "line_bytes: 128 x, CPUID claims 64" },
	{ { .value = VALUE("l1d_latency_ns", "5"), .value2 = VALUE("memory_latency_ns", "4") },
		FAIL, "order", "l1d_latency_ns is 5, memory_latency_ns only 4" },
	{ { .value = VALUE("read_bytes_per_cycle_l1", "64"),
		  .value2 = VALUE("read_bytes_per_cycle_l3", "70") },
		FAIL, "order", "read_bytes_per_cycle_l3 is 70, read_bytes_per_cycle_l1 only 64" },
	{ { .value = VALUE("memory_read_gbs", "50"),
		  .head = HEAD ",\"smbios\":{\"memory_limit_gbs\":48}" },
		FAIL, "order", "memory was read at 50 GB/s, its modules transfer at most 48" },
	{ { .value = ",\"name\":\"l3_bytes\",\"value\":null,\"reason\":\"it rises\"" }, LOOK,
		"answers", "measured, but not resolved: l3_bytes" },
	{ { .value = ",\"name\":\"l3_bytes\",\"value\":9,\"confidence\":0.4" }, LOOK, "answers",
		"less than 50 % sure: l3_bytes" },
	{ { .value = VALUE("noise_stolen_ppm", "2000") }, LOOK, "quiet",
		"others had 0.2 % of the time" },
	{ { .value = VALUE("noise_gaps_above_10us", "2") }, LOOK, "quiet", "2 gaps above 10us" },
	{ { .row = ROW ",\"disturbed\":8" }, LOOK, "quiet",
		"more than half of the samples were disturbed in 1 of 1 rows" },
	{ { .row = ROW ",\"unsteady\":\"drift\"" }, LOOK, "quiet",
		"1 of 1 rows have two modes, or drift" },
	/* A subject that a result says nothing of has not passed. */
	{ { .head = BASE CORE }, LOOK, "time stamps", "no clock timed the rate of " UNSAID },
	{ { .head = BASE STAMPS CACHED CLOCK }, LOOK, "registers", "none is known: " UNSAID },
	{ { .head = BASE STAMPS SPEED CLOCK }, LOOK, "memory", UNSAID },
	{ { .head = BASE STAMPS CACHED SPEED ",\"core_hz\":3e9" }, LOOK, "silicon", UNSAID },
	{ { .ending = ",\"x\":0" }, LOOK, "faults", UNSAID },
	{ { .ending = NO_CHECKS ",\"thinned\":{\"skips\":3}" }, LOOK, "proofs", UNSAID },
	{ { .value = ",\"name\":\"noise_stolen_ppm\",\"value\":null,\"reason\":\"not measured "
		     "in this run\"" },
		LOOK, "quiet", "how much time was stolen: " UNSAID },
	/* Lines that are no finding. */
	{ { .room = "hosted", .value = VALUE("noise_gaps_above_10us", "2") }, PASS, "", "" },
	{ { .room = "firmware", .ending = NO_CHECKS ",\"interrupts\":9" }, PASS, "", "" },
	{ { .value = VALUE("l1d_latency_ns", "1.04"), .value2 = VALUE("l2_latency_ns", "1") }, PASS,
		"", "" },
	/* Values that are less than half sure lead to no conclusion. */
	{ { .value = VALUE("l1d_latency_ns", "5"),
		  .value2 = ",\"name\":\"memory_latency_ns\",\"value\":4,\"confidence\":0.4" },
		LOOK, "answers", "less than 50 % sure: memory_latency_ns" },
	{ { .value = ",\"name\":\"l3_bytes\",\"value\":null,\"reason\":\"not measured in this "
		     "run\"" },
		PASS, "", "" },
};

TEST(each_fault_is_found_alone)
{
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		find(&edits[i].made);
		if (edits[i].verdict)
			expect(edits[i].verdict, edits[i].subject, edits[i].text);
		else
			assert_null(only("no finding"));
		forget();
	}
}

/* An empty run is whole, and no subject that needs values has passed. */
TEST(what_has_no_values_has_not_passed)
{
	static const char *const open[] = { "claims", "order", "answers", "quiet", "faults" };
	find(&(struct made_run){ .bald = true });
	for (size_t i = 0; i < sizeof open / sizeof *open; i++)
		for (size_t k = 0; k < found.n; k++)
			if (!strcmp(found.list[k].subject, open[i]))
				assert_int_equal(found.list[k].verdict, LOOK);
}

/* A run of a probe without values has no summary line, and nothing that is not resolved. */
TEST(rows_without_values_are_no_open_answers)
{
	find(&(struct made_run){ .bald = true, .row = ROW });
	for (size_t k = 0; k < found.n; k++)
		if (!strcmp(found.list[k].subject, "answers"))
			assert_int_equal(found.list[k].verdict, VERDICT_PASS);
}

TEST(a_run_without_its_end_was_cut)
{
	struct fixture x;

	fixture_open(&x);
	fixture_line(&x, "run", HEAD);
	fixture_read(&x, &one, "cut");
	findings_of_run(&found, one.runs);
	assert_int_equal(found.list[0].verdict, FAIL);
	assert_string_equal(found.list[0].text, "it has no end line: it was cut");
}

#define OF(uuid) ",\"host\":{\"uuid\":\"" uuid "\"}"

/* Two runs in two rooms. */
static void expect_two(const struct made_run *a, const struct made_run *b, const char *text)
{
	make(&one, a);
	make(&other, b);
	findings_between(&found, one.runs, other.runs);
	if (text)
		expect(LOOK, "rooms", text);
	else
		assert_null(only("two runs"));
	forget();
}

TEST(two_rooms_of_one_machine_agree_in_what_the_core_has)
{
	struct made_run l1 = { .value = VALUE("l1d_latency_cycles", "4") };
	struct made_run slow = { .room = "hosted", .value = VALUE("l1d_latency_cycles", "4.4") };
	struct made_run unsure = { .room = "hosted",
		.value = ",\"name\":\"l1d_latency_cycles\",\"value\":4.4,\"confidence\":0.4" };
	struct made_run near = { .room = "hosted", .value = VALUE("l1d_latency_cycles", "4.1") };

	expect_two(&l1, &near, NULL);
	expect_two(&l1, &unsure, NULL);
	expect_two(&l1, &slow, "l1d_latency_cycles is 4 in room bare, 4.4 in hosted");
	expect_two(&(struct made_run){ 0 },
		&(struct made_run){ .room = "hosted", .head = BASE TSC("2.01e9") CORE },
		"time stamps run at 2000.000 MHz in room bare, at 2010.000 in hosted");
}

TEST(runs_of_two_machines_are_not_compared)
{
	expect_two(&(struct made_run){ .head = HEAD OF("1") },
		&(struct made_run){ .room = "hosted", .head = BASE TSC("3e9") CORE OF("2") }, NULL);
	expect_two(&(struct made_run){ .head = HEAD OF("1") },
		&(struct made_run){ .room = "hosted", .head = BASE TSC("3e9") CORE OF("1") },
		"time stamps run at 2000.000 MHz in room bare, at 3000.000 in hosted");
}
