/* SPDX-License-Identifier: MIT */
/*
 * The watchdog timers that a machine may have, each by its registers. A timer that is not fed in
 * time resets the machine, whatever the processor does. stop() restores the registers that start()
 * changed. This code never ran on silicon: it follows the documents and Linux's drivers that each
 * file names.
 */
#ifndef KERNEL_WATCHDOG_WATCHDOG_DEVICE_H
#define KERNEL_WATCHDOG_WATCHDOG_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum register_space { IN_MEMORY, IN_PORT, IN_PCI };

/*
 * A register's address: in memory, a port, or in PCI's configuration space: as in usb_calls, bus <<
 * 16 | device << 11 | function << 8 | offset, a multiple of 4.
 */
struct register_address {
	enum register_space space;
	unsigned bytes; /* 1, 2, 4; IN_PCI: 4 */
	uint64_t at;
};

/* The machine's registers, or a test's. */
struct register_calls {
	uint32_t (*read)(struct register_address);
	void (*write)(struct register_address, uint32_t value);
	void (*map)(uint64_t base, uint64_t bytes); /* call before registers there are used */
	void (*wait)(void);                         /* waits about a microsecond */
};

#define WATCHDOG_NAME 48

struct watchdog_device {
	const char *name;
	unsigned shortest, longest; /* seconds that start() accepts */
	bool twice;                 /* it resets when its time has run out twice */
	/*
	 * Start it: it must be fed from now on. Returns NULL, or why it cannot reset this machine.
	 */
	const char *(*start)(unsigned seconds);
	void (*feed)(void);
	void (*stop)(void);
	/*
	 * Only of a management controller: the limit, in seconds, of the timer that runs already;
	 * 0: it does not run.
	 */
	unsigned (*running)(void);
	/* Returns true if it reports the last reset as its own; it forgets that then. */
	bool (*fired)(void);
};

/*
 * Each finds its device and returns it; NULL: there is none, or it belongs to somebody else.
 * Nothing is changed yet. `rsdp`: ACPI's root pointer. `smbios`: n bytes of structures.
 */
const struct watchdog_device *wdat_find(const struct register_calls *, uint64_t rsdp);
const struct watchdog_device *tco_find(const struct register_calls *);
const struct watchdog_device *fch_find(const struct register_calls *);
const struct watchdog_device *kcs_find(const struct register_calls *, const void *smbios, size_t n);

/* Set the bits `mask` of a register to those of `value`; return the old value. */
static inline uint32_t register_change(const struct register_calls *c, struct register_address r,
	uint32_t mask, uint32_t value)
{
	uint32_t before = c->read(r);

	c->write(r, (before & ~mask) | (value & mask));
	return before;
}

#endif
