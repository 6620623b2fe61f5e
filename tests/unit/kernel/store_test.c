/* SPDX-License-Identifier: MIT */
/*
 * A result stored and harvested, with the power failing at every step: a result whose header was
 * written becomes exactly one file, and nothing stays behind in the variables.
 */
#include "kernel/result/store.c"
#include "lib/crc32.h"
#include "tests/unit/fake_storage.h"
#include "tests/unit/test.h"

static bool committed(void)
{
	const struct item *header = find_item(variables, VARIABLES, STORED_RESULT_NAME);
	struct stored_result h;

	return header && !stored_result_check(header->data, header->n, &h);
}

BEFORE_ALL(make_result);
AFTER_ALL(drop_result);

TEST(no_cut_loses_or_doubles)
{
	unsigned commits = 0, cuts = 0;
	bool wrote = false;

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

TEST(a_full_store_leaves_nothing)
{
	for (unsigned refused = 0; refused < 4; refused++) {
		empty(variables, VARIABLES);
		steps_left = -1U;
		writes_refused_after = refused;
		assert_string_equal(store_write(&calls, NAME, packed, packed_bytes),
			"out of resources");
		assert_int_equal(count(variables, VARIABLES), 0);
	}
}

/* Whichever variable: another byte, one less, one more. */
TEST(other_bytes_than_were_written_are_no_store)
{
	unsigned writes = (unsigned)((packed_bytes - 1) / STORED_RESULT_CHUNK) + 2;

	for (unsigned at = 0; at < writes; at++)
		for (stored_more = -1; stored_more <= 1; stored_more++) {
			empty(variables, VARIABLES);
			steps_left = writes_refused_after = -1U;
			stored_wrong_at = at;
			const char *why = store_write(&calls, NAME, packed, packed_bytes);
			if (!why || strcmp(why, "what it stores does not read back"))
				fail_msg("write %u, %d bytes more: expected to be told, came '%s'",
					at, stored_more, why ? why : "stored");
			assert_int_equal(count(variables, VARIABLES), 0);
		}
	stored_wrong_at = -1U;
}

/* Also where the last chunk is full. */
TEST(as_many_chunks_as_the_result_fills)
{
	static const struct {
		size_t bytes, chunks, last;
	} rows[] = { { 1, 1, 1 }, { STORED_RESULT_CHUNK - 1, 1, STORED_RESULT_CHUNK - 1 },
		{ STORED_RESULT_CHUNK, 1, STORED_RESULT_CHUNK }, { STORED_RESULT_CHUNK + 1, 2, 1 },
		{ 2 * STORED_RESULT_CHUNK, 2, STORED_RESULT_CHUNK } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stored_result h = stored_result_header(NAME, packed, rows[i].bytes), back;

		assert_int_equal(h.chunks, rows[i].chunks);
		assert_int_equal(h.payload_bytes, rows[i].bytes);
		assert_int_equal(stored_result_chunk_bytes(rows[i].bytes, h.chunks - 1),
			rows[i].last);
		assert_null(stored_result_check(&h, sizeof h, &back));
	}
	empty(variables, VARIABLES);
	steps_left = writes_refused_after = -1U;
	assert_null(store_write(&calls, NAME, packed, 2 * STORED_RESULT_CHUNK));
	assert_int_equal(count(variables, VARIABLES), 3); /* two and the header */
}

TEST(limits)
{
	struct variable_store s = { true, true, true, 262044, 250000, 33732, NULL };
	static const struct {
		uint64_t remaining;
		size_t low, high; /* of the limit */
	} rows[] = {
		{ 250000, 60 * 1024, 64 * 1024 },
		{ 40000, 18000, 20000 },
		{ 12000, 5000, 6000 },
		{ 8000, 2048, 2880 }, /* the card: what is left is 5120 */
		{ 6000, 0, 0 },
		{ 5000, 0, 0 },
		{ 0, 0, 0 },
	};
	const char *why;

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		s.remaining = rows[i].remaining;
		size_t limit = store_limit(&s, &why);

		if (limit < rows[i].low || limit > rows[i].high || (!limit && !why))
			fail_msg("of %u bytes a result may take %u (kernel/result/store.c)",
				(unsigned)s.remaining, (unsigned)limit);
	}
	s.size_known = false; /* nothing is said: little is taken */
	assert_in_range(store_limit(&s, &why), 2048, 8192);
	s.size_known = true;
	s.remaining = 250000;
	s.usable_at_runtime = false;
	s.why_not = "because";
	assert_int_equal(store_limit(&s, &why), 0);
	assert_string_equal(why, "because");
}

