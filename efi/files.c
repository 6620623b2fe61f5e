/* SPDX-License-Identifier: MIT */
/* Result files in \results\ on the boot volume, written by the firmware. */
#include "efi/loader.h"

#include <string.h>

#define PATH   128
#define WRITE  (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)
#define CREATE (WRITE | EFI_FILE_MODE_CREATE)
#define PART   (64 * 1024) /* bytes of a call: some drivers for sticks fail on more */

static EFI_FILE_HANDLE root;
static EFI_FILE_HANDLE result; /* the one being written */

static EFI_STATUS open_as(const char *path, UINT64 mode, UINT64 attributes, EFI_FILE_HANDLE *out)
{
	CHAR16 wide[PATH];

	if (!root)
		return EFI_UNSUPPORTED;
	text_widen(wide, PATH, path);
	return root->Open(root, out, wide, mode, attributes);
}

EFI_STATUS file_open(const char *path, UINT64 mode, EFI_FILE_HANDLE *out)
{
	return open_as(path, mode, 0, out);
}

static EFI_STATUS open_result(const char *name, UINT64 mode, EFI_FILE_HANDLE *out)
{
	char path[PATH] = "\\results\\";
	size_t used = strlen(path), n = strlen(name);

	if (used + n >= PATH)
		return EFI_INVALID_PARAMETER;
	memcpy(path + used, name, n + 1);
	return file_open(path, mode, out);
}

/* EFI_FILE_MODE_CREATE does not truncate an existing file, so that is deleted first. */
static uint64_t create(const char *name)
{
	EFI_FILE_HANDLE old;

	if (result)
		return EFI_ALREADY_STARTED;
	if (!EFI_ERROR(open_result(name, WRITE, &old))) {
		EFI_STATUS status = old->Delete(old);
		if (status != EFI_SUCCESS) /* EFI_WARN_DELETE_FAILURE has no error bit */
			return EFI_WRITE_PROTECTED;
	}
	return open_result(name, CREATE, &result);
}

static uint64_t append(const void *data, size_t n)
{
	const unsigned char *from = data;

	if (!result)
		return EFI_NOT_STARTED;
	while (n) {
		UINTN part = n < PART ? n : PART;
		EFI_STATUS status = result->Write(result, &part, (void *)from);
		if (EFI_ERROR(status))
			return status;
		if (!part)
			return EFI_VOLUME_FULL;
		from += part;
		n -= part;
	}
	return result->Flush(result);
}

static uint64_t close(void)
{
	if (!result)
		return EFI_NOT_STARTED;
	EFI_STATUS status = result->Close(result);
	result = NULL;
	return status;
}

static uint64_t compare(const char *name, const void *data, size_t n, bool *same)
{
	static unsigned char buffer[16 * 1024];
	const unsigned char *expect = data;
	EFI_FILE_HANDLE file;
	size_t at = 0;

	*same = false;
	EFI_STATUS status = open_result(name, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	for (;;) {
		UINTN part = sizeof(buffer);
		status = file->Read(file, &part, buffer);
		if (EFI_ERROR(status) || !part)
			break;
		if (part > n - at || memcmp(buffer, expect + at, part))
			break;
		at += part;
		*same = at == n;
	}
	if (!n && !EFI_ERROR(status))
		*same = at == n;
	file->Close(file);
	return status;
}

static bool exists(const char *name)
{
	EFI_FILE_HANDLE file;

	if (EFI_ERROR(open_result(name, EFI_FILE_MODE_READ, &file)))
		return false;
	file->Close(file);
	return true;
}

static const char *absence(EFI_STATUS status)
{
	switch (status) {
	case EFI_SUCCESS:
		return NULL;
	case EFI_WRITE_PROTECTED:
		return "the boot volume is write-protected";
	case EFI_VOLUME_FULL:
		return "the boot volume is full";
	case EFI_UNSUPPORTED:
		return "the boot volume cannot be written";
	default:
		return "\\results cannot be created on the boot volume";
	}
}

void files_open(struct machine *m)
{
	static EFI_GUID file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_FILE_IO_INTERFACE *volume;
	EFI_FILE_HANDLE directory;

	m->file_create = create;
	m->file_append = append;
	m->file_close = close;
	m->file_compare = compare;
	m->file_exists = exists;
	m->file_absent = "the boot device has no file system";
	if (EFI_ERROR(fw.boot->HandleProtocol(fw.loaded->DeviceHandle, &file_system,
		    (void **)&volume)) ||
		EFI_ERROR(volume->OpenVolume(volume, &root))) {
		root = NULL;
		return;
	}
	EFI_STATUS status = open_as("\\results", CREATE, EFI_FILE_DIRECTORY, &directory);
	if (!EFI_ERROR(status))
		directory->Close(directory);
	m->file_absent = absence(status);
}
