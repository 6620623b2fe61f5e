/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "kernel/firmware/usb.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"
#include "lib/jsonl_write.h"
#include "lib/text.h"
#include "kernel/console/console.h"
#include "kernel/journal.h"

enum { PCI_ADDRESS = 0xcf8, PCI_DATA = 0xcfc };
enum { PCI_COMMAND = 4, PCI_CLASS = 8, PCI_HEADER = 12, PCI_BASE = 16, PCI_LIST = 0x34 };

#define MEMORY_ON        2         /* command register */
#define MANY_FUNCTIONS   (1 << 23) /* header type, in the dword at 12 */
#define CLASS_EHCI       0x0c0320  /* base class, subclass, programming interface */
#define CLASS_XHCI       0x0c0330
#define LEGACY           1 /* id of the legacy support capability of both kinds */
#define FIRMWARE_OWNS    (1 << 16)
#define OS_OWNS          (1 << 24)
#define REGISTERS        (64 * KIB)
#define TIMEOUT          1000 /* ms */
#define PCI_TEXT         16   /* "3a:00.0" */
#define HAS_CAPABILITIES 16   /* status register */
#define POWER_MANAGEMENT 1    /* id of that capability */
#define CAPABILITIES     64   /* a longer list of capabilities is taken as broken */
/* xHCI's control and status: reserved bits stay, enable bits are cleared, events acknowledged. */
#define XHCI_RESERVED 0x000e1feeU
#define XHCI_EVENTS   0xe0000000U

static uint32_t port_read(uint32_t address)
{
	out32(PCI_ADDRESS, 1U << 31 | address);
	return in32(PCI_DATA);
}

static void port_write(uint32_t address, uint32_t value)
{
	out32(PCI_ADDRESS, 1U << 31 | address);
	out32(PCI_DATA, value);
}

static void map(uint64_t base, uint64_t bytes)
{
	page_map(&address_space.tables, base, bytes, ACCESS_READ | ACCESS_WRITE | ACCESS_UNCACHED,
		PAGE_4K);
	address_space_flush();
}

static void wait(void)
{
	for (unsigned i = 0; i < 1000; i++)
		in8(0x80); /* about a microsecond each, on any chipset */
}

const struct usb_calls usb_pci_ports = { port_read, port_write, map, wait };

/* The registers of legacy support: in configuration space (EHCI) or in memory (xHCI). */
struct usb_registers {
	const struct usb_calls *calls;
	volatile uint32_t *memory; /* NULL: config */
	uint32_t config;
};

static uint32_t register_read(const struct usb_registers *r, unsigned i)
{
	return r->memory ? r->memory[i] : r->calls->config_read(r->config + 4 * i);
}

static void register_write(const struct usb_registers *r, unsigned i, uint32_t value)
{
	if (r->memory)
		r->memory[i] = value;
	else
		r->calls->config_write(r->config + 4 * i, value);
}

/*
 * Take the controller from the firmware. Like Linux (drivers/usb/host/pci-quirks.c), take it in the
 * end even if the firmware refuses.
 */
static const char *claim(const struct usb_registers *r)
{
	bool xhci = r->memory != NULL, owned = register_read(r, 0) & FIRMWARE_OWNS;
	unsigned ms = TIMEOUT;

	register_write(r, 0, register_read(r, 0) | OS_OWNS);
	while ((register_read(r, 0) & FIRMWARE_OWNS) && ms--)
		r->calls->wait();
	bool refused = register_read(r, 0) & FIRMWARE_OWNS;

	if (refused)
		register_write(r, 0, (register_read(r, 0) & ~FIRMWARE_OWNS) | OS_OWNS);
	register_write(r, 1, xhci ? (register_read(r, 1) & XHCI_RESERVED) | XHCI_EVENTS : 0);
	return refused ? "taken, the firmware did not answer" : owned ? "taken" : "was free";
}

static volatile uint32_t *registers_of(const struct usb_calls *c, uint32_t address)
{
	uint32_t low = c->config_read(address + PCI_BASE);
	uint64_t base = low & ~15U;

	if ((low & 1) || !(c->config_read(address + PCI_COMMAND) & MEMORY_ON))
		return NULL;
	if (low & 4)
		base |= (uint64_t)c->config_read(address + PCI_BASE + 4) << 32;
	if (base)
		c->map(base, REGISTERS);
	return (volatile uint32_t *)base;
}

static const char *handoff_ehci(const struct usb_calls *c, uint32_t address)
{
	volatile uint32_t *memory = registers_of(c, address);

	if (!memory)
		return "off";
	uint32_t at = memory[2] >> 8 & 0xff;

	for (unsigned i = 0; at >= 0x40 && i < CAPABILITIES; i++) {
		const struct usb_registers r = { c, NULL, address + (at & 0xfc) };
		uint32_t v = register_read(&r, 0);

		if ((v & 0xff) == LEGACY)
			return claim(&r);
		at = v >> 8 & 0xff;
	}
	return "no legacy support";
}

static const char *handoff_xhci(const struct usb_calls *c, uint32_t address)
{
	volatile uint32_t *memory = registers_of(c, address);

	if (!memory)
		return "off";
	uint32_t at = memory[4] >> 16, next = at;

	for (unsigned i = 0; next && (at + 2) * 4 <= REGISTERS && i < CAPABILITIES; i++) {
		const struct usb_registers r = { c, memory + at, 0 };

		if ((memory[at] & 0xff) == LEGACY)
			return claim(&r);
		next = memory[at] >> 8 & 0xff;
		at += next;
	}
	return "no legacy support";
}

