/* SPDX-License-Identifier: MIT */
/* The status codes of the firmware's calls (UEFI 2.10, appendix D). */
#ifndef KERNEL_FIRMWARE_EFI_STATUS_H
#define KERNEL_FIRMWARE_EFI_STATUS_H

#include <stdint.h>

#define EFI_STATUS_ERROR            0x8000000000000000ULL
#define EFI_STATUS_BUFFER_TOO_SMALL (EFI_STATUS_ERROR | 5)
#define EFI_STATUS_NOT_FOUND        (EFI_STATUS_ERROR | 14)
/* Our own, from the range for vendors: kernel/firmware/firmware_calls.h. */
#define EFI_STATUS_FAULTED    (EFI_STATUS_ERROR | 0x4000000000000001ULL)
#define EFI_STATUS_NOT_CALLED (EFI_STATUS_ERROR | 0x4000000000000002ULL)

/* The status in words, "volume full"; without words, "status 1234", valid until the next call. */
const char *efi_status_text(uint64_t status);

#endif
