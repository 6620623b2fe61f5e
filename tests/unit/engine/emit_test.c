/* SPDX-License-Identifier: MIT */
/* engine/emit.c: the lines of rows and skips, to the letter. */
#include <jansson.h>

#include "engine/emit.c"
#include "engine/infer/card.h"
#include "tests/unit/fake_room.h"

static struct room room;
static struct emit emit;
static struct card card;
static struct bench b;
static struct options options;
static const struct probe probe = { .name = "mine" };

/* An Emerald Rapids of two caches: L1d 48 KiB, L2 2 MiB for two threads. */
static struct cpuid known(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	switch (leaf) {
	case 0:
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct cpuid){ 0x000c06f2, 0, 0, 0 };
	case 4:
		if (subleaf == 0)
			return (struct cpuid){ 1 | 1 << 5, 11u << 22 | 63, 63, 0 };
		if (subleaf == 1)
			return (struct cpuid){ 3 | 2 << 5 | 1 << 14, 15u << 22 | 63, 2047, 0 };
	}
	return (struct cpuid){ 0 };
}

BEFORE_EACH(reset)
{
	fake_reset(&room);
	room.cpuid = known;
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 77, .probes = "clock:rdtsc" };
	memset(&emit, 0, sizeof emit);
	b = (struct bench){ .room = &room, .emit = &emit };
}

/* The next line without its checksum; *at is behind it then. */
static void expect_line(const char **at, const char *expected)
{
	const char *crc = strstr(*at, ",\"crc\":\"");

	if (!crc || strlen(expected) != (size_t)(crc - *at) ||
		strncmp(*at, expected, (size_t)(crc - *at)))
		fail_msg("expected '%s', came '%s'", expected, *at);
	*at = strchr(*at, '\n') + 1;
}

static void add_vector(struct bench *e, struct job *job, struct jsonl *l)
{
	jsonl_integer(l, "vector", job->expect);
}

TEST(a_skip_may_say_more)
{
	struct row row = { .probe = &probe, .variant = "v" };
	struct job job = { .expect = 6, .skip_extra = add_vector };
	const char *at = fake_out + fake_used;

	emit_skip(&b, &probe, &row, &job, "ended");
	if (!strstr(at, "\"reason\":\"ended\",\"more\":{\"vector\":6},"))
		fail_msg("came '%s'", at);
	job.skip_extra = NULL;
	at = fake_out + fake_used;
	emit_skip(&b, &probe, &row, &job, "ended");
	assert_null(strstr(at, "more"));
}

TEST(a_skip_says_which_row_and_why)
{
	struct row row = { .probe = &probe, .variant = "v", .page_bytes = PAGE_4K };
	const char *at = fake_out;

	emit_skip(&b, &probe, NULL, NULL, "all of it");
	emit_skip(&b, &probe, &row, NULL, "no pages");
	row.level = "l1";
	row_param(&row, "x", 2);
	emit_skip(&b, &probe, &row, NULL, "no level");
	expect_line(&at,
		"{\"kind\":\"skip\",\"room\":\"hosted\",\"seq\":0,\"probe\":\"mine\","
		"\"reason\":\"all of it\"");
	expect_line(&at,
		"{\"kind\":\"skip\",\"room\":\"hosted\",\"seq\":1,\"probe\":\"mine\","
		"\"variant\":\"v\",\"reason\":\"no pages\"");
	expect_line(&at,
		"{\"kind\":\"skip\",\"room\":\"hosted\",\"seq\":2,\"probe\":\"mine\","
		"\"variant\":\"v\",\"level\":\"l1\",\"params\":{\"x\":2},"
		"\"reason\":\"no level\"");
	assert_int_equal(3, b.skips);
	assert_int_equal(0, b.rows);
	assert_string_equal("all of it", b.first_skip);
}

static void expect_in(const char *line, const char *part)
{
	if (!strstr(line, part))
		fail_msg("expected '%s' in '%s'", part, line);
}

/* The line of a row of three values; two are flagged, if any. */
static void emit_values(struct result r, struct job job)
{
	const struct row row = { .probe = &probe, .variant = "v", .unit = &unit_ns_load };
	const double values[] = { 4, 5, 6, 7 };
	const bool flagged[] = { false, true, true, true };

	r.row = &row;
	r.samples = 3;
	fake_used = 0;
	emit_row(&b, &r, &job, values, flagged);
}

