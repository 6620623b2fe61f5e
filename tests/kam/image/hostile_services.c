/* SPDX-License-Identifier: MIT */
/* Services before the exit, and the reset. */
#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/hostile.h"

static uint64_t refusals;
static efi_service_fn *exit_before;

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

	s->ConOut = NULL;
	s->ConsoleOutHandle = NULL;
}

/* --- Stall --- */

#define STALLS_LATE 3 /* of so many in a row one is as short as was asked for */

static efi_service_fn *stall_before;
static uint64_t stalls, late_us;

static uint64_t stall_late(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (stalls++ % STALLS_LATE)
		system_pass_time(w, late_us * 1000);
	return stall_before(w, a);
}

static void make_stall_late(struct full_system *w, uint64_t n)
{
	stalls = 0;
	late_us = n;
	stall_before = efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, Stall), stall_late);
}

/* --- resets --- */

static void replace_reset(struct full_system *w, efi_service_fn *does)
{
	/* what is tried before it does nothing */
	system_add_port(w, (struct port_range){ ACPI_RESET_PORT, ACPI_RESET_PORT, NULL, NULL });
	system_add_port(w, (struct port_range){ CHIPSET_PORT, CHIPSET_PORT, NULL, NULL });
	efi_replace(w, EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, ResetSystem), does);
}

static uint64_t reset_returns(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_progress(w);
	return EFI_SUCCESS;
}

static void return_from_reset(struct full_system *w, uint64_t n)
{
	replace_reset(w, reset_returns);
}

/* Fault at a non-canonical address, which no page table can map. */
static uint64_t reset_faults(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	system_raise(w, GENERAL_PROTECTION, 0);
	return EFI_SUCCESS;
}

static void fault_in_reset(struct full_system *w, uint64_t n)
{
	replace_reset(w, reset_faults);
}

const struct misbehaviour hostile_services[] = {
	{ "exit-refused", refuse_exit, 3 },
	{ "conout-none", take_console, 0 },
	{ "stall-late", make_stall_late, 2000 },
	{ "reset-returns", return_from_reset, 0 },
	{ "reset-faults", fault_in_reset, 0 },
	{ 0 },
};
