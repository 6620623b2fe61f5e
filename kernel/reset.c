/* SPDX-License-Identifier: MIT */
/*
 * Resetting the machine and switching it off. No single way works everywhere, so several are tried
 * one after the other, each announced on the console and given RESET_SECONDS (before the TSC's rate
 * is known, a second is taken for 5e9 ticks): the ACPI reset register where the FADT has one: what
 * Windows and Linux use port cf9h where there is PCI: 2 (a full reset), then 6 (now); Intel, AMD
 * the firmware, cold, warm ResetSystem; faults on some machines, returns on others the keyboard
 * controller command feh at port 64h a triple fault the processor shuts down, and chipsets reset
 * then On a hardware-reduced machine (FADT) the firmware comes first, as in Linux: such machines
 * need not have the others. Caches are not written back before: data that must survive is in flash
 * or on the stick by then. After ExitBootServices the firmware is called under a guard
 * (kernel/firmware/firmware_calls.h).
 */
#include "kernel/reset.h"

#include "kernel/console/console.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/x86.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/firmware_calls.h"
#include "kernel/journal.h"

enum reset_step {
	RESET_BY_REGISTER,
	RESET_BY_CF9,
	RESET_BY_FIRMWARE_COLD,
	RESET_BY_FIRMWARE_WARM,
	RESET_BY_KEYBOARD,
	RESET_BY_TRIPLE_FAULT,
	RESET_STEPS
};

#define RESET_SECONDS 1

#define FASTEST_TSC 5000000000ULL

#define PCI_ADDRESS 0xcf8
#define PCI_DATA    0xcfc
#define PCI_ENABLED 0x80000000U

#define RESET_CONTROL      0xcf9 /* Intel's chipsets, "Reset Control Register" (CF9h) */
#define RESET_CONTROL_FULL 0x02  /* with the platform */
#define RESET_CONTROL_NOW  0x06

#define KEYBOARD_STATUS   0x64 /* and its commands */
#define KEYBOARD_BUSY     0x02
#define KEYBOARD_RESET    0xfe /* pulses the processor's reset line */
#define KEYBOARD_PATIENCE 0x10000

static struct fadt_reset acpi;

void reset_open(const struct machine *m)
{
	acpi = fadt_reset(m->rsdp);
}

void halt_forever(void)
{
	cli();
	for (;;)
		halt();
}

static void wait(double seconds)
{
	uint64_t second = tsc_per_second ? tsc_per_second : FASTEST_TSC;
	uint64_t since = rdtsc(), ticks = (uint64_t)(seconds * (double)second);

	while (rdtsc() - since < ticks)
		pause();
}

static void write_register(void)
{
	switch (acpi.space) {
	case RESET_PORT:
		out8((uint16_t)acpi.address, acpi.value);
		break;
	case RESET_PCI:
		out32(PCI_ADDRESS, (uint32_t)acpi.address & ~3U);
		out8(PCI_DATA + (acpi.address & 3), acpi.value);
		break;
	case RESET_MEMORY:
		firmware_write8(acpi.address, acpi.value);
		break;
	}
}

static void write_cf9(void)
{
	uint8_t other = in8(RESET_CONTROL) & (uint8_t)~RESET_CONTROL_NOW;

	out8(RESET_CONTROL, other | RESET_CONTROL_FULL);
	wait(50e-6); /* as in Linux */
	out8(RESET_CONTROL, other | RESET_CONTROL_NOW);
}

static void ask_firmware_cold(void)
{
	firmware_reset(RESET_COLD);
}

static void ask_firmware_warm(void)
{
	firmware_reset(RESET_WARM);
}

static void pulse_by_keyboard(void)
{
	for (unsigned i = 0; i < KEYBOARD_PATIENCE && (in8(KEYBOARD_STATUS) & KEYBOARD_BUSY); i++)
		pause();
	out8(KEYBOARD_STATUS, KEYBOARD_RESET);
}

/* Triple fault: an exception without an IDT is a double fault, which becomes a triple fault. */
static void fault_three_times(void)
{
	const struct table_register none = { 0, 0 };

	load_idt(&none);
	__asm__ volatile("int3");
}

static const struct {
	const char *by;
	void (*act)(void);
} steps[RESET_STEPS] = {
	[RESET_BY_REGISTER] = { "the ACPI reset register", write_register },
	[RESET_BY_CF9] = { "port cf9h", write_cf9 },
	[RESET_BY_FIRMWARE_COLD] = { "the firmware, cold", ask_firmware_cold },
	[RESET_BY_FIRMWARE_WARM] = { "the firmware, warm", ask_firmware_warm },
	[RESET_BY_KEYBOARD] = { "the keyboard controller", pulse_by_keyboard },
	[RESET_BY_TRIPLE_FAULT] = { "a triple fault", fault_three_times },
};

/*
 * Write the steps for a machine, in order; pci: it has configuration mechanism 1. Returns how many.
 */
static unsigned reset_order(const struct fadt_reset *r, bool pci,
	enum reset_step order[RESET_STEPS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2 && r->hardware_reduced; i++)
		order[n++] = RESET_BY_FIRMWARE_COLD + i;
	if (r->register_present)
		order[n++] = RESET_BY_REGISTER;
	if (pci)
		order[n++] = RESET_BY_CF9;
	for (unsigned i = 0; i < 2 && !r->hardware_reduced; i++)
		order[n++] = RESET_BY_FIRMWARE_COLD + i;
	order[n++] = RESET_BY_KEYBOARD;
	order[n++] = RESET_BY_TRIPLE_FAULT;
	return n;
}

/*
 * Returns true if the machine has PCI. Port cf9h belongs to this register only for accesses of four
 * bytes.
 */
static bool has_pci(void)
{
	uint32_t before = in32(PCI_ADDRESS), now;

	out32(PCI_ADDRESS, PCI_ENABLED);
	now = in32(PCI_ADDRESS);
	out32(PCI_ADDRESS, before);
	return now == PCI_ENABLED;
}

static void climb(void)
{
	enum reset_step order[RESET_STEPS];
	unsigned n = reset_order(&acpi, has_pci(), order);

	for (unsigned i = 0; i < n; i++) {
		console_printf("resetting by %s\n", steps[order[i]].by);
		steps[order[i]].act();
		wait(RESET_SECONDS);
	}
}

void reset_machine(enum reset_kind kind)
{
	steps_end();
	if (kind == RESET_SHUTDOWN) {
		console_printf("switching off by the firmware\n");
		firmware_reset(RESET_SHUTDOWN);
	} else {
		climb();
	}
	console_printf("nothing %s: switch it off by hand\n",
		kind == RESET_SHUTDOWN ? "switches this machine off" : "resets this machine");
	halt_forever();
}
