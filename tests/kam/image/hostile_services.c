/* SPDX-License-Identifier: MIT */
/* Services before the exit, and the reset. */
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/hostile.h"

static uint64_t refusals;
static efi_service_fn *exit_before, *reset_before;

static uint64_t exit_refused(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (!refusals)
		return exit_before(w, a);
	refusals--;
	w->map.key++;
	return EFI_INVALID_PARAMETER;
}

static void refuse_exit(struct full_system *w, uint64_t n)
{
	refusals = n;
	w->exits = 1; /* the machine's own refusal is one of these */
	exit_before = efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, ExitBootServices),
		exit_refused);
}

static void take_console(struct full_system *w, uint64_t n)
{
	EFI_SYSTEM_TABLE *s = ram_at(&w->ram, EFI_SYSTEM, sizeof(*s));

	(void)n;
	s->ConOut = NULL;
	s->ConsoleOutHandle = NULL;
}

/* --- resets --- */

static void replace_reset(struct full_system *w, efi_service_fn *does)
{
	reset_before =
		efi_replace(w, EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, ResetSystem), does);
}

static uint64_t reset_returns(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	(void)a;
	system_progress(w);
	return EFI_SUCCESS;
}

static void return_from_reset(struct full_system *w, uint64_t n)
{
	(void)n;
	replace_reset(w, reset_returns);
}

/* An address that nobody maps. */
#define NOWHERE 0x700000000000ull

static uint64_t reset_faults(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return system_touch(w, NOWHERE, TO_READ) ? reset_before(w, a) : EFI_SUCCESS;
}

static void fault_in_reset(struct full_system *w, uint64_t n)
{
	(void)n;
	replace_reset(w, reset_faults);
}

/* --- processors --- */

/* There are none in this machine at all. */
static void no_mp_services(struct full_system *w, uint64_t n)
{
	(void)w;
	(void)n;
}

const struct misbehaviour hostile_services[] = {
	{ "exit-refused", refuse_exit, 3 },
	{ "conout-none", take_console, 0 },
	{ "reset-returns", return_from_reset, 0 },
	{ "reset-faults", fault_in_reset, 0 },
	{ "mp-absent", no_mp_services, 0 },
	{ 0 },
};
