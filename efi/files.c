/* SPDX-License-Identifier: MIT */
/*
 * Files, by the firmware: those in \results\ are at the place that efi/places.c found. On the boot
 * volume all of them are in this program's home: the folder that the image lies in, if the
 * configuration lies beside it (`anechoic boot` puts both into \EFI\anechoic\), else the root.
 */
#include "efi/firmware.h"

#include <string.h>

#include "lib/boot_option.h"

#define CONFIGURATION "\\anechoic.cfg"
#define HOME_FOLDER   64 /* bytes of its name at most: with a longer one, the home is the root */
#define PATH          192
#define WRITE         (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)
#define PART          (64 * 1024) /* bytes of a call: some drivers for sticks fail on more */

static char home[HOME_FOLDER];      /* "": the root */
static EFI_FILE_HANDLE home_volume; /* which it is on */

static EFI_FILE_HANDLE root;   /* of the volume whose \results\ is used; NULL: of none */
static EFI_FILE_HANDLE result; /* the one being written */
static EFI_STATUS refused;     /* files_refused */

void image_folder_find(struct machine *m, EFI_FILE_HANDLE boot_root)
{
	CHAR16 path[HOME_FOLDER + sizeof CONFIGURATION];
	char beside[HOME_FOLDER];
	EFI_FILE_HANDLE file;

	m->home_folder = home;
	if (!boot_root || !fw.loaded->FilePath ||
		!device_path_folder(fw.loaded->FilePath, PATH_MOST, beside, sizeof beside))
		return;
	home_volume = boot_root;
	text_widen(path, sizeof path / sizeof *path, beside);
	text_widen(path + strlen(beside), sizeof CONFIGURATION, CONFIGURATION);
	if (EFI_ERROR(boot_root->Open(boot_root, &file, path, EFI_FILE_MODE_READ, 0)))
		return;
	file->Close(file);
	memcpy(home, beside, sizeof beside);
}

/* A status of a call that writes; one that blames the device is remembered. */
static EFI_STATUS written(EFI_STATUS status)
{
	if (status == EFI_WRITE_PROTECTED || status == EFI_DEVICE_ERROR ||
		status == EFI_VOLUME_CORRUPTED || status == EFI_NO_MEDIA ||
		status == EFI_MEDIA_CHANGED)
		refused = status;
	return status;
}

EFI_STATUS files_refused(void)
{
	return refused;
}

EFI_STATUS file_open_on(EFI_FILE_HANDLE volume, const char *path, UINT64 mode, UINT64 attributes,
	EFI_FILE_HANDLE *out)
{
	CHAR16 wide[PATH];

	if (!volume)
		return EFI_UNSUPPORTED;
	const char *folder = volume == home_volume ? home : "";

	text_widen(wide, PATH, folder);
	text_widen(wide + strlen(folder), PATH - strlen(folder), path);
	EFI_STATUS status = volume->Open(volume, out, wide, mode, attributes);
	return mode & EFI_FILE_MODE_WRITE ? written(status) : status;
}

static EFI_STATUS open_result(const char *name, UINT64 mode, EFI_FILE_HANDLE *out)
{
	char path[PATH] = "\\results\\";
	size_t used = *name == '\\' ? 0 : strlen(path), n = strlen(name);

	if (used + n >= PATH - HOME_FOLDER)
		return EFI_INVALID_PARAMETER;
	memcpy(path + used, name, n + 1);
	return file_open_on(root, path, mode, 0, out);
}

static uint64_t delete (const char *name)
{
	EFI_FILE_HANDLE file;

	EFI_STATUS status = open_result(name, WRITE, &file);
	if (EFI_ERROR(status))
		return status;
	status = file->Delete(file);
	return status == EFI_SUCCESS ? status : EFI_WRITE_PROTECTED; /* a warning: no error bit */
}

/* EFI_FILE_MODE_CREATE does not truncate an existing file, so that is deleted first. */
static uint64_t create(const char *name)
{
	if (result)
		return EFI_ALREADY_STARTED;
	if (delete (name) == EFI_WRITE_PROTECTED)
		return EFI_WRITE_PROTECTED;
	return open_result(name, WRITE | EFI_FILE_MODE_CREATE, &result);
}

static uint64_t append(const void *data, size_t n)
{
	const unsigned char *from = data;

	if (!result)
		return EFI_NOT_STARTED;
	while (n) {
		UINTN part = n < PART ? n : PART;
		EFI_STATUS status = written(result->Write(result, &part, (void *)from));
		if (EFI_ERROR(status))
			return status;
		if (!part)
			return EFI_VOLUME_FULL;
		from += part;
		n -= part;
	}
	return written(result->Flush(result));
}

static uint64_t close(void)
{
	if (!result)
		return EFI_NOT_STARTED;
	EFI_STATUS status = result->Close(result);
	result = NULL;
	return status;
}

static uint64_t compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	static unsigned char buffer[16 * 1024];
	const unsigned char *expect = data;
	EFI_FILE_HANDLE file;
	size_t at = 0;

	*match = FILE_OTHER;
	EFI_STATUS status = open_result(name, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	for (;;) {
		UINTN part = sizeof(buffer);
		status = file->Read(file, &part, buffer);
		if (EFI_ERROR(status) || part > n - at || memcmp(buffer, expect + at, part))
			break;
		at += part;
		if (!part) {
			*match = at == n ? FILE_SAME : FILE_BEGINNING;
			break;
		}
	}
	file->Close(file);
	return status;
}

static uint64_t read(const char *name, void *data, size_t *n)
{
	EFI_FILE_HANDLE file;
	size_t most = *n;

	*n = 0;
	EFI_STATUS status = open_result(name, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	while (*n < most) {
		UINTN part = most - *n < PART ? most - *n : PART;
		status = file->Read(file, &part, (unsigned char *)data + *n);
		if (EFI_ERROR(status) || !part)
			break;
		*n += part;
	}
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

/* A medium says only when it is written that it cannot be. */
EFI_STATUS files_try(EFI_FILE_HANDLE volume)
{
	static const char name[] = "anechoic.tmp";

	if (result)
		close();
	root = volume;
	EFI_STATUS status = create(name);
	if (!EFI_ERROR(status)) {
		status = append("\n", 1);
		close();
		delete (name);
	}
	if (EFI_ERROR(status))
		root = NULL;
	return status;
}

void files_open(struct machine *m)
{
	m->file_create = create;
	m->file_append = append;
	m->file_close = close;
	m->file_compare = compare;
	m->file_read = read;
	m->file_delete = delete;
	m->file_exists = exists;
	m->file_prefix = "\\results\\";
	m->file_gap = " ";
}
