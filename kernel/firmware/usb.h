/* SPDX-License-Identifier: MIT */
/*
 * USB host controllers taken over from the firmware: its emulation of a keyboard by system
 * management interrupts (legacy support) is a source of noise. EHCI 1.0, 2.1.7 and 5.1; xHCI 1.2,
 * 4.22.1 and 7.1. PCI configuration mechanism 1.
 */
#ifndef KERNEL_FIRMWARE_USB_H
#define KERNEL_FIRMWARE_USB_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/config.h"

struct jsonl;

/* Access to the machine, or a test's double. */
struct usb_calls {
	/* address: bus << 16 | device << 11 | function << 8 | register */
	uint32_t (*config_read)(uint32_t address);
	void (*config_write)(uint32_t address, uint32_t value);
	void (*map)(uint64_t base, uint64_t bytes); /* makes registers reachable */
	void (*wait)(void);                         /* waits a millisecond */
	/*
	 * Called before a controller is touched, because a firmware may hang in the hand-over.
	 * Returns NULL, or why the controller must be left alone.
	 */
	const char *(*enter)(const char *pci, const char *kind);
	void (*left)(const char *outcome); /* called after it */
};
extern const struct usb_calls usb_pci_ports; /* access to the machine; enter and left are NULL */

#define USB_MAX 16

struct usb {
	unsigned found; /* number of all controllers; the first USB_MAX are listed */
	struct {
		uint32_t address; /* address of register 0, as for config_read */
		const char *kind; /* "ehci", "xhci" */
		char outcome[80]; /* in words */
	} list[USB_MAX];
};

/*
 * The hand-over of USB controllers in room bare: which controllers, and what is printed and noted
 * of each.
 */

struct jsonl;

/* Take over every allowed controller in which no earlier start hung. */
void usb_take_over(const struct config *);
/* Describe the hand-over as a member of the run line; write nothing with usb_handoff = off. */
void usb_describe_handoff(const struct config *, struct jsonl *);

#endif