TEST(a_row_has_its_values_and_flags)
{
	struct result r = { .page_bytes = PAGE_4K, .disturbed = 2 };

	r.events = (struct event_counts){ .known = EVENT_SWITCHES, .switches = 5, .smis = 6 };
	emit_values(r, (struct job){ 0 });
	expect_in(fake_out,
		"{\"kind\":\"row\",\"room\":\"hosted\",\"seq\":0,\"probe\":\"mine\","
		"\"variant\":\"v\",\"params\":{\"page_bytes\":4096},"
		"\"unit\":\"ns/load\",");
	expect_in(fake_out,
		"\"counts\":{\"switches\":5},\"origin\":\"measured\","
		"\"values\":[4,5,6],\"flags\":[1,2],\"crc\"");
	assert_null(strstr(fake_out, "unsteady"));
	assert_int_equal(1, b.rows);
	r.disturbed = 0;
	r.unsteady = "drift";
	emit_values(r, (struct job){ 0 });
	expect_in(fake_out, "\"unsteady\":\"drift\",\"counts\":");
	expect_in(fake_out, "\"values\":[4,5,6],\"crc\"");
}

/* Expect this text about the node of the row's memory, beside a run line that says `arena`. */
static void expect_node(uint32_t arena, const struct job *job, size_t page_bytes, const char *part)
{
	b.arena_node = arena;
	emit_values((struct result){ .page_bytes = page_bytes }, *job);
	if (*part)
		expect_in(fake_out, part);
	else if (strstr(fake_out, "\"node\""))
		fail_msg("expected no node, came %s", fake_out);
}

TEST(a_row_has_its_node_where_it_is_not_the_arenas)
{
	const struct job here = { .arena.node = 1 }, unknown = { .arena.node = NODE_UNKNOWN };
	const struct job there = { .arena.node = 1, .placed = true, .node = 2 };
	const struct job both = { .arena.node = 1, .placed = true, .node = NODE_UNKNOWN };

	expect_node(1, &here, PAGE_4K, "");
	expect_node(1, &there, PAGE_4K, "\"params\":{\"page_bytes\":4096},\"node\":2,\"unit\"");
	expect_node(2, &there, PAGE_4K, "");
	expect_node(1, &both, PAGE_4K, "\"node\":null,");
	expect_node(0, &here, PAGE_4K, "\"node\":1,");
	expect_node(NODE_UNKNOWN, &unknown, PAGE_4K, "");
	expect_node(0, &unknown, PAGE_4K, "\"node\":null,");
	expect_node(NODE_UNKNOWN, &there, PAGE_4K, "\"node\":2,");
	expect_node(0, &there, 0, "");
}

static uint64_t at_7_s(struct room *e)
{
	return 7000000000;
}

static void more_of_it(struct bench *of, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "last", values[n - 1]);
}

TEST(a_row_has_its_time_and_what_its_probe_adds)
{
	room.now = at_7_s;
	b.start_ticks = 4000000000;
	emit_values((struct result){ 0 }, (struct job){ .extra = more_of_it });
	expect_in(fake_out, "\"at_seconds\":3,");
	expect_in(fake_out, "\"values\":[4,5,6],\"more\":{\"last\":6},\"crc\"");
}

TEST(the_end_counts_all)
{
	const char *at = fake_out;

	room.now = at_7_s;
	b.start_ticks = 4000000000;
	b.output_ticks = 500000000;
	b.arena_ticks = 250000000;
	b.rows = 11;
	b.summaries = 12;
	b.skips = 13;
	emit.seq = 37;
	emit.crc_all = 0x9abcdef0;
	emit_end(&b, "faulted", "why not");
	expect_line(&at,
		"{\"kind\":\"end\",\"room\":\"hosted\",\"seq\":37,"
		"\"status\":\"faulted\",\"why\":\"why not\",\"rows\":11,"
		"\"summaries\":12,\"skips\":13,\"lines\":37,\"seconds\":3,"
		"\"output_seconds\":0.500000,\"arena_seconds\":0.250000,"
		"\"crc_all\":\"9abcdef0\"");
}

static const struct probe *registered(const char *name)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (!strcmp(probes[i].name, name))
			return &probes[i];
	fail_msg("no probe %s", name);
	return NULL;
}

