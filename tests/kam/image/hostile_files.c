/* SPDX-License-Identifier: MIT */
/* The boot volume. Counts are of writes since the start. */
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/hostile.h"

#define MS     1000000ull
#define SECOND (1000 * MS)

static efi_service_fn *write_before, *flush_before, *open_before;
static uint64_t number, writes;
static unsigned replaced;

static uint64_t write_short(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	uint64_t *bytes = efi_number(w, a[1]);

	if (*bytes > number)
		*bytes = number;
	return write_before(w, a);
}

static uint64_t write_fails(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return writes++ < number ? write_before(w, a) : EFI_DEVICE_ERROR;
}

static uint64_t write_slow(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_pass_time(w, number * MS);
	return write_before(w, a);
}

static uint64_t flush_slow(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_pass_time(w, number * MS);
	return flush_before(w, a);
}

static uint64_t write_refused(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return writes++ < number ? write_before(w, a) : EFI_WRITE_PROTECTED;
}

static uint64_t open_to_read(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return writes >= number && (a[3] & EFI_FILE_MODE_WRITE) ? EFI_WRITE_PROTECTED
								: open_before(w, a);
}

static uint64_t write_gone(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return writes++ < number ? write_before(w, a) : EFI_NO_MEDIA;
}

static uint64_t open_gone(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return writes >= number ? EFI_NO_MEDIA : open_before(w, a);
}

static uint64_t write_cut(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_pass_time(w, SECOND);
	if (writes++ < number)
		return write_before(w, a);
	system_end(w, "power cut");
	return EFI_DEVICE_ERROR;
}

static uint64_t open_slow(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_pass_time(w, SECOND);
	return open_before(w, a);
}

static void replace(struct full_system *w, uint64_t n, efi_service_fn *write, efi_service_fn *flush,
	efi_service_fn *open)
{
	hostile_alone(w, &replaced, "files");
	number = n;
	writes = 0;
	write_before = efi_replace(w, EFI_FILES, offsetof(EFI_FILE, Write), write);
	if (flush)
		flush_before = efi_replace(w, EFI_FILES, offsetof(EFI_FILE, Flush), flush);
	if (open)
		open_before = efi_replace(w, EFI_FILES, offsetof(EFI_FILE, Open), open);
}

static void make_short(struct full_system *w, uint64_t n)
{
	replace(w, n, write_short, NULL, NULL);
}

static void make_fail(struct full_system *w, uint64_t n)
{
	replace(w, n, write_fails, NULL, NULL);
}

static void make_slow(struct full_system *w, uint64_t n)
{
	replace(w, n, write_slow, flush_slow, NULL);
}

static void cut(struct full_system *w, uint64_t n)
{
	if (!w->kept.starts)
		replace(w, n, write_cut, NULL, open_slow);
}

static void protect(struct full_system *w, uint64_t n)
{
	replace(w, n, write_refused, NULL, open_to_read);
}

static void pull(struct full_system *w, uint64_t n)
{
	replace(w, n, write_gone, NULL, open_gone);
}

const struct misbehaviour hostile_files[] = {
	{ "file-short-write", make_short, 100 },
	{ "file-fails", make_fail, 10 },
	{ "file-cut", cut, 2 },
	{ "file-slow", make_slow, 65 },
	{ "file-read-only", protect, 0 },
	{ "file-vanishes", pull, 10 },
	{ 0 },
};
