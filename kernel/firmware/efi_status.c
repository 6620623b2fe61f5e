/* SPDX-License-Identifier: MIT */
#include "kernel/firmware/efi_status.h"

#include "lib/text.h"

static const char *const errors[] = {
	[1] = "load error",
	[2] = "invalid parameter",
	[3] = "not supported",
	[4] = "bad buffer size",
	[5] = "buffer too small",
	[6] = "not ready",
	[7] = "device error",
	[8] = "write-protected",
	[9] = "out of resources",
	[10] = "volume corrupted",
	[11] = "volume full",
	[12] = "no medium",
	[13] = "medium changed",
	[14] = "not found",
	[15] = "access denied",
	[16] = "no response",
	[17] = "no mapping",
	[18] = "time-out",
	[19] = "not started",
	[20] = "already started",
	[21] = "aborted",
	[26] = "security violation",
	[27] = "CRC error",
	[31] = "end of file",
	[35] = "HTTP error",
};

const char *efi_status_text(uint64_t status)
{
	static char text[32];
	uint64_t code = status & ~EFI_STATUS_ERROR;

	if (status == 0)
		return "success";
	if (status == EFI_STATUS_FAULTED)
		return "its code faulted";
	if (status == EFI_STATUS_NOT_CALLED)
		return "it is not called again after what it did";
	if ((status & EFI_STATUS_ERROR) && code < sizeof errors / sizeof *errors && errors[code])
		return errors[code];
	text_format(text, sizeof text, "status %llx", (unsigned long long)status);
	return text;
}