static size_t asked; /* bytes of the largest variable that was to be set */

static uint64_t set_noted(const char *name, const void *data, size_t n)
{
	asked = n > asked ? n : asked;
	return set(name, data, n);
}

/* If little space is free, the firmware is asked for more than there is; nothing of that stays. */
TEST(a_small_store_is_reclaimed)
{
	struct variable_store store = { true, true, true, 65536, 8000, 33732, NULL };
	static const char memory[STORE_SMALL + 1024];
	struct storage noted = calls;

	noted.set = set_noted;
	empty(variables, VARIABLES);
	steps_left = -1U;
	for (unsigned granted = 0; granted < 2; granted++) {
		asked = 0;
		writes_refused_after = granted;
		store_reclaim(&noted, &store, memory);
		assert_int_equal(asked, 9024);
		assert_int_equal(count(variables, VARIABLES), 0);
	}
	asked = 0;
	store.remaining = STORE_SMALL; /* enough: flash is not worn for nothing */
	store_reclaim(&noted, &store, memory);
	store.remaining = 0;
	store.size_known = false;
	store_reclaim(&noted, &store, memory);
	assert_int_equal(asked, 0);
	store.size_known = true;
	writes_refused_after = -1U;
	steps_left = 1; /* the power fails before it is deleted: the next start does that */
	if (!setjmp(power_cut))
		store_reclaim(&noted, &store, memory);
	assert_int_equal(count(variables, VARIABLES), 1);
	steps_left = -1U;
	store_erase(&calls);
	assert_int_equal(count(variables, VARIABLES), 0);
}

/* Report success and store nothing, as a bad firmware does. */
static uint64_t set_nothing(const char *name, const void *data, size_t n)
{
	(void)name, (void)data, (void)n;
	return 0;
}

TEST(what_does_not_read_back_is_not_stored)
{
	struct storage lies = calls;

	lies.set = set_nothing;
	empty(variables, VARIABLES);
	assert_string_equal(store_write(&lies, NAME, packed, packed_bytes),
		"what it stores does not read back");
}

/*
 * A pending result that is not harvested stays if it may be valid, and is deleted if a part of it
 * is missing or wrong.
 */

BEFORE_EACH(reset)
{
	unreadable = NULL;
	found.text_most = sizeof out;
	create_error = append_error = 0;
	place = 0;
	places = 1;
}

static void store_result(void)
{
	empty(variables, VARIABLES);
	empty(files, FILES);
	assert_true(run_for(-1U, write_result));
}

/* The pending result is neither harvested nor changed. */
static void assert_kept(const char *why)
{
	unsigned before = count(variables, VARIABLES);

	if (!run_for(0, harvest_result)) /* without a single change */
		fail_msg("a variable or a file was changed, instead of: %s", why);
	assert_int_equal(last, HARVEST_KEPT);
	assert_string_equal(found.why, why);
	assert_int_equal(found.text_bytes, 0); /* nothing to show */
	assert_int_equal(count(variables, VARIABLES), before);
	assert_int_equal(count(files, FILES), 0);
}

