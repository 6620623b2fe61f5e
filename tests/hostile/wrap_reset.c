/* SPDX-License-Identifier: MIT */
/* ResetSystem. */
#include "tests/hostile/hostile_efi.h"

static EFI_STATUS EFIAPI reset_returns(EFI_RESET_TYPE type, EFI_STATUS status, UINTN n,
	CHAR16 *data)
{
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI reset_faults(EFI_RESET_TYPE type, EFI_STATUS status, UINTN n, CHAR16 *data)
{
	__asm__ volatile("ud2");
	return EFI_UNSUPPORTED;
}

static void begin_returns(uint64_t n)
{
	given.runtime.ResetSystem = reset_returns;
}

static void begin_faults(uint64_t n)
{
	given.runtime.ResetSystem = reset_faults;
}

const struct firmware_misbehaviour reset_misbehaviours[] = {
	{ "reset-returns", 0, begin_returns },
	{ "reset-faults", 0, begin_faults },
	{ 0 },
};