static void pci_text(uint32_t a, char out[PCI_TEXT])
{
	text_format(out, PCI_TEXT, "%02x:%02x.%u", a >> 16, a >> 11 & 31, a >> 8 & 7);
}

/*
 * Returns true if the device sleeps: in D3 its registers do not answer (PCI Power Management 1.2,
 * 3.2).
 */
static bool sleeps(const struct usb_calls *c, uint32_t address)
{
	bool has_list = c->config_read(address + PCI_COMMAND) >> 16 & HAS_CAPABILITIES;
	uint32_t at = has_list ? c->config_read(address + PCI_LIST) & 0xfc : 0;

	for (unsigned i = 0; at >= 0x40 && i < CAPABILITIES; i++) {
		uint32_t v = c->config_read(address + at);

		if ((v & 0xff) == POWER_MANAGEMENT)
			return (c->config_read(address + at + 4) & 3) == 3;
		at = v >> 8 & 0xfc;
	}
	return false;
}

static const char *handoff(const struct usb_calls *c, uint32_t address, const char *kind)
{
	char pci[PCI_TEXT];
	const char *outcome;

	pci_text(address, pci);
	outcome = c->enter(pci, kind);
	if (outcome)
		return outcome;
	if (sleeps(c, address))
		outcome = "off: it sleeps";
	else
		outcome = *kind == 'e' ? handoff_ehci(c, address) : handoff_xhci(c, address);
	c->left(outcome);
	return outcome;
}

static void check_function(const struct usb_calls *c, uint32_t address, struct usb *usb)
{
	uint32_t class = c->config_read(address + PCI_CLASS) >> 8;
	const char *kind = class == CLASS_EHCI ? "ehci" : "xhci";
	unsigned i = usb->found;

	if (class != CLASS_EHCI && class != CLASS_XHCI)
		return;
	usb->found++;
	const char *outcome = handoff(c, address, kind);

	if (i >= USB_MAX)
		return;
	usb->list[i].address = address;
	usb->list[i].kind = kind;
	text_format(usb->list[i].outcome, sizeof usb->list[i].outcome, "%s", outcome);
}

/* Returns true if the list has this PCI address, "3a:00.0". List: commas between, no spaces. */
static bool usb_listed(const char *list, const char *pci)
{
	size_t n = strlen(pci);

	while (strlen(list) >= n) {
		const char *comma = strchr(list, ',');

		if (memcmp(list, pci, n) == 0 && (list[n] == 0 || list[n] == ','))
			return true;
		if (!comma)
			break;
		list = comma + 1;
	}
	return false;
}

/* Walk all of PCI and take over every EHCI and xHCI controller that the firmware owns. */
static void usb_handoff_all(const struct usb_calls *c, struct usb *usb)
{
	*usb = (struct usb){ 0 };
	for (uint32_t slot = 0; slot < 256 * 32; slot++) {
		uint32_t address = slot << 11;
		bool many = c->config_read(address + PCI_HEADER) & MANY_FUNCTIONS;

		for (uint32_t f = 0; f < (many ? 8 : 1); f++)
			if (c->config_read(address | f << 8) != UINT32_MAX)
				check_function(c, address | f << 8, usb);
			else if (f == 0)
				break;
	}
}

static unsigned listed(const struct usb *usb)
{
	return usb->found < USB_MAX ? usb->found : USB_MAX;
}

/* Write the controllers as a member of the run line. */
static void usb_describe(const struct usb *usb, struct jsonl *l)
{
	char address[PCI_TEXT];

	jsonl_array(l, "usb_handoff");
	for (unsigned i = 0; i < listed(usb); i++) {
		pci_text(usb->list[i].address, address);
		jsonl_object(l, NULL);
		jsonl_string(l, "pci", address);
		jsonl_string(l, "kind", usb->list[i].kind);
		jsonl_string(l, "done", usb->list[i].outcome);
		jsonl_object_end(l);
	}
	jsonl_array_end(l);
}

static struct {
	const char *skip; /* as configured */
	struct usb usb;
} session;

static const char *enter(const char *pci, const char *kind)
{
	char step[STEP_NAME];
	const char *why;

	text_format(step, sizeof step, "usb-%s", pci);
	why = usb_listed(session.skip, pci) ? "left to the firmware: usb_skip" : step_hung(step);
	if (!why)
		step_enter(step);
	console_printf("USB controller %s %s: %s", pci, kind, why ? why : "");
	if (why)
		console_printf("\n");
	return why;
}

static void left(const char *outcome)
{
	console_printf("%s\n", outcome);
}

void usb_take_over(const struct config *config)
{
	struct usb_calls calls = usb_pci_ports;

	if (config->usb_handoff == USB_HANDOFF_OFF)
		return;
	session.skip = config->usb_skip;
	calls.enter = enter;
	calls.left = left;
	usb_handoff_all(&calls, &session.usb);
}

void usb_describe_handoff(const struct config *config, struct jsonl *l)
{
	if (config->usb_handoff == USB_HANDOFF_ON)
		usb_describe(&session.usb, l);
}