static void assert_deleted(const char *why)
{
	assert_true(run_for(-1U, harvest_result));
	assert_int_equal(last, HARVEST_DAMAGED);
	assert_string_equal(found.why, why);
	assert_int_equal(found.text_bytes, 0);
	assert_int_equal(count(variables, VARIABLES), 0);
	assert_int_equal(count(files, FILES), 0);
}

TEST(damage_is_reported_and_cleared)
{
	static const struct {
		const char *name, *why;
	} parts[] = {
		{ STORED_RESULT_NAME "00", "its checksum is wrong" },
		{ STORED_RESULT_NAME "01", "its checksum is wrong" },
		{ STORED_RESULT_NAME, "its header is damaged" },
	};

	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		store_result();
		find_item(variables, VARIABLES, parts[i].name)->data[30 + i] ^= 1;
		assert_deleted(parts[i].why);
	}
}

TEST(a_read_error_keeps_it)
{
	static const char *const names[] = { STORED_RESULT_NAME, STORED_RESULT_NAME "00",
		STORED_RESULT_NAME "02" };
	static const uint64_t errors[] = { EFI_STATUS_ERROR | 7 /* device */,
		EFI_STATUS_ERROR | 26 /* security */, EFI_STATUS_ERROR | 9 /* resources */ };

	store_result();
	for (unsigned i = 0; i < 3; i++) {
		unreadable = names[i];
		read_error = errors[i];
		assert_kept("the firmware does not return a variable of it");
	}
	unreadable = NULL;
	assert_true(run_for(-1U, harvest_result));
	assert_int_equal(last, HARVEST_DONE);
	assert_harvested(true);
}

TEST(another_version_is_kept)
{
	unsigned char larger[sizeof(struct stored_result) + 8];
	struct stored_result h;
	struct item *header;

	store_result();
	header = find_item(variables, VARIABLES, STORED_RESULT_NAME);
	memcpy(&h, header->data, sizeof h);
	h.version++;
	h.header_crc = crc32_of(0, &h, offsetof(struct stored_result, header_crc));
	set_item(header, STORED_RESULT_NAME, &h, sizeof h);
	assert_kept("its header is of another version");
	memset(larger, 0, sizeof larger);
	memcpy(larger, &h, offsetof(struct stored_result, chunks)); /* all that is known of it */
	set_item(header, STORED_RESULT_NAME, larger, sizeof larger);
	assert_kept("its header is of another version");
	set_item(header, STORED_RESULT_NAME, larger, 16);
	assert_kept("its header is of another version");
	h.header_crc++; /* the version itself may be what is damaged */
	set_item(header, STORED_RESULT_NAME, &h, sizeof h);
	assert_deleted("its header is damaged");

	packed[4]++; /* the version in lib/pack.h's header */
	store_result();
	packed[4]--;
	assert_kept("its text is packed by another version");
}

TEST(without_memory_it_is_kept)
{
	store_result();
	found.text_most = text_bytes - 1;
	assert_kept("it is longer than the memory for it");
	found.text_most = sizeof out;
	assert_true(run_for(-1U, harvest_result));
	assert_int_equal(last, HARVEST_DONE);
	assert_harvested(true);
}

TEST(what_has_lost_a_part_is_deleted)
{
	static unsigned char large[STORED_RESULT_CHUNK + 1];
	struct item *chunk;

	store_result();
	set_item(find_item(variables, VARIABLES, STORED_RESULT_NAME "01"), "", NULL, 0);
	assert_deleted("a chunk is missing");
	for (size_t n = 10; n <= sizeof large; n += sizeof large - 10) {
		store_result();
		chunk = find_item(variables, VARIABLES, STORED_RESULT_NAME "01");
		set_item(chunk, STORED_RESULT_NAME "01", large, n);
		assert_deleted("a chunk has another size");
		store_result();
		chunk = find_item(variables, VARIABLES, STORED_RESULT_NAME);
		memcpy(large, chunk->data, chunk->n);
		set_item(chunk, STORED_RESULT_NAME, large, n);
		assert_deleted("its header has another size");
	}
	packed[12] ^= 1; /* the text's checksum in lib/pack.h's header */
	store_result();
	packed[12] ^= 1;
	assert_deleted("the check sum is wrong");
}

