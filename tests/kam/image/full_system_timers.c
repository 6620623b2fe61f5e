/* SPDX-License-Identifier: MIT */
/*
 * HPET (IA-PC HPET specification 1.0a, 2.3), the ACPI timer (ACPI 6.5, 4.8.3.3), and the registers
 * by which a machine is reset: ACPI's, the chipset's CF9h, the keyboard controller's 64h.
 */
#include "tests/kam/image/acpi_maker.h"

#define HPET_PERIOD_FS 69841279ull /* 14.31818 MHz */
#define HPET_BYTES     4096
#define TIMER_HZ       3579545ull
#define READ_NS        400

enum { KEYBOARD = 0x64, KEYBOARD_RESET = 0xfe, PCI = 0xcf8, CHIPSET_RESET = 6 };

static uint64_t count_at(struct full_system *w, double hz)
{
	return (uint64_t)((double)system_tsc(w) / (double)w->cpu->tsc_hz * hz);
}

static uint64_t hpet_register(struct full_system *w, uint64_t offset)
{
	switch (offset) {
	case 0:
		return HPET_PERIOD_FS << 32 | 0x8086a201;
	case HPET_PERIOD:
		return HPET_PERIOD_FS;
	case HPET_CONTROL:
		return 1;
	case HPET_COUNT:
		return count_at(w, 1e15 / HPET_PERIOD_FS);
	}
	return 0;
}

static uint64_t hpet_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *priv)
{
	struct full_system *w = priv;

	system_pass_time(w, READ_NS);
	return w->hpet_read(w, offset);
}

static void hpet_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *priv)
{
}

static uint32_t timer_read(struct full_system *w, uint32_t port)
{
	system_pass_time(w, READ_NS);
	return (uint32_t)count_at(w, (double)TIMER_HZ);
}

static void acpi_reset(struct full_system *w, uint32_t port, uint32_t value)
{
	if (value == ACPI_RESET_VALUE)
		system_end(w, "reset by ACPI's register");
}

static void chipset_reset(struct full_system *w, uint32_t port, uint32_t value)
{
	if ((value & CHIPSET_RESET) == CHIPSET_RESET)
		system_end(w, "reset by CF9h");
}

static void keyboard_reset(struct full_system *w, uint32_t port, uint32_t value)
{
	if (value == KEYBOARD_RESET)
		system_end(w, "reset by 64h");
}

/* Configuration mechanism 1 is there; devices are not. */
static uint32_t pci_address_in(struct full_system *w, uint32_t port)
{
	return w->ports.pci_address;
}

static void pci_address_out(struct full_system *w, uint32_t port, uint32_t value)
{
	w->ports.pci_address = value;
}

static uint32_t keyboard_ready(struct full_system *w, uint32_t port)
{
	return 0;
}

void system_timers_init(struct full_system *w)
{
	w->hpet_read = hpet_register;
	unicorn_check(uc_mmio_map(w->uc, HPET_AT, HPET_BYTES, hpet_read, w, hpet_write, w),
		"mapping the HPET");
	system_add_port(w,
		(struct port_range){ ACPI_TIMER_PORT, ACPI_TIMER_PORT, timer_read, NULL });
	system_add_port(w,
		(struct port_range){ ACPI_RESET_PORT, ACPI_RESET_PORT, NULL, acpi_reset });
	system_add_port(w, (struct port_range){ PCI, PCI, pci_address_in, pci_address_out });
	system_add_port(w,
		(struct port_range){ CHIPSET_PORT, CHIPSET_PORT, keyboard_ready, chipset_reset });
	system_add_port(w,
		(struct port_range){ KEYBOARD, KEYBOARD, keyboard_ready, keyboard_reset });
}
