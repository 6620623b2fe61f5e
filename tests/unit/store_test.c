/* SPDX-License-Identifier: MIT */
/*
 * A result stored and harvested, with the power failing at every step: a result whose header was
 * written becomes exactly one file, and nothing stays behind in the variables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/firmware/efi_status.h"
#include "kernel/result/harvest.h"
#include "lib/pack.h"

/* --- a machine whose power fails after so many steps --- */

#define VARIABLES 32
#define FILES     4

struct item {
	char name[STORED_RESULT_FILE];
	unsigned char *data;
	size_t n;
};

static struct item variables[VARIABLES], files[FILES];
static struct item *open_file;
static unsigned steps_left, writes_refused_after;
static jmp_buf power_cut;

/* One step that changes something: the power may fail just before it. */
static void step(void)
{
	if (steps_left-- == 0)
		longjmp(power_cut, 1);
}

static struct item *find(struct item *in, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(in[i].name, name) == 0)
			return &in[i];
	return NULL;
}

static void set_item(struct item *t, const char *name, const void *data, size_t n)
{
	free(t->data);
	t->data = n ? malloc(n) : NULL;
	if (n)
		memcpy(t->data, data, n);
	t->n = n;
	snprintf(t->name, sizeof t->name, "%s", name);
}

static uint64_t get(const char *name, void *data, size_t *n)
{
	struct item *t = find(variables, VARIABLES, name);
	size_t capacity = *n;

	if (!t)
		return EFI_STATUS_NOT_FOUND;
	*n = t->n;
	if (t->n > capacity)
		return 0x8000000000000005;
	memcpy(data, t->data, t->n);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	struct item *t = find(variables, VARIABLES, name);

	if (!n && !t)
		return EFI_STATUS_NOT_FOUND;
	step();
	if (n && writes_refused_after-- == 0)
		return 0x8000000000000009; /* EFI_OUT_OF_RESOURCES */
	if (!t)
		t = find(variables, VARIABLES, "");
	set_item(t, n ? name : "", data, n);
	return 0;
}

static uint64_t file_create(const char *name)
{
	struct item *t = find(files, FILES, name);

	step();
	open_file = t ? t : find(files, FILES, "");
	set_item(open_file, name, NULL, 0);
	return 0;
}

/* Half of it may be on the medium when the power fails. */
static uint64_t file_append(const void *data, size_t n)
{
	for (unsigned part = 0; part < 2; part++) {
		size_t have = open_file->n, more = part ? n - n / 2 : n / 2;

		step();
		open_file->data = realloc(open_file->data, have + more);
		memcpy(open_file->data + have, (const char *)data + (part ? n / 2 : 0), more);
		open_file->n = have + more;
	}
	return 0;
}

static uint64_t file_close(void)
{
	step();
	return 0;
}

static uint64_t file_compare(const char *name, const void *data, size_t n, bool *same)
{
	struct item *t = find(files, FILES, name);

	*same = t && t->n == n && memcmp(t->data, data, n) == 0;
	return t ? 0 : EFI_STATUS_NOT_FOUND;
}

static bool file_exists(const char *name)
{
	return find(files, FILES, name) != NULL;
}

static const struct storage calls = { get, set, file_create, file_append, file_close, file_compare,
	file_exists };

static unsigned count(const struct item *in, size_t n)
{
	unsigned used = 0;

	for (size_t i = 0; i < n; i++)
		used += in[i].name[0] != 0;
	return used;
}

static void empty(struct item *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set_item(&in[i], "", NULL, 0);
}

/* --- a result --- */

#define NAME "20260101T000000Z-bare.ndjson"

static char *text;
static size_t text_bytes, packed_bytes;
static unsigned char packed[STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK];

static int make_result(void **state)
{
	size_t work_bytes;
	void *work;

	(void)state;
	text_bytes = 60000;
	text = malloc(text_bytes);
	for (size_t i = 0; i < text_bytes; i++)
		text[i] = (char)('a' + rand() % 3);
	work_bytes = pack_work(text_bytes);
	work = malloc(work_bytes);
	packed_bytes = pack(text, text_bytes, packed, sizeof packed, work, work_bytes);
	free(work);
	return packed_bytes > 2 * STORED_RESULT_CHUNK ? 0 : -1;
}

static int drop_result(void **state)
{
	(void)state;
	empty(variables, VARIABLES);
	empty(files, FILES);
	free(text);
	return 0;
}

/* One start of the machine: does `what` until the power fails after `steps`. true: it did not. */
static bool run_for(unsigned steps, void (*what)(void))
{
	writes_refused_after = -1U;
	steps_left = steps;
	if (setjmp(power_cut))
		return false;
	what();
	return true;
}

static void write_result(void)
{
	store_write(&calls, NAME, packed, packed_bytes);
}

