/* SPDX-License-Identifier: MIT */
/* SetVariable and what stands before and behind it. The store's space: wrap_space.c. */
#include <string.h>

#include "tests/hostile/hostile_efi.h"

#define STEPS_MAX 8

/* One call of SetVariable. */
struct variable_call {
	CHAR16 *name;
	EFI_GUID *vendor;
	UINT32 attributes;
	UINTN bytes;
	void *data;
	EFI_STATUS status; /* the answer, where the call ends before the firmware has it */
};

/* true: the call ends here, with its status. */
typedef bool step(struct variable_call *);

static step *steps[STEPS_MAX];
static unsigned nsteps;
static uint64_t granted, pause_ms, calls;
static EFI_STATUS(EFIAPI *boot_code)(void);

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes,
	UINTN bytes, void *data)
{
	struct variable_call c = { name, vendor, attributes, bytes, data, EFI_SUCCESS };

	for (unsigned i = 0; i < nsteps; i++)
		if (steps[i](&c))
			return c.status;
	return real.runtime->SetVariable(name, vendor, attributes, bytes, data);
}

static void add(step *s)
{
	if (nsteps < STEPS_MAX)
		steps[nsteps++] = s;
	given.runtime.SetVariable = set_variable;
}

static bool refuse(struct variable_call *c)
{
	c->status = EFI_OUT_OF_RESOURCES;
	return given.exited && calls++ >= granted;
}

static bool wait(struct variable_call *c)
{
	if (given.exited)
		pass_milliseconds(pause_ms);
	return false;
}

static bool lie(struct variable_call *c)
{
	return given.exited;
}

static bool write_472(struct variable_call *c)
{
	uintptr_t at = 0x472;

	__asm__("" : "+r"(at)); /* the compiler knows of no object there */
	if (given.exited)
		*(volatile uint16_t *)at = 0x1234;
	return false;
}

static bool run_boot_code(struct variable_call *c)
{
	if (given.exited)
		boot_code();
	return false;
}

/*
 * In the window of PCI devices of 64 bits, where none answers: all ones, and no entry of the map.
 */
static bool read_high(struct variable_call *c)
{
	if (given.exited)
		*(volatile uint64_t *)0xa00000000;
	return false;
}

static bool hang(struct variable_call *c)
{
	if (given.exited)
		hang_in("SetVariable");
	return false;
}

static bool fault(struct variable_call *c)
{
	if (given.exited && calls++ >= granted)
		__asm__ volatile("ud2");
	return false;
}

static bool is_boot_next(const struct variable_call *c)
{
	return same_text(c->name, L"BootNext") && c->bytes == sizeof(UINT16);
}

static bool drop_boot_next(struct variable_call *c)
{
	return is_boot_next(c);
}

static void begin_refuses(uint64_t n)
{
	granted = n;
	add(refuse);
}

static void begin_slow(uint64_t n)
{
	pause_ms = n;
	measure_tsc();
	add(wait);
}

static void begin_lies(uint64_t n)
{
	add(lie);
}

static void begin_writes_472(uint64_t n)
{
	add(write_472);
}

static void begin_runs_boot_code(uint64_t n)
{
	static const unsigned char code[] = { 0x31, 0xc0, 0xc3 }; /* xor eax, eax; ret */
	void *page = pages_of(EfiBootServicesCode, 1);

	if (!page)
		return;
	memcpy(page, code, sizeof code);
	boot_code = (EFI_STATUS(EFIAPI *)(void))(uintptr_t)page;
	add(run_boot_code);
}

static void begin_reads_high(uint64_t n)
{
	add(read_high);
}

static void begin_hangs(uint64_t n)
{
	add(hang);
}

static void begin_faults(uint64_t n)
{
	granted = n;
	add(fault);
}

static void begin_ignored(uint64_t n)
{
	add(drop_boot_next);
}

static UINT16 other_number;

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
	UINTN *bytes, void *data)
{
	EFI_STATUS status = real.runtime->GetVariable(name, vendor, attributes, bytes, data);

	if (!EFI_ERROR(status) && same_text(name, L"BootCurrent"))
		memcpy(data, &other_number, sizeof other_number);
	return status;
}

static void begin_renumbered(uint64_t n)
{
	other_number = (UINT16)n;
	given.runtime.GetVariable = get_variable;
}

const struct firmware_misbehaviour variable_misbehaviours[] = {
	{ "setvar-refuses", 0, begin_refuses },
	{ "setvar-slow", 200, begin_slow },
	{ "setvar-lies", 0, begin_lies },
	{ "setvar-writes-472", 0, begin_writes_472 },
	{ "setvar-runs-boot-code", 0, begin_runs_boot_code },
	{ "setvar-reads-high", 0, begin_reads_high },
	{ "setvar-faults", 0, begin_faults },
	{ "setvar-hangs", 0, begin_hangs },
	{ "bootnext-ignored", 0, begin_ignored },
	{ "boot-renumbered", 1, begin_renumbered },
	{ 0 },
};
