/* SPDX-License-Identifier: MIT */
/* The choice of the earlier result on a medium that is the last run of this machine and room. */
#define FILES 48
#include "tests/unit/fake_console.h"
#include "tests/unit/fake_storage.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#include "kernel/result/last_run.h"
#include "lib/machine_id.h"

#define OWN  "20260105T000000Z-bare.ndjson"
#define MINE ",\"host\":{\"uuid\":\"mine\"}"
#define RUN  "{\"kind\":\"run\"" MINE "}"

static char arena[1 << 20], work[LAST_RUN_BYTES];
static struct span span;
static char heard[8192];

static void hear(void *to, const char *line, size_t n)
{
	size_t used = strlen(heard);

	memcpy(heard + used, line, n);
	heard[used + n] = 0;
}

/* A result with an L1 of so many ns; more: members of its run line. */
static void make(struct fixture *f, const char *room, const char *more, double ns)
{
	fixture_open(f);
	fixture_run(f, room, more);
	fixture_line(f, "summary",
		",\"name\":\"l1d_latency_ns\",\"value\":%g,\"unit\":\"ns\",\"confidence\":1", ns);
	fixture_end(f);
	fclose(f->file);
}

static struct item *put(const char *name, const char *room, const char *more, double ns)
{
	struct item *t = find_item(files, FILES, "");
	struct fixture f;

	make(&f, room, more, ns);
	set_item(t, name, f.text, f.n);
	free(f.text);
	return t;
}

BEFORE_EACH(reset)
{
	empty(files, FILES);
	span = (struct span){ (uint64_t)(uintptr_t)arena, sizeof arena };
	last_run_setup(work);
}

/* Returns the text about a run with 2 ns after the search for the last one. */
static const char *since(enum room_kind kind)
{
	struct fixture now;

	make(&now, room_names[kind], MINE, 2);
	last_run_find(&calls, (struct line){ RUN, strlen(RUN) }, kind, OWN, &span);
	*heard = 0;
	last_run_show(kind, now.text, now.n, hear, NULL);
	assert_int_equal(below != NULL, *heard != 0); /* the end screen shows the same */
	free(now.text);
	return heard;
}

static void expect(const char *part)
{
	const char *text = since(ROOM_BARE);

	if (!*part && *text)
		fail_msg("expected no last run (kernel/result/last_run.c), got:\n%s", text);
	if (!strstr(text, part))
		fail_msg("expected '%s' (kernel/result/last_run.c) in:\n%s", part, text);
}

TEST(the_newest_of_this_machine_and_room)
{
	expect("");
	put("20260101T000000Z-bare.ndjson", "bare", MINE, 1);
	expect("Since 20260101T000000Z-bare.ndjson");
	put("20260102T000000Z-bare-2.ndjson", "bare", MINE, 4);
	expect("Since 20260102T000000Z-bare-2.ndjson");
	expect("L1 ns                2       4 -50.0 %!");
	put(OWN, "bare", MINE, 2); /* written just now */
	put("20260103T000000Z-firmware.ndjson", "firmware", MINE, 8);
	put("20260104T000000Z-bare.ndjson", "bare", ",\"host\":{\"uuid\":\"other\"}", 8);
	expect("Since 20260102T000000Z-bare-2.ndjson");
	assert_non_null(strstr(since(ROOM_FIRMWARE), "Since 20260103T000000Z-firmware.ndjson"));
	put("20270101T000000Z-bare.ndjson", "bare", MINE, 8); /* the clock was set back */
	expect("Since 20270101T000000Z-bare.ndjson");
}

TEST(both_rooms_are_kept)
{
	put("20260101T000000Z-bare.ndjson", "bare", MINE, 1);
	put("20260101T000000Z-firmware.ndjson", "firmware", MINE, 4);
	since(ROOM_FIRMWARE);
	since(ROOM_BARE);
	empty(files, FILES); /* after the exit there are none */
	struct fixture now;

	make(&now, "firmware", MINE, 2);
	*heard = 0;
	last_run_show(ROOM_FIRMWARE, now.text, now.n, hear, NULL);
	assert_non_null(strstr(heard, "-50.0 %!"));
	free(now.text);
}

