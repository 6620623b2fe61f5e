/* SPDX-License-Identifier: MIT */
/*
 * \anechoic.state on the boot volume: kernel/steps.h. It is read before anything is written, and
 * opened anew for each write, because the position is 0 then; what is there is overwritten, never
 * truncated or deleted.
 */
#include "efi/efi_main.h"

#include <string.h>

#define PATH "\\anechoic.state"
#define MOST 1024 /* more than it ever has: a longer file is none of ours */

static unsigned char found[MOST]; /* what the file had at the start, */
static UINTN bytes;
static EFI_STATUS found_status; /* or why it was not read */

static EFI_STATUS read_file(void)
{
	EFI_FILE_HANDLE file;

	EFI_STATUS status = file_open(PATH, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	bytes = MOST;
	status = file->Read(file, &bytes, found);
	file->Close(file);
	return status;
}

static uint64_t read(void *data, size_t *n)
{
	if (EFI_ERROR(found_status))
		return found_status;
	if (*n > bytes)
		*n = bytes;
	memcpy(data, found, *n);
	return EFI_SUCCESS;
}

static uint64_t write(const void *data, size_t n)
{
	EFI_FILE_HANDLE file;
	UINTN part = n;

	EFI_STATUS status = file_open(PATH,
		EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, &file);
	if (EFI_ERROR(status))
		return status;
	status = file->Write(file, &part, (void *)data);
	if (!EFI_ERROR(status) && part < n)
		status = EFI_VOLUME_FULL;
	if (!EFI_ERROR(status))
		status = file->Flush(file);
	file->Close(file);
	return status;
}

void state_file_open(struct machine *m)
{
	found_status = read_file();
	m->state_read = read;
	m->state_write = write;
}