/* Expect these values, by their units' order in the list, to be all that has a line. */
static void expect_found(const char *probes_asked, const char *expected)
{
	char units[16] = "";

	strcpy(options.probes, probes_asked);
	fake_used = 0;
	b.summaries = 0;
	emit_found(&b);
	for (const char *at = fake_out;
		(at = strstr(at, "\"unit\":\"")) && at < fake_out + fake_used;)
		strncat(units, at += strlen("\"unit\":\""), 1);
	assert_string_equal(expected, units);
	assert_int_equal(strlen(expected), b.summaries);
}

/* The units a..e stand for the values. */
TEST(only_probes_that_ran_have_lines_of_their_values)
{
	static struct found_values f;
	static struct result of_mlp;
	static struct row row;
	const struct probe *by[] = { registered("clock"), registered("latency"),
		registered("latency"), registered("latency"), registered("mlp") };

	f.n = 5;
	for (unsigned i = 0; i < f.n; i++) {
		static const char *const units[] = { "a", "b", "c", "d", "e" };

		f.by[i] = by[i];
		f.list[i] = (struct summary){ .name = "x",
			.unit = units[i],
			.form = "",
			.rests_on = "",
			.value = i == 2 ? 7 : NOT_A_NUMBER,
			.has_floor = i == 3,
			.reason = "not measured in this run" };
	}
	b.card = &card;
	b.opt = &options;
	b.found = &f;
	expect_found("", "abcde");
	expect_found("clock:rdtsc", "acd");
	expect_found("latency", "bcd");
	row.probe = by[4];
	of_mlp.row = &row;
	b.results = &of_mlp;
	b.nresults = 1;
	expect_found("clock", "acde");
}

/* A room that has no such control answers for it, too. */
TEST(a_control_is_answered_for_in_every_room)
{
	const struct options fixed = { .clock = CLOCK_FIXED }, as_found = { .clock = CLOCK_FREE };

	b.card = &card;
	b.opt = &fixed;
	emit_run(&b);
	expect_in(fake_out,
		"\"clock\":{\"asked\":\"fixed\",\"set\":false,\"how\":\"\","
		"\"cpus_not_set\":1,\"why\":\"room hosted has no way to set it\"}");
	room.controls[CONTROL_clock] = (struct control_answer){ "cpufreq", 0, NULL };
	fake_used = 0;
	emit_run(&b);
	expect_in(fake_out,
		"\"clock\":{\"asked\":\"fixed\",\"set\":true,\"how\":\"cpufreq\","
		"\"cpus_not_set\":0}");
	b.opt = &as_found;
	fake_used = 0;
	emit_run(&b);
	expect_in(fake_out, "\"clock\":{\"asked\":\"free\"}");
}

/* The run line: what is known of the machine stands there, what is not does not. */

/* The first line of a run. */
static json_t *line;

static void read_run_line(void)
{
	assert_int_equal(0, bench_run(&room, &options));
	json_decref(line);
	line = json_loadb(fake_out, (size_t)(strchr(fake_out, '\n') - fake_out), 0, NULL);
	assert_non_null(line);
	assert_string_equal("run", json_string_value(json_object_get(line, "kind")));
}

AFTER_ALL(release)
{
	json_decref(line);
}

/* `expected` NULL: no such member. */
static void expect(const char *key, const char *expected)
{
	json_t *member = json_object_get(line, key);
	char *text = member ? json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (!text != !expected || (text && strcmp(text, expected)))
		fail_msg("%s: expected %s, came %s", key, expected ? expected : "nothing",
			text ? text : "nothing");
	free(text);
}

