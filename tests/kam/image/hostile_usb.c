/* SPDX-License-Identifier: MIT */
/*
 * A USB controller (xHCI 1.2, 7.1) that the firmware has: writing to its semaphore enters SMM,
 * which is never left.
 */
#include "tests/kam/image/hostile.h"

#define CONTROLLER 0x8000a000u /* 00:14.0, as CF8h has it */
#define MEMORY_AT  0xfe000000ull
#define MEMORY     0x10000
#define LEGACY_AT  0x100
enum { PCI_DATA = 0xcfc, CAPABILITIES = 0x10, LEGACY_OWNED = 1 << 16 | 1 };

static uint32_t config_in(struct full_system *w, uint32_t port)
{
	static const uint32_t config[] = { 0xa12f8086, 2, 0x0c033000, 0, MEMORY_AT };
	uint32_t at = (w->ports.pci_address & 0xff) / 4;

	if ((w->ports.pci_address & ~0xffu) != CONTROLLER)
		return UINT32_MAX;
	return at < sizeof(config) / sizeof(*config) ? config[at] : 0;
}

static uint64_t memory_in(uc_engine *uc, uint64_t offset, unsigned bytes, void *priv)
{
	return offset == CAPABILITIES ? LEGACY_AT / 4 << 16
		: offset == LEGACY_AT ? LEGACY_OWNED
				      : 0;
}

static void memory_out(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *priv)
{
	if (offset == LEGACY_AT)
		system_end(priv, "hang in SMM");
}

static void add_controller(struct full_system *w, uint64_t n)
{
	system_add_port(w, (struct port_range){ PCI_DATA, PCI_DATA, config_in, NULL });
	unicorn_check(uc_mmio_map(w->uc, MEMORY_AT, MEMORY, memory_in, w, memory_out, w),
		"mapping the USB controller");
}

const struct misbehaviour hostile_usb[] = {
	{ "usb-handoff-hangs", add_controller, 0 },
	{ 0 },
};
