/* SPDX-License-Identifier: MIT */
/* A room's result file: what is done where a place does not take it, at whichever step. */
#include <stdio.h>
#include <string.h>

#include "kernel/console/console.h"
#include "kernel/console/serial.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/result_log.h"
#include "tests/unit/test.h"

#define FIRST       "{\"kind\":\"run\"}\n"
#define LAST        "{\"kind\":\"end\"}\n"
#define VOLUME_FULL 0x800000000000000b
#define PLACES      3

/* As a server is: what was appended is written when the file is closed. */
static struct place {
	uint64_t append_status, close_status;
	bool garbles; /* what is read back is something else */
	char written[256];
	size_t n;
} places[PLACES];

static unsigned place;
static struct machine machine;
static char logs[4096], said[4096], open_text[256];
static size_t open_bytes;
static bool open_now;

bool firmware_file_exists(const char *name)
{
	return false;
}

uint64_t firmware_file_create(const char *name)
{
	assert_false(open_now);
	open_now = true;
	open_bytes = 0;
	return 0;
}

uint64_t firmware_file_append(const void *data, size_t n)
{
	assert_true(open_now && open_bytes + n <= sizeof open_text);
	memcpy(open_text + open_bytes, data, n);
	open_bytes += n;
	return places[place].append_status;
}

uint64_t firmware_file_close(void)
{
	struct place *p = &places[place];

	assert_true(open_now);
	open_now = false;
	if (p->close_status)
		return p->close_status;
	memcpy(p->written, open_text, open_bytes);
	p->n = open_bytes;
	return 0;
}

uint64_t firmware_file_compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	const struct place *p = &places[place];
	bool same = !p->garbles && p->n == n && memcmp(p->written, data, n) == 0;

	*match = same ? FILE_SAME : FILE_OTHER;
	return 0;
}

bool firmware_file_next_place(void)
{
	if (place + 1 == PLACES)
		return false;
	place++;
	open_now = false;
	machine.file_elsewhere = true;
	return true;
}

void console_printf(const char *format, ...)
{
	size_t used = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + used, sizeof said - used, format, args);
	va_end(args);
}

bool console_sends_results(void)
{
	return false;
}

void console_result(const char *line, size_t n)
{
}

bool serial_loses_bytes(void)
{
	return false;
}

void dashboard_result(const char *text, size_t n)
{
}

BEFORE_EACH(reset)
{
	memset(places, 0, sizeof places);
	place = 0;
	open_now = false;
	said[0] = 0;
	machine = (struct machine){ .logs = { (uint64_t)(uintptr_t)logs, sizeof logs },
		.file_prefix = "\\results\\",
		.file_gap = " ",
		.home_folder = "" };
}

static void run(void)
{
	results_name(&machine);
	results_open(&machine, ROOM_FIRMWARE, 1e18);
	results_add(FIRST, strlen(FIRST));
	results_add(LAST, strlen(LAST));
	results_close();
}

/* The whole result is at that place, and is known to be. */
static void assert_at(unsigned where)
{
	const struct place *p = &places[where];

	if (p->n != strlen(FIRST LAST) || memcmp(p->written, FIRST LAST, p->n) != 0)
		fail_msg("place %u has %zu bytes; it was said:\n%s", where, p->n, said);
	assert_non_null(results_filed());
	assert_non_null(strstr(said, "read back, the same"));
}

TEST(written_at_the_first_place)
{
	run();
	assert_at(0);
	assert_int_equal(place, 0);
	assert_null(strstr(said, "NOT"));
}

TEST(an_append_that_fails)
{
	places[0].append_status = VOLUME_FULL;
	run();
	assert_at(1);
}

/* A server takes or refuses a file when it is closed. */
TEST(a_close_that_fails)
{
	places[0].close_status = places[1].close_status = VOLUME_FULL;
	run();
	assert_at(2);
	assert_non_null(strstr(said, "is NOT complete:\n  writing failed: volume full"));
}

TEST(what_does_not_read_back)
{
	places[0].garbles = true;
	run();
	assert_at(1);
	assert_non_null(strstr(said, "does NOT read back as written"));
}

TEST(nowhere)
{
	for (unsigned i = 0; i < PLACES; i++)
		places[i].close_status = VOLUME_FULL;
	run();
	assert_null(results_filed());
	assert_non_null(strstr(said, "is NOT complete:\n  writing failed: volume full"));
	assert_null(strstr(said, "the same"));
}
