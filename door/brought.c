/* SPDX-License-Identifier: MIT */
/*
 * Files and variables in memory (lib/way_back.h), which the Linux that is started at the end reads.
 * Without one there is no place for them. Statuses are UEFI's (2.10, appendix D).
 */
#include <string.h>

#include "door/door.h"

#define ERROR(n)  (1ULL << 63 | (n))
#define TOO_SMALL ERROR(5)
#define FULL      ERROR(11)
#define NOT_FOUND ERROR(14)

#define NAME 56

static struct brought_file *open_file; /* NULL: none */

static unsigned char *first(void)
{
	return (unsigned char *)(given.way->results + sizeof(struct setup_node));
}

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~7ULL;
}

static char *text_of(struct brought_file *f)
{
	return (char *)(f + 1);
}

/* Returns the file, or NULL; name NULL: the end of all files. */
static struct brought_file *find(const char *name)
{
	unsigned char *at = first(), *end = at + given.way->used;

	while (at < end) {
		struct brought_file *f = (void *)at;

		if (name && !strcmp(f->name, name))
			return f;
		at += sizeof *f + padded(f->bytes);
	}
	return name ? NULL : (void *)end;
}

static uint64_t file_delete(const char *name)
{
	struct brought_file *f = find(name);

	if (!f)
		return NOT_FOUND;
	f->name[0] = 0;
	return 0;
}

static uint64_t space(void)
{
	return given.way->most - sizeof(struct setup_node) - given.way->used;
}

static uint64_t file_create(const char *name)
{
	if (strlen(name) >= NAME || space() < sizeof *open_file)
		return FULL;
	file_delete(name);
	open_file = find(NULL);
	memset(open_file, 0, sizeof *open_file);
	memcpy(open_file->name, name, strlen(name));
	given.way->used += sizeof *open_file;
	return 0;
}

static uint64_t file_append(const void *data, size_t n)
{
	uint64_t more = padded(open_file->bytes + n) - padded(open_file->bytes);

	if (more > space())
		return FULL;
	memcpy(text_of(open_file) + open_file->bytes, data, n);
	open_file->bytes += n;
	given.way->used += more;
	return 0;
}

static uint64_t file_close(void)
{
	open_file = NULL;
	return 0;
}

static uint64_t file_compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	struct brought_file *f = find(name);

	*match = FILE_OTHER;
	if (f && f->bytes <= n && !memcmp(text_of(f), data, f->bytes))
		*match = f->bytes == n ? FILE_SAME : FILE_BEGINNING;
	return 0;
}

static uint64_t file_read(const char *name, void *data, size_t *n)
{
	struct brought_file *f = find(name);

	if (!f)
		return NOT_FOUND;
	*n = f->bytes < *n ? f->bytes : *n;
	memcpy(data, text_of(f), *n);
	return 0;
}

static bool file_exists(const char *name)
{
	return find(name);
}

static bool file_before(const char *name, const char *part, char *out, size_t bytes)
{
	return false; /* there is no earlier start's */
}

static bool no_other_place(void)
{
	return false;
}

/* A variable: its name, its bytes, its data; then the next one. They end with an empty name. */
struct note {
	char name[24];
	uint64_t bytes;
};

static unsigned char *notes;

static struct note *note_find(const char *name)
{
	unsigned char *at = notes;

	while (at < notes + WAY_BACK_NOTES - sizeof(struct note)) {
		struct note *n = (void *)at;

		if (!n->name[0] || !strcmp(n->name, name))
			return n;
		at += sizeof *n + padded(n->bytes);
	}
	return NULL;
}

static uint64_t variable_get(const char *name, void *data, size_t *n)
{
	struct note *note = note_find(name);
	size_t most = *n;

	if (!note || !note->name[0])
		return NOT_FOUND;
	*n = note->bytes;
	if (note->bytes > most)
		return TOO_SMALL;
	memcpy(data, note + 1, note->bytes);
	return 0;
}

static uint64_t variable_set(const char *name, const void *data, size_t n)
{
	struct note *note = note_find(name), *end;
	unsigned char *all_end = notes + WAY_BACK_NOTES;

	if (note && note->name[0]) { /* the others move up */
		unsigned char *next = (unsigned char *)(note + 1) + padded(note->bytes);
		size_t gone = (size_t)(next - (unsigned char *)note);

		memmove(note, next, (size_t)(all_end - next));
		memset(all_end - gone, 0, gone);
	} else if (!n) {
		return NOT_FOUND;
	}
	end = note_find("");
	if (!n)
		return 0;
	if (!end || strlen(name) >= sizeof end->name ||
		(unsigned char *)(end + 2) + padded(n) > all_end)
		return FULL;
	memcpy(end->name, name, strlen(name));
	end->bytes = n;
	memcpy(end + 1, data, n);
	return 0;
}

#define STATE "AnechoicState" /* the file \anechoic.state */

static uint64_t state_read(void *data, size_t *n)
{
	return variable_get(STATE, data, n);
}

static uint64_t state_write(const void *data, size_t n)
{
	return variable_set(STATE, data, n);
}

static void query(struct variable_store *s)
{
}

static const char nobody[] = "nothing on this machine takes a file from a start by Linux's boot "
			     "protocol";

void brought_open(struct machine *m)
{
	static unsigned char lost[WAY_BACK_NOTES] __attribute__((aligned(8)));

	notes = given.way ? given.way->notes : lost;
	m->file_absent = m->boot_volume_absent = m->store.why_not = nobody;
	m->file_next_place = m->file_look_again = no_other_place;
	m->store_query = query;
	m->variable_get = variable_get;
	m->variable_set = variable_set;
	m->state_read = state_read;
	m->state_write = state_write;
	m->file_before = file_before;
	if (!given.way)
		return;
	m->file_absent = m->boot_volume_absent = m->store.why_not = NULL;
	m->store = (struct variable_store){ .usable = true, .usable_at_runtime = true };
	m->files_stay = true;
	m->file_create = file_create;
	m->file_append = file_append;
	m->file_close = file_close;
	m->file_compare = file_compare;
	m->file_read = file_read;
	m->file_delete = file_delete;
	m->file_exists = file_exists;
}
