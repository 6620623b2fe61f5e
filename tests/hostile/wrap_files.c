/* SPDX-License-Identifier: MIT */
/* Files of the boot volume that the image writes. */
#include <string.h>

#include "tests/hostile/hostile_efi.h"

static EFI_GUID file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

/* A file as the image has it. */
struct file {
	EFI_FILE given; /* the first member: the image's pointer */
	EFI_FILE_HANDLE real;
};

static uint64_t writes, limit, longest = UINT64_MAX, pause_ms;
static EFI_STATUS
	broken;   /* what a write answers after `limit` of them; EFI_SUCCESS: nothing else */
static bool gone; /* and reading too */

static EFI_FILE_HANDLE wrap(EFI_FILE_HANDLE);

static EFI_FILE_HANDLE real_of(EFI_FILE_HANDLE f)
{
	return ((struct file *)f)->real;
}

/* Returns the volume's present fault. */
static EFI_STATUS state(void)
{
	return writes >= limit ? broken : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open(EFI_FILE_HANDLE f, EFI_FILE_HANDLE *out, CHAR16 *path, UINT64 mode,
	UINT64 attributes)
{
	if (EFI_ERROR(state()) && (gone || mode != EFI_FILE_MODE_READ))
		return state();
	EFI_STATUS status = real_of(f)->Open(real_of(f), out, path, mode, attributes);
	if (!EFI_ERROR(status))
		*out = wrap(*out);
	return status;
}

static EFI_STATUS EFIAPI close(EFI_FILE_HANDLE f)
{
	EFI_STATUS status = real_of(f)->Close(real_of(f));

	real.boot->FreePool(f);
	return status;
}

static EFI_STATUS EFIAPI delete (EFI_FILE_HANDLE f)
{
	EFI_STATUS status = EFI_WARN_DELETE_FAILURE;

	if (EFI_ERROR(state()))
		real_of(f)->Close(real_of(f));
	else
		status = real_of(f)->Delete(real_of(f));
	real.boot->FreePool(f);
	return status;
}

static EFI_STATUS EFIAPI read(EFI_FILE_HANDLE f, UINTN *n, void *data)
{
	if (gone && EFI_ERROR(state()))
		return state();
	return real_of(f)->Read(real_of(f), n, data);
}

static EFI_STATUS EFIAPI write(EFI_FILE_HANDLE f, UINTN *n, void *data)
{
	if (EFI_ERROR(state()))
		return state();
	writes++;
	pass_milliseconds(pause_ms);
	if (*n > longest)
		*n = longest;
	return real_of(f)->Write(real_of(f), n, data);
}

static EFI_STATUS EFIAPI flush(EFI_FILE_HANDLE f)
{
	if (EFI_ERROR(state()))
		return state();
	pass_milliseconds(pause_ms);
	return real_of(f)->Flush(real_of(f));
}

static EFI_STATUS EFIAPI seek(EFI_FILE_HANDLE f, UINT64 at)
{
	return real_of(f)->SetPosition(real_of(f), at);
}

static EFI_STATUS EFIAPI tell(EFI_FILE_HANDLE f, UINT64 *at)
{
	return real_of(f)->GetPosition(real_of(f), at);
}

static EFI_STATUS EFIAPI info(EFI_FILE_HANDLE f, EFI_GUID *kind, UINTN *n, void *data)
{
	if (gone && EFI_ERROR(state()))
		return state();
	return real_of(f)->GetInfo(real_of(f), kind, n, data);
}

static EFI_STATUS EFIAPI change(EFI_FILE_HANDLE f, EFI_GUID *kind, UINTN n, void *data)
{
	return EFI_ERROR(state()) ? state() : real_of(f)->SetInfo(real_of(f), kind, n, data);
}

static EFI_FILE_HANDLE wrap(EFI_FILE_HANDLE from)
{
	struct file *f = NULL;

	if (EFI_ERROR(real.boot->AllocatePool(EfiBootServicesData, sizeof *f, (void **)&f)))
		return from;
	f->given = (EFI_FILE){ .Revision = EFI_FILE_PROTOCOL_REVISION,
		.Open = open,
		.Close = close,
		.Delete = delete,
		.Read = read,
		.Write = write,
		.GetPosition = tell,
		.SetPosition = seek,
		.GetInfo = info,
		.SetInfo = change,
		.Flush = flush };
	f->real = from;
	return &f->given;
}

static EFI_FILE_IO_INTERFACE *real_volume;

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *volume, EFI_FILE_HANDLE *root)
{
	EFI_STATUS status = real_volume->OpenVolume(real_volume, root);

	if (!EFI_ERROR(status))
		*root = wrap(*root);
	return status;
}

static void *changed(void *interface)
{
	static EFI_FILE_IO_INTERFACE volume;

	if (real_volume && real_volume != interface)
		return interface; /* the boot volume is asked for first; others are well */
	real_volume = interface;
	volume.Revision = real_volume->Revision;
	volume.OpenVolume = open_volume;
	return &volume;
}

static void begin_short(uint64_t n)
{
	longest = n;
	protocol_replace(&file_system, changed);
}

static void begin_slow(uint64_t n)
{
	pause_ms = n;
	measure_tsc();
	protocol_replace(&file_system, changed);
}

static void break_after(uint64_t n, EFI_STATUS how)
{
	limit = n;
	broken = how;
	protocol_replace(&file_system, changed);
}

static void begin_fails(uint64_t n)
{
	break_after(n, EFI_DEVICE_ERROR);
}

static void begin_read_only(uint64_t n)
{
	break_after(n, EFI_WRITE_PROTECTED);
}

static void begin_vanishes(uint64_t n)
{
	gone = true;
	break_after(n, EFI_NO_MEDIA);
}

const struct firmware_misbehaviour file_misbehaviours[] = {
	{ "file-short-write", 100, begin_short },
	{ "file-fails", 10, begin_fails },
	{ "file-slow", 65, begin_slow },
	{ "file-read-only", 0, begin_read_only },
	{ "file-vanishes", 10, begin_vanishes },
	{ 0 },
};
