/* SPDX-License-Identifier: MIT */
/*
 * A volume in memory (UEFI 2.10, 13.4 and 13.5): a flat list of paths, each file or directory open
 * once at a time. A handle is the address of a table of services of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/fake_efi.h"

#define FILE_SERVICE(name, does)                                                                   \
	{                                                                                          \
		EFI_FILES, offsetof(EFI_FILE, name), does                                          \
	}

#define HANDLE_BYTES 0x80
#define ROOT         0 /* the handle of the volume's root; file i has 1 + i */

static uint64_t handle_at(unsigned i)
{
	return TABLES_AT + 0x6000 + i * HANDLE_BYTES;
}

static unsigned number_of(uint64_t handle)
{
	unsigned i = (unsigned)((handle - handle_at(0)) / HANDLE_BYTES);

	if (i > EFI_FILES_MOST || handle != handle_at(i))
		fatal("%#lx: no file's handle", handle);
	return i;
}

static struct efi_file *file_of(struct full_system *w, uint64_t handle)
{
	unsigned i = number_of(handle);

	if (i == ROOT || !w->kept.file[i - 1].open)
		fatal("%#lx: not open", handle);
	return &w->kept.file[i - 1];
}

static void read_path(struct full_system *w, uint64_t at, char path[EFI_PATH])
{
	unsigned i = 0;

	do
		path[i] = (char)*(uint16_t *)ram_at(&w->ram, at + 2 * i, 2);
	while (path[i++] && i < EFI_PATH);
	path[EFI_PATH - 1] = 0;
}

/* The file of that path; one that is not there is made where `create` is. NULL: none. */
static struct efi_file *find(struct full_system *w, const char *path, bool create)
{
	struct efi_file *unused = NULL, *f;

	for (f = w->kept.file; f < w->kept.file + EFI_FILES_MOST; f++) {
		if (!strcmp(f->path, path))
			return f;
		if (!*f->path && !unused)
			unused = f;
	}
	if (!create)
		return NULL;
	if (!unused)
		fatal("more than %d files", EFI_FILES_MOST);
	strcpy(unused->path, path);
	return unused;
}

static uint64_t open_volume(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	*(uint64_t *)ram_at(&w->ram, a[1], 8) = handle_at(ROOT);
	return EFI_SUCCESS;
}

static uint64_t open_file(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_file *f;
	char path[EFI_PATH];

	if (number_of(a[0]) != ROOT)
		return EFI_UNSUPPORTED;
	read_path(w, a[2], path);
	f = find(w, path, (a[3] & EFI_FILE_MODE_CREATE) != 0);
	if (!f)
		return EFI_NOT_FOUND;
	if (f->open)
		return EFI_ACCESS_DENIED;
	f->open = true;
	f->position = 0;
	*(uint64_t *)ram_at(&w->ram, a[1], 8) = handle_at(1 + (unsigned)(f - w->kept.file));
	return EFI_SUCCESS;
}

static uint64_t close_file(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_file *f = file_of(w, a[0]);

	f->open = false;
	f->flushed = f->bytes;
	return EFI_SUCCESS;
}

static uint64_t delete_file(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_file *f = file_of(w, a[0]);

	free(f->data);
	*f = (struct efi_file){ .open = false };
	return EFI_SUCCESS;
}

static uint64_t read_file(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_file *f = file_of(w, a[0]);
	uint64_t *bytes = ram_at(&w->ram, a[1], 8), left = f->bytes - f->position;

	if (*bytes > left)
		*bytes = left;
	memcpy(ram_at(&w->ram, a[2], *bytes), f->data + f->position, *bytes);
	f->position += *bytes;
	return EFI_SUCCESS;
}

static uint64_t write_file(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_file *f = file_of(w, a[0]);
	uint64_t bytes = *(uint64_t *)ram_at(&w->ram, a[1], 8);

	if (f->position + bytes > f->bytes) {
		f->bytes = f->position + bytes;
		f->data = realloc(f->data, f->bytes);
		if (!f->data)
			fatal("no memory for a file of %lu bytes", f->bytes);
	}
	memcpy(f->data + f->position, ram_at(&w->ram, a[2], bytes), bytes);
	f->position += bytes;
	system_progress(w);
	return EFI_SUCCESS;
}

static uint64_t flush_file(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_file *f = file_of(w, a[0]);

	f->flushed = f->bytes;
	return EFI_SUCCESS;
}

const struct efi_service efi_file_services[] = {
	{ EFI_VOLUME, 8, open_volume },
	FILE_SERVICE(Open, open_file),
	FILE_SERVICE(Close, close_file),
	FILE_SERVICE(Delete, delete_file),
	FILE_SERVICE(Read, read_file),
	FILE_SERVICE(Write, write_file),
	FILE_SERVICE(Flush, flush_file),
	{ 0 },
};

void efi_files_cut(struct full_system *w)
{
	for (struct efi_file *f = w->kept.file; f < w->kept.file + EFI_FILES_MOST; f++) {
		f->open = false;
		if (f->bytes > f->flushed)
			f->bytes = f->flushed;
	}
}

void efi_files_open(struct full_system *w)
{
	const void *services = ram_at(&w->ram, efi_table_at(EFI_FILES), HANDLE_BYTES);
	unsigned i;

	for (i = 0; i <= EFI_FILES_MOST; i++)
		memcpy(ram_at(&w->ram, handle_at(i), HANDLE_BYTES), services, HANDLE_BYTES);
}