TEST(what_is_known_is_there)
{
	static const struct cpu_location places[] = {
		{ 4, 1, 2, 3, 0, 1, 5, 0x40 },
		{ 9, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0 },
	};

	room.facts.cpus = 2;
	room.facts.topology = places;
	room.facts.microcode_known = true;
	room.facts.microcode = 0x21000283;
	room.facts.memory_bytes = 3 * GIB;
	room.facts.hypervisor = "KVMKVMKVM";
	room.facts.tsc[0] = (struct tsc_source){ "hpet", 1000100000, false };
	room.facts.tsc[1] = (struct tsc_source){ "pit", 0, true };
	room.facts.tsc_sources = 2;
	room.facts.tsc_disagree_ppm = 100;
	room.facts.tsc_invariant = true;
	room.facts.emulated = true;
	read_run_line();
	expect("cpu",
		"{\"vendor\":\"GenuineIntel\",\"brand\":\"\",\"family\":6,\"model\":207,"
		"\"stepping\":2,\"microcode\":553648771}");
	expect("caches_claimed",
		"[{\"level\":1,\"type\":\"data\",\"bytes\":49152,\"ways\":12,\"line_bytes\":64,"
		"\"shared_by\":1},{\"level\":2,\"type\":\"unified\",\"bytes\":2097152,\"ways\":16,"
		"\"line_bytes\":64,\"shared_by\":2}]");
	expect("cpus", "2");
	expect("topology",
		"[{\"id\":4,\"package\":1,\"die\":2,\"core\":3,\"thread\":0,\"node\":1,\"l3\":5,"
		"\"core_type\":64},{\"id\":9}]");
	expect("emulated", "true");
	expect("hypervisor", "\"KVMKVMKVM\"");
	expect("tsc_hz", "1000000000");
	expect("tsc_source", "\"fake\"");
	expect("tsc_sources",
		"[{\"name\":\"hpet\",\"hz\":1000100000,\"claimed\":false},"
		"{\"name\":\"pit\",\"hz\":null,\"claimed\":true}]");
	expect("tsc_disagree_ppm", "100");
	expect("tsc_invariant", "true");
	expect("core_hz", "1000000000");
	expect("pages", "[4096,2097152]");
	expect("arena_node", NULL);
	expect("memory_bytes", "3221225472");
	expect("seed", "77");
	expect("profile", "\"smoke\"");
	expect("probes", "\"clock:rdtsc\"");
	expect("counts", "[\"switches\"]");
	expect("prefetch", "{\"asked\":\"on\"}");
}

TEST(what_it_may_be_and_by_which_names)
{
	room.facts.may_be = DOUBT_EMULATED;
	strcpy(room.facts.may_be_why, "a; b");
	strcpy(room.facts.acpi_maker, "BOCHS BXPC");
	strcpy(room.facts.host.system, "Q 35");
	read_run_line();
	const json_t *smbios = json_object_get(line, "smbios");

	expect("may_be", "\"emulated\"");
	expect("may_be_why", "\"a; b\"");
	expect("acpi_maker", "\"BOCHS BXPC\"");
	assert_string_equal(json_string_value(json_object_get(smbios, "system")), "Q 35");
}

static int arena_on_node_3(struct room *e, size_t page_bytes, struct arena *out)
{
	int bad = fake_arena(e, page_bytes, out);

	out->node = 3;
	return bad;
}

/* Rows say where their memory is only where that is not what the run line says. */
TEST(the_arenas_node)
{
	room.arena = arena_on_node_3;
	strcpy(options.probes, "mlp:chains");
	read_run_line();
	expect("arena_node", "3");
	if (!strstr(fake_out, "\"page_bytes\":4096},\"unit\"") &&
		!strstr(fake_out, "\"page_bytes\":2097152},\"unit\""))
		fail_msg("expected rows with pages and no node, came %.2000s", fake_out);
	assert_null(strstr(fake_out, "\"node\""));
}

TEST(what_is_not_known_is_not)
{
	read_run_line();
	expect("cpu",
		"{\"vendor\":\"GenuineIntel\",\"brand\":\"\",\"family\":6,\"model\":207,"
		"\"stepping\":2}");
	expect("topology", NULL);
	expect("emulated", "false");
	expect("hypervisor", "\"\"");
	expect("may_be", "\"\"");
	assert_null(json_object_get(line, "may_be_why"));
	expect("tsc_sources", "[]");
	expect("tsc_invariant", "false");
	expect("memory_bytes", NULL);
}

TEST(modules_as_the_firmware_states_them)
{
	struct host *h = &room.facts.host;
	reset();
	h->no_modules = "Linux shows memory modules to root only";
	strcpy(h->firmware_version, "F7b");
	read_run_line();
	expect("smbios",
		"{\"firmware_version\":\"F7b\",\"memory_limit_gbs\":null,"
		"\"why\":\"Linux shows memory modules to root only\"}");
	reset();
	h->modules[0] = (struct module_kind){ .count = 2,
		.bytes = 16ull << 30,
		.type = "DDR5",
		.mts = 6000,
		.rated_mts = 6400,
		.width_bits = 64,
		.part = "P-16",
		.slots = "A1 B1" };
	h->nkinds = 1;
	h->slots = 4;
	read_run_line();
	expect("smbios",
		"{\"memory_modules\":\"2 x 16 GiB DDR5-6000\",\"memory_limit_gbs\":96,\"modules\":["
		"{\"count\":2,\"bytes\":17179869184,\"type\":\"DDR5\",\"mts\":6000,"
		"\"rated_mts\":6400,\"width_bits\":64,\"part\":\"P-16\",\"slots\":\"A1 B1\"}],"
		"\"slots\":4}");
}