TEST(odd_files_are_passed_over)
{
	static const char *const odd[] = { "recovered-bare.ndjson", "notime-bare.ndjson",
		"20260109T000000Z-bare.html", "20260109T000000Z-bare.ndjson.old" };

	put("20260101T000000Z-bare.ndjson", "bare", MINE, 1);
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		put(odd[i], "bare", MINE, 8);
	struct item *t = put("20260108T000000Z-bare.ndjson", "bare", MINE, 8);
	expect("Since 20260108T000000Z-bare.ndjson");
	/* Cut, or damaged, anywhere before the end line, which has its own checksum. */
	size_t whole = t->n,
	       end = (size_t)(strstr((char *)t->data, "{\"kind\":\"end\"") - (char *)t->data);
	for (t->n = 0; t->n <= end; t->n++)
		expect("Since 20260101T000000Z-bare.ndjson");
	t->n = whole;
	for (size_t i = 0; i < end; i++) {
		t->data[i] ^= 1;
		expect("Since 20260101T000000Z-bare.ndjson");
		t->data[i] ^= 1;
	}
	expect("Since 20260108T000000Z-bare.ndjson");
}

TEST(too_long_for_the_memory)
{
	char *long_text = malloc(LAST_RUN_BYTES);

	put("20260101T000000Z-bare.ndjson", "bare", MINE, 1);
	memset(long_text, 'x', LAST_RUN_BYTES);
	sprintf(long_text, MINE ",\"topology\":\"%0*d\"", LAST_RUN_BYTES / 2, 1);
	put("20260102T000000Z-bare.ndjson", "bare", long_text, 1);
	expect("Since 20260101T000000Z-bare.ndjson"); /* nor is its run line kept */
	sprintf(long_text, MINE ",\"topology\":\"%0*d\"", LAST_RUN_BYTES - 1000, 1);
	put("20260103T000000Z-bare.ndjson", "bare", long_text, 1);
	expect("Since 20260101T000000Z-bare.ndjson"); /* its run line is longer than is looked at */
	span.bytes = 900;
	expect("Since 20260101T000000Z-bare.ndjson");
	span.bytes = 100;
	expect("");
	last_run_setup(NULL);
	expect("");
	free(long_text);
}

TEST(so_many_are_looked_into)
{
	char name[STORED_RESULT_FILE];

	put("20260101T000000Z-bare.ndjson", "bare", MINE, 1);
	for (unsigned i = 0; i < 31; i++) {
		snprintf(name, sizeof name, "20260102T0000%02uZ-bare.ndjson", i);
		put(name, "bare", ",\"host\":{\"uuid\":\"other\"}", 8);
	}
	expect("Since 20260101T000000Z-bare.ndjson");
	put("20260103T000000Z-bare.ndjson", "bare", ",\"host\":{\"uuid\":\"other\"}", 8);
	expect("");
}

static struct cpuid no_cpuid(struct room *r, uint32_t leaf, uint32_t subleaf)
{
	return (struct cpuid){ 0 };
}

TEST(this_machine_as_a_line)
{
	static struct room room;
	char out[MACHINE_LINE];

	snprintf(room.facts.host.uuid, sizeof room.facts.host.uuid, "u-1");
	snprintf(room.facts.host.mac, sizeof room.facts.host.mac, "02-00-00-00-00-0a");
	snprintf(room.facts.host.board, sizeof room.facts.host.board, "maker product");

	room.cpuid = no_cpuid;
	struct line line = last_run_machine(&room, true, out);
	assert_non_null(strstr(out, "\"host\":{\"uuid\":\"u-1\",\"mac\":\"02-00-00-00-00-0a\"}"));
	assert_non_null(strstr(out, "\"board\":\"maker product\""));
	assert_true(machine_same(line, line));
	last_run_machine(&room, false, out);
	assert_non_null(strstr(out, "\"host\":{}"));
}