static enum harvest last;
static struct harvested found;

static void harvest_result(void)
{
	static unsigned char chunks[STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK];
	static char out[65536];
	struct harvest_memory memory = { chunks, out, sizeof out };

	last = harvest(&calls, NULL, &memory, &found);
}

static bool committed(void)
{
	struct stored_result h;
	const char *why;

	return store_find(&calls, &h, &why) == PENDING_VALID;
}

static void assert_harvested(bool was_committed)
{
	assert_int_equal(count(variables, VARIABLES), 0);
	assert_int_equal(count(files, FILES), was_committed ? 1 : 0);
	if (was_committed) {
		struct item *t = find(files, FILES, NAME);

		assert_non_null(t);
		assert_int_equal(t->n, text_bytes);
		assert_memory_equal(t->data, text, text_bytes);
	}
}

static void no_cut_loses_or_doubles(void **state)
{
	unsigned commits = 0, cuts = 0;
	bool wrote = false;

	(void)state;
	for (unsigned first = 0; !wrote; first++) {
		bool harvested = false;

		for (unsigned second = 0; !harvested; second++) {
			empty(variables, VARIABLES);
			empty(files, FILES);
			wrote = run_for(first, write_result);
			bool was = committed();
			harvested = run_for(second, harvest_result);
			run_for(second / 2, harvest_result); /* a second cut */
			assert_true(run_for(-1U, harvest_result));
			assert_harvested(was);
			assert_true(run_for(-1U, harvest_result));
			assert_int_equal(last, HARVEST_NOTHING);
			assert_harvested(was);
			commits += was;
			cuts++;
		}
	}
	assert_true(commits > 5 && cuts - commits > 5);
}

static void a_full_store_leaves_nothing(void **state)
{
	(void)state;
	for (unsigned refused = 0; refused < 4; refused++) {
		empty(variables, VARIABLES);
		steps_left = -1U;
		writes_refused_after = refused;
		assert_true(store_write(&calls, NAME, packed, packed_bytes) != 0);
		assert_int_equal(count(variables, VARIABLES), 0);
	}
}

static void damage_is_reported_and_cleared(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		empty(variables, VARIABLES);
		empty(files, FILES);
		assert_true(run_for(-1U, write_result));
		variables[i].data[i == 3 ? 30 : 100 + i] ^=
			1; /* 3 is the header: chunks come first */
		assert_true(run_for(-1U, harvest_result));
		assert_int_equal(last, HARVEST_DAMAGED);
		assert_non_null(found.why);
		assert_int_equal(count(variables, VARIABLES), 0);
		assert_int_equal(count(files, FILES), 0);
	}
}

static void without_a_file_it_stays(void **state)
{
	static unsigned char chunks[STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK];
	static char out[65536];
	struct harvest_memory memory = { chunks, out, sizeof out };

	(void)state;
	empty(variables, VARIABLES);
	assert_true(run_for(-1U, write_result));
	unsigned before = count(variables, VARIABLES);
	steps_left = 0; /* nothing may be changed */
	assert_int_equal(harvest(&calls, "no file system", &memory, &found), HARVEST_KEPT);
	assert_string_equal(found.why, "no file system");
	assert_int_equal(found.text_bytes, text_bytes);
	assert_int_equal(count(variables, VARIABLES), before);
}

static void starts_are_counted(void **state)
{
	(void)state;
	empty(variables, VARIABLES);
	steps_left = writes_refused_after = -1U;
	assert_int_equal(store_bare_entries(&calls), 0);
	for (unsigned i = 1; i <= BARE_ENTRIES_MAX; i++) {
		store_count_bare_entry(&calls);
		assert_int_equal(store_bare_entries(&calls), i);
	}
	store_reset_bare_entries(&calls);
	assert_int_equal(store_bare_entries(&calls), 0);
	assert_int_equal(count(variables, VARIABLES), 0);
}

static void limits(void **state)
{
	struct variable_store s = { true, true, 262044, 250000, 33732, NULL };
	const char *why;

	(void)state;
	assert_in_range(store_limit(&s, &why), 28 * 1024, 32 * 1024);
	s.remaining = 40000;
	assert_in_range(store_limit(&s, &why), 16000, 20000);
	s.remaining = 4000;
	assert_int_equal(store_limit(&s, &why), 0);
	assert_non_null(why);
	s.remaining = 250000;
	s.usable_at_runtime = false;
	s.why_not = "because";
	assert_int_equal(store_limit(&s, &why), 0);
	assert_string_equal(why, "because");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cut_loses_or_doubles),
		cmocka_unit_test(a_full_store_leaves_nothing),
		cmocka_unit_test(damage_is_reported_and_cleared),
		cmocka_unit_test(without_a_file_it_stays),
		cmocka_unit_test(starts_are_counted),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, make_result, drop_result);
}
