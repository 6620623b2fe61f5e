/* SPDX-License-Identifier: MIT */
/* Which results are of one machine. */
#include "lib/machine_id.c"
#include "tests/unit/test.h"

#define CPU                                                                                        \
	"\"cpu\":{\"vendor\":\"V\",\"brand\":\"B\",\"family\":6,\"model\":143,\"stepping\":8,"     \
	"\"microcode\":16}"
#define BOARD(name)      ",\"smbios\":{\"board\":\"" name "\"}"
#define HOST(members)    "{\"kind\":\"run\"," CPU ",\"host\":{" members "}" BOARD("X") "}"
#define UUID(id)         "\"uuid\":\"" id "\""
#define SERIAL(id)       "\"serial\":\"" id "\""
#define MAC(id)          "\"mac\":\"" id "\""
#define RUN(cpu, others) "{\"kind\":\"run\"," cpu others "}"

static bool same(const char *a, const char *b)
{
	struct line x = { a, strlen(a) }, y = { b, strlen(b) };

	assert_int_equal(machine_same(x, y), machine_same(y, x));
	return machine_same(x, y);
}

TEST(by_the_first_identity_that_both_have)
{
	const char *whole = HOST(UUID("u1") "," SERIAL("s1") "," MAC("02-00-00-00-00-0a"));

	assert_true(same(whole, whole));
	assert_true(same(whole, HOST(UUID("U1"))));
	assert_true(same(whole, HOST(UUID("u1") "," MAC("02-00-00-00-00-0b"))));
	assert_false(same(whole, HOST(UUID("u1") "," SERIAL("s2"))));
	assert_false(same(whole, HOST(UUID("u2") "," SERIAL("s1"))));
	assert_true(same(whole, HOST(SERIAL("s1") "," MAC("02-00-00-00-00-0b"))));
	assert_false(same(whole, HOST(SERIAL("s2"))));
	assert_true(same(whole, HOST(MAC("02:00:00:00:00:0A"))));
	assert_false(same(whole, HOST(MAC("02-00-00-00-00-0b"))));
	assert_true(same(whole, HOST(""))); /* identity = off */
	/* The UUID says more than what the processor is called. */
	assert_true(same(whole,
		RUN("\"cpu\":{\"brand\":\"other\"}", ",\"host\":{" UUID("u1") "}")));
	assert_false(machine_same_cpu((struct line){ whole, strlen(whole) },
		(struct line){ HOST(UUID("u2")), strlen(HOST(UUID("u2"))) }));
	assert_false(same(whole, "not JSON"));
}

TEST(by_model_where_there_is_none)
{
	static const char *const others[] = { RUN(CPU, BOARD("Y")), RUN(CPU, ""),
		RUN("\"cpu\":{\"vendor\":\"V\",\"brand\":\"other\",\"family\":6,\"model\":143,"
		    "\"stepping\":8}",
			BOARD("X")) };
	const char *run = RUN(CPU, BOARD("X"));

	assert_true(same(run, run));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(same(run, others[i]));
	assert_true(same(RUN(CPU, BOARD("X") ",\"tsc_hz\":2.5e9"),
		RUN(CPU, BOARD("X") ",\"tsc_hz\":2.501e9")));
	assert_false(same(RUN(CPU, BOARD("X") ",\"tsc_hz\":2.5e9"),
		RUN(CPU, BOARD("X") ",\"tsc_hz\":2.4e9")));
	assert_false(same(RUN(CPU, ",\"known_answer\":{\"machine\":\"zen\"}"),
		RUN(CPU, ",\"known_answer\":{\"machine\":\"haswell\"}")));
}

/* Two boards that have such a number in common are two machines, by their network cards. */
TEST(what_makers_leave_as_it_is_tells_nothing)
{
	static const char *const uuids[] = { "00000000-0000-0000-0000-000000000000",
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "fefefefe-fefe-fefe-fefe-fefefefefefe",
		"03000200-0400-0500-0006-000700080009", "00020003-0004-0005-0006-000700080009",
		"4C4C4544-0000-2010-8020-80C04F202020", "44454c4c-0000-1020-8020-80c04f202020",
		"03020100-0504-0706-0809-0a0b0c0d0e0f", "00010203-0405-0607-0809-0a0b0c0d0e0f",
		"11111111-1111-1111-1111-111111111111", "To be filled by O.E.M." };
	static const char *const serials[] = { "To Be Filled By O.E.M.", "Default string",
		"Chassis Serial Number", "System Serial Number", "Not Applicable", "N/A",
		"123456789", "0123456789", "1234567890", "00000000", "xxxxxxxx", "....", "", "0" };
	char a[512], b[512], id[MACHINE_ID];

	for (size_t i = 0; i < sizeof uuids / sizeof *uuids; i++)
		for (size_t k = 0; k < sizeof serials / sizeof *serials; k++) {
			snprintf(a, sizeof a, HOST(UUID("%s") "," SERIAL("%s") "," MAC("%s")),
				uuids[i], serials[k], "02-00-00-00-00-0a");
			snprintf(b, sizeof b, HOST(UUID("%s") "," SERIAL("%s") "," MAC("%s")),
				uuids[i], serials[k], "02-00-00-00-00-0b");
			if (same(a, b))
				fail_msg("uuid %s serial %s tells a machine", uuids[i], serials[k]);
			machine_id((struct line){ a, strlen(a) }, id);
			assert_string_equal(id, "mac 02-00-00-00-00-0a");
		}
}

TEST(identities_as_text)
{
	static const struct {
		const char *run, *id;
	} cases[] = { { HOST(UUID("4c4c4544-0050")), "uuid 4c4c4544-0050" },
		{ HOST(UUID("u1") "," SERIAL("s1") "," MAC("02-00-00-00-00-0a")),
			"uuid u1 serial s1" },
		{ HOST(SERIAL("5XK9")), "serial 5XK9" }, { HOST(MAC("52-54-00-12-34-56")), "" },
		{ "not JSON", "" } };
	char id[MACHINE_ID];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		machine_id((struct line){ cases[i].run, strlen(cases[i].run) }, id);
		assert_string_equal(id, cases[i].id);
	}
}
