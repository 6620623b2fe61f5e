/* SPDX-License-Identifier: MIT */
/* The run line: what is known of the machine stands there, what is not does not. */
#include <jansson.h>

#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

static struct room room;
static struct options options;

/* An Emerald Rapids of two caches: L1d 48 KiB, L2 2 MiB for two threads. */
static struct cpuid known(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	(void)e;
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
	options = (struct options){ .profile = PROFILE_SMOKE, .seed = 77 };
	strcpy(options.probes, "clock:rdtsc");
}

/* The first line of a run. */
static json_t *run_line(void)
{
	assert_int_equal(0, bench_run(&room, &options));
	json_t *line = json_loadb(fake_out, (size_t)(strchr(fake_out, '\n') - fake_out), 0, NULL);

	assert_non_null(line);
	assert_string_equal("run", json_string_value(json_object_get(line, "kind")));
	return line;
}

/* `expected` NULL: no such member. */
static void expect(json_t *line, const char *key, const char *expected)
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
	json_t *line = run_line();

	expect(line, "cpu",
		"{\"vendor\":\"GenuineIntel\",\"brand\":\"\",\"family\":6,\"model\":207,"
		"\"stepping\":2,\"microcode\":553648771}");
	expect(line, "caches_claimed",
		"[{\"level\":1,\"type\":\"data\",\"bytes\":49152,\"ways\":12,\"line_bytes\":64,"
		"\"shared_by\":1},{\"level\":2,\"type\":\"unified\",\"bytes\":2097152,\"ways\":16,"
		"\"line_bytes\":64,\"shared_by\":2}]");
	expect(line, "cpus", "2");
	expect(line, "topology",
		"[{\"id\":4,\"package\":1,\"die\":2,\"core\":3,\"thread\":0,\"node\":1,\"l3\":5,"
		"\"core_type\":64},{\"id\":9}]");
	expect(line, "emulated", "true");
	expect(line, "hypervisor", "\"KVMKVMKVM\"");
	expect(line, "tsc_hz", "1000000000");
	expect(line, "tsc_source", "\"fake\"");
	expect(line, "tsc_sources",
		"[{\"name\":\"hpet\",\"hz\":1000100000,\"claimed\":false},"
		"{\"name\":\"pit\",\"hz\":null,\"claimed\":true}]");
	expect(line, "tsc_disagree_ppm", "100");
	expect(line, "tsc_invariant", "true");
	expect(line, "core_hz", "1000000000");
	expect(line, "pages", "[4096,2097152]");
	expect(line, "arena_node", NULL);
	expect(line, "memory_bytes", "3221225472");
	expect(line, "seed", "77");
	expect(line, "profile", "\"smoke\"");
	expect(line, "probes", "\"clock:rdtsc\"");
	expect(line, "counts", "[\"switches\"]");
	expect(line, "prefetch", "{\"asked\":\"on\"}");
	json_decref(line);
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
	json_t *line = run_line();

	expect(line, "arena_node", "3");
	json_decref(line);
	if (!strstr(fake_out, "\"page_bytes\":4096},\"unit\"") &&
		!strstr(fake_out, "\"page_bytes\":2097152},\"unit\""))
		fail_msg("expected rows with pages and no node, came %.2000s", fake_out);
	assert_null(strstr(fake_out, "\"node\""));
}

TEST(what_is_not_known_is_not)
{
	json_t *line = run_line();

	expect(line, "cpu",
		"{\"vendor\":\"GenuineIntel\",\"brand\":\"\",\"family\":6,\"model\":207,"
		"\"stepping\":2}");
	expect(line, "topology", NULL);
	expect(line, "emulated", "false");
	expect(line, "hypervisor", "\"\"");
	expect(line, "tsc_sources", "[]");
	expect(line, "tsc_invariant", "false");
	expect(line, "memory_bytes", NULL);
	json_decref(line);
}

TEST(modules_as_the_firmware_states_them)
{
	struct host *h = &room.facts.host;
	json_t *line;

	reset();
	h->no_modules = "Linux shows memory modules to root only";
	strcpy(h->firmware_version, "F7b");
	line = run_line();
	expect(line, "smbios",
		"{\"firmware_version\":\"F7b\",\"memory_limit_gbs\":null,"
		"\"why\":\"Linux shows memory modules to root only\"}");
	json_decref(line);
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
	line = run_line();
	expect(line, "smbios",
		"{\"memory_modules\":\"2 x 16 GiB DDR5-6000\",\"memory_limit_gbs\":96,\"modules\":["
		"{\"count\":2,\"bytes\":17179869184,\"type\":\"DDR5\",\"mts\":6000,"
		"\"rated_mts\":6400,\"width_bits\":64,\"part\":\"P-16\",\"slots\":\"A1 B1\"}],"
		"\"slots\":4}");
	json_decref(line);
}

TEST(the_machine_is_named_unless_not_wanted)
{
	json_t *line = run_line();

	expect(line, "host", NULL);
	expect(line, "run_id", NULL);
	json_decref(line);
	reset();
	strcpy(room.facts.host.serial, "SN 1");
	strcpy(room.facts.host.mac, "52-54-00-00-00-07");
	strcpy(options.run_id, "campaign 3");
	line = run_line();
	expect(line, "host", "{\"serial\":\"SN 1\",\"mac\":\"52-54-00-00-00-07\"}");
	expect(line, "run_id", "\"campaign 3\"");
	json_decref(line);
	reset();
	strcpy(room.facts.host.mac, "52-54-00-00-00-07");
	strcpy(options.run_id, "campaign 3");
	options.identity = IDENTITY_OFF;
	line = run_line();
	expect(line, "host", NULL);
	expect(line, "run_id", "\"campaign 3\"");
	json_decref(line);
}
