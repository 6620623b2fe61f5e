/* SPDX-License-Identifier: MIT */
#ifndef EFI_CONFIG_FILE_H
#define EFI_CONFIG_FILE_H

#include "efi/firmware.h"

/* The configuration table of that GUID, or NULL. */
void *table_find(const EFI_GUID *);

#endif