TEST(the_machine_is_named_unless_not_wanted)
{
	read_run_line();
	expect("host", NULL);
	expect("run_id", NULL);
	reset();
	strcpy(room.facts.host.serial, "SN 1");
	strcpy(room.facts.host.mac, "52-54-00-00-00-07");
	strcpy(options.run_id, "campaign 3");
	read_run_line();
	expect("host", "{\"serial\":\"SN 1\",\"mac\":\"52-54-00-00-00-07\"}");
	expect("run_id", "\"campaign 3\"");
	reset();
	strcpy(room.facts.host.mac, "52-54-00-00-00-07");
	strcpy(options.run_id, "campaign 3");
	options.identity = IDENTITY_OFF;
	read_run_line();
	expect("host", NULL);
	expect("run_id", "\"campaign 3\"");
}

TEST(a_run_of_several_says_which_it_is)
{
	options.runs = 1;
	read_run_line();
	expect("run", NULL);
	expect("runs", NULL);
	reset();
	options.runs = 3;
	options.run = 2;
	read_run_line();
	expect("run", "2");
	expect("runs", "3");
}

/* Values and claims of CPUID that agree or disagree: docs/format.md, "summary". */

struct said_value {
	double value, low, high, claimed;
	bool agrees;
};

static void expect_agreement(const char *unit, const struct said_value *c)
{
	const struct summary s = { .value = c->value,
		.low = c->low,
		.high = c->high,
		.claimed = c->claimed,
		.unit = unit,
		.edge = c->low > 0 };

	if (summary_agrees(&s) != c->agrees)
		fail_msg("%g %s in %g..%g, claimed %g: expected that it %s", c->value, unit, c->low,
			c->high, c->claimed, c->agrees ? "agrees" : "differs");
}

/* docs/format.md, "summary": the bracket, of bytes with both its ends, or 1 % of the value. */
TEST(claims_agree_by_one_definition)
{
	static const struct said_value bytes[] = { { 32768, 32768, 65536, 65536, true },
		{ 32768, 32768, 65536, 32768, true }, { 32768, 32768, 65536, 65537, false },
		{ 1 << 20, 1 << 20, 2 << 20, 512 << 10, false },
		{ 1 << 20, 1 << 20, 2 << 20, 1000 << 10, false }, { 64, 64, 64, 64, true },
		{ 64, 64, 64, 65, false }, { 12, 0, 0, 12, true }, { 12, 0, 0, 13, false },
		{ 1000, 0, 0, 1010, true }, { 1000, 0, 0, 990, true },
		{ 1000, 0, 0, 1011, false } };

	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		expect_agreement("bytes", &bytes[i]);
}

/* With so many as the upper end they did not fit: 11 in 11..12 are not the 12 that are claimed. */
TEST(of_a_count_the_upper_end_is_too_many)
{
	static const struct said_value ways[] = { { 11, 11, 12, 11, true },
		{ 11, 11, 12, 12, false }, { 11, 11, 12, 10, false }, { 64, 60, 80, 79, true },
		{ 64, 60, 80, 80, false }, { 64, 64, 64, 64, true } };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		expect_agreement("ways", &ways[i]);
}

/* A soft edge is a range: the card shows where its rise is, and a claim in there agrees. */
TEST(claims_agree_with_a_soft_edge)
{
	static const struct {
		double claimed;
		bool agrees;
	} all[] = { { 2, false }, { 3, true }, { 32, true }, { 33, true }, { 34, false } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct summary s = { .value = 5,
			.low = 3,
			.high = 8,
			.claimed = all[i].claimed,
			.unit = "entries",
			.edge = true };

		s.rise[0] = 5;
		s.rise[2] = 33;
		assert_int_equal(summary_agrees(&s), all[i].agrees);
	}
}
