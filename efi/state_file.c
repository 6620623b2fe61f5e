/* SPDX-License-Identifier: MIT */
/*
 * \anechoic.state on the boot volume: kernel/steps.h. Opened anew for each call, because the
 * position is 0 then; what is there is overwritten, never truncated or deleted.
 */
#include "efi/loader.h"

#define PATH "\\anechoic.state"

static uint64_t read(void *data, size_t *n)
{
	EFI_FILE_HANDLE file;
	UINTN part = *n;

	EFI_STATUS status = file_open(PATH, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	status = file->Read(file, &part, data);
	*n = part;
	file->Close(file);
	return status;
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
	m->state_read = read;
	m->state_write = write;
}
