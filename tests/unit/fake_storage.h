/* SPDX-License-Identifier: MIT */
/* Variables and files of a machine whose power may fail, and a result that is stored there. */
#ifndef TESTS_UNIT_FAKE_STORAGE_H
#define TESTS_UNIT_FAKE_STORAGE_H

#include "kernel/firmware/firmware_calls.h"
#include "kernel/result/store.h"
#include "lib/pack.h"
#include "tests/unit/test.h"

/* --- a machine whose power fails after so many steps --- */

#define VARIABLES 32
#ifndef FILES
#define FILES 4
#endif

struct item {
	char name[STORED_RESULT_FILE];
	unsigned char *data;
	size_t n;
};

static struct item variables[VARIABLES], files[FILES];
static struct item *open_file;
static unsigned steps_left, writes_refused_after;
static jmp_buf power_cut;
static const char *unreadable; /* GetVariable of this one fails with `read_error`; NULL: of none */
static uint64_t read_error;
static unsigned stored_wrong_at = -1U;      /* the write of which other bytes are stored */
static int stored_more;                     /* bytes: 0: as many, of which one differs */
static uint64_t create_error, append_error; /* of files at the first place */
static unsigned place, places = 1;          /* the one in use, and how many there are */

/* One step that changes something: the power may fail just before it. */
static inline void step(void)
{
	if (steps_left-- == 0)
		longjmp(power_cut, 1);
}

static inline struct item *find_item(struct item *in, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(in[i].name, name) == 0)
			return &in[i];
	return NULL;
}

static inline void set_item(struct item *t, const char *name, const void *data, size_t n)
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
	struct item *t = find_item(variables, VARIABLES, name);
	size_t capacity = *n;

	if (!t)
		return EFI_STATUS_NOT_FOUND;
	if (unreadable && strcmp(name, unreadable) == 0)
		return read_error;
	*n = t->n;
	if (t->n > capacity)
		return EFI_STATUS_BUFFER_TOO_SMALL;
	memcpy(data, t->data, t->n);
	return 0;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	struct item *t = find_item(variables, VARIABLES, name);

	if (!n && !t)
		return EFI_STATUS_NOT_FOUND;
	step();
	if (n && writes_refused_after-- == 0)
		return 0x8000000000000009; /* EFI_OUT_OF_RESOURCES */
	if (!t)
		t = find_item(variables, VARIABLES, "");
	set_item(t, n ? name : "", data, n);
	if (n && stored_wrong_at-- == 0) {
		t->data = realloc(t->data, n + 1);
		t->data[n] = 0;
		t->n = (size_t)((ptrdiff_t)n + stored_more);
		t->data[n / 2] ^= stored_more == 0;
	}
	return 0;
}

static uint64_t file_create(const char *name)
{
	struct item *t = find_item(files, FILES, name);

	step();
	if (!place && create_error)
		return create_error;
	open_file = t ? t : find_item(files, FILES, "");
	set_item(open_file, name, NULL, 0);
	return 0;
}

/* Half of it may be on the medium when the power fails. */
static uint64_t file_append(const void *data, size_t n)
{
	for (unsigned part = 0; part < 2; part++) {
		size_t have = open_file->n, more = part ? n - n / 2 : n / 2;

		step();
		if (!place && append_error && part)
			return append_error;
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

static uint64_t file_compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	struct item *t = find_item(files, FILES, name);

	*match = FILE_OTHER;
	if (t && t->n <= n && memcmp(t->data ? t->data : data, data, t->n) == 0)
		*match = t->n == n ? FILE_SAME : FILE_BEGINNING;
	return t ? 0 : EFI_STATUS_NOT_FOUND;
}

static uint64_t file_read(const char *name, void *data, size_t *n)
{
	struct item *t = find_item(files, FILES, name);

	if (!t)
		return EFI_STATUS_NOT_FOUND;
	*n = t->n < *n ? t->n : *n;
	memcpy(data, t->data ? t->data : data, *n);
	return 0;
}

static uint64_t file_delete(const char *name)
{
	struct item *t = find_item(files, FILES, name);

	if (!t)
		return EFI_STATUS_NOT_FOUND;
	step();
	set_item(t, "", NULL, 0);
	return 0;
}

static bool file_before(const char *name, const char *part, char *out, size_t bytes)
{
	const char *last = "";

	for (size_t i = 0; i < FILES; i++)
		if (strstr(files[i].name, part) && strcmp(files[i].name, name) < 0 &&
			strcmp(files[i].name, last) > 0)
			last = files[i].name;
	snprintf(out, bytes, "%s", last);
	return *last;
}

static bool file_next_place(void)
{
	return ++place < places;
}

static const struct storage calls = { .get = get,
	.set = set,
	.file_create = file_create,
	.file_append = file_append,
	.file_close = file_close,
	.file_compare = file_compare,
	.file_read = file_read,
	.file_delete = file_delete,
	.file_before = file_before,
	.file_next_place = file_next_place };

static inline unsigned count(const struct item *in, size_t n)
{
	unsigned used = 0;

	for (size_t i = 0; i < n; i++)
		used += in[i].name[0] != 0;
	return used;
}

static inline void empty(struct item *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set_item(&in[i], "", NULL, 0);
}

/* --- a result --- */

#define NAME "20260101T000000Z-bare.ndjson"

static char *text;
static size_t text_bytes, packed_bytes;
static unsigned char packed[STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK];

static inline void make_result(void)
{
	size_t work_bytes;
	void *work;

	text_bytes = 60000;
	text = malloc(text_bytes);
	for (size_t i = 0; i < text_bytes; i++)
		text[i] = (char)('a' + rand() % 3);
	work_bytes = pack_work(text_bytes);
	work = malloc(work_bytes);
	packed_bytes = pack(text, text_bytes, packed, sizeof packed, work, work_bytes);
	free(work);
	assert_true(packed_bytes > 2 * STORED_RESULT_CHUNK);
}

static inline void drop_result(void)
{
	empty(variables, VARIABLES);
	empty(files, FILES);
	free(text);
}

/* One start of the machine: does `what` until the power fails after `steps`. true: it did not. */
static inline bool run_for(unsigned steps, void (*what)(void))
{
	writes_refused_after = -1U;
	steps_left = steps;
	if (setjmp(power_cut))
		return false;
	what();
	return true;
}

static inline void write_result(void)
{
	store_write(&calls, NAME, packed, packed_bytes);
}

static unsigned char chunks[STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK];
static char out[65536];
static enum harvest last;
static struct harvested found = { .packed = chunks, .text = out, .text_most = sizeof out };

static inline void harvest_result(void)
{
	last = harvest(&calls, NULL, &found);
}

static inline void assert_harvested(bool was_committed)
{
	assert_int_equal(count(variables, VARIABLES), 0);
	assert_int_equal(count(files, FILES), was_committed ? 1 : 0);
	if (was_committed) {
		struct item *t = find_item(files, FILES, NAME);

		assert_non_null(t);
		assert_int_equal(t->n, text_bytes);
		assert_memory_equal(t->data, text, text_bytes);
	}
}

#endif