TEST(without_a_file_it_stays)
{
	empty(variables, VARIABLES);
	assert_true(run_for(-1U, write_result));
	unsigned before = count(variables, VARIABLES);
	steps_left = 0; /* nothing may be changed */
	assert_int_equal(harvest(&calls, "no file system", &found), HARVEST_KEPT);
	assert_string_equal(found.why, "no file system");
	assert_int_equal(found.text_bytes, text_bytes);
	assert_int_equal(count(variables, VARIABLES), before);
}

/* A header that is right in all but the name of its file. */
static void store_result_as(const char *name)
{
	empty(variables, VARIABLES);
	empty(files, FILES);
	steps_left = writes_refused_after = -1U;
	assert_null(store_write(&calls, name, packed, packed_bytes));
}

TEST(a_forged_name_is_refused)
{
	static const char *const names[] = { "", ".", "..", "..\\EFI\\BOOT\\BOOTX64.EFI",
		"../x.ndjson", "a b.ndjson", "C:x", "\xe4.ndjson", ".hidden" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		store_result_as(names[i]);
		assert_true(run_for(-1U, harvest_result));
		if (last != HARVEST_DONE || !find_item(files, FILES, STORED_RESULT_OWN_NAME))
			fail_msg("the name '%s' of a header was used (kernel/result/store.c)",
				names[i]);
		assert_string_equal(found.refused, names[i]);
		assert_string_equal(found.header.file, STORED_RESULT_OWN_NAME);
		assert_int_equal(count(variables, VARIABLES), 0);
	}
}

/* Another result of that name is there: neither is lost. */
TEST(two_results_of_one_name)
{
	for (unsigned i = 1; i <= 3; i++) {
		static const char *const names[] = { NAME, "20260101T000000Z-bare-2.ndjson",
			"20260101T000000Z-bare-3.ndjson" };

		if (i == 1)
			store_result();
		empty(variables, VARIABLES);
		assert_true(run_for(-1U, write_result));
		assert_true(run_for(-1U, harvest_result));
		assert_int_equal(last, HARVEST_DONE);
		assert_string_equal(found.header.file, names[i - 1]);
		assert_int_equal(count(files, FILES), i);
		find_item(files, FILES, names[i - 1])->data[i] ^= 1; /* another run's */
	}
}

/* A full volume, a damaged one: said in words, nothing half written stays, and it is kept. */
TEST(a_failing_volume_is_named)
{
	static const struct {
		uint64_t create, append;
		const char *why;
	} rows[] = {
		{ EFI_STATUS_ERROR | 8, 0, "its file cannot be created: write-protected" },
		{ EFI_STATUS_ERROR | 10, 0, "its file cannot be created: volume corrupted" },
		{ 0, EFI_STATUS_ERROR | 11, "its file cannot be written: volume full" },
		{ 0, EFI_STATUS_ERROR | 12, "its file cannot be written: no medium" },
	};

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		store_result();
		unsigned before = count(variables, VARIABLES);
		create_error = rows[i].create;
		append_error = rows[i].append;
		place = 0;
		assert_true(run_for(-1U, harvest_result));
		assert_int_equal(last, HARVEST_KEPT);
		assert_string_equal(found.why, rows[i].why);
		assert_int_equal(found.text_bytes, text_bytes); /* it is shown */
		assert_int_equal(count(variables, VARIABLES), before);
		assert_int_equal(count(files, FILES), 0);
	}
}

TEST(the_next_place_is_tried)
{
	store_result();
	append_error = EFI_STATUS_ERROR | 11;
	places = 2;
	assert_true(run_for(-1U, harvest_result));
	assert_int_equal(last, HARVEST_DONE);
	assert_harvested(true);
}
