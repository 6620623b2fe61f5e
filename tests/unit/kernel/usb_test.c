/* SPDX-License-Identifier: MIT */
/* USB controllers on a made-up PCI, owned by a firmware that answers, or does not. */
#include "kernel/firmware/usb.c"
#include "tests/unit/test.h"

#define EHCI_AT (0x00 << 16 | 0x1d << 11 | 7 << 8)
#define XHCI_AT (0x3a << 16 | 0x00 << 11)
#define OWNED   (1u << 16)
#define OURS    (1u << 24)

static uint32_t other[64], ehci[64], xhci[64]; /* configuration spaces */
static uint32_t registers[2][16384];           /* of ehci and xhci */
static unsigned answer_after, waited;          /* ms; 0: never */
static unsigned entered;                       /* and not left */
static char leave_alone;                       /* the kind's first letter; 0: none */

static uint32_t *space(uint32_t address)
{
	switch (address & ~0xffu) {
	case 0x1d << 11:
		return other;
	case EHCI_AT:
		return ehci;
	case XHCI_AT:
		return xhci;
	default:
		return NULL;
	}
}

static uint32_t config_read(uint32_t address)
{
	const uint32_t *s = space(address);

	return s ? s[(address & 0xff) / 4] : UINT32_MAX;
}

static void config_write(uint32_t address, uint32_t value)
{
	space(address)[(address & 0xff) / 4] = value;
}

static void map_registers(uint64_t base, uint64_t bytes)
{
	assert_true(base == (uintptr_t)registers[0] || base == (uintptr_t)registers[1]);
	assert_int_equal(sizeof registers[0], bytes);
}

/* The firmware lets go of what it was asked for. */
static void give_back(uint32_t *owners)
{
	if (*owners & OURS)
		*owners &= ~OWNED;
}

static void pass_time(void)
{
	if (!answer_after || ++waited % answer_after)
		return;
	give_back(&ehci[0x68 / 4]);
	give_back(&registers[1][0x100 + 0x20]);
}

static const char *enter_step(const char *pci, const char *kind)
{
	entered++;
	assert_string_equal(pci, *kind == 'e' ? "00:1d.7" : "3a:00.0");
	return leave_alone && *kind == leave_alone ? "it hung" : NULL;
}

static void left_step(const char *outcome)
{
	assert_true(*outcome);
	entered--;
}

static const struct usb_calls calls = { config_read, config_write, map_registers, pass_time,
	enter_step, left_step };

static void place(uint32_t *config, uint32_t class, uint32_t *memory)
{
	config[1] = 2;
	config[2] = class << 8;
	config[4] = (uint32_t)(uintptr_t)memory | 4;
	config[5] = (uint32_t)((uint64_t)(uintptr_t)memory >> 32);
}

static struct usb usb;

BEFORE_EACH(reset)
{
	memset(registers, 0, sizeof registers);
	memset(other, 0, sizeof other);
	other[3] = 1 << 23; /* eight functions */
	place(ehci, 0x0c0320, registers[0]);
	registers[0][2] = 0x68 << 8;
	ehci[0x68 / 4] = 1 | OWNED;
	ehci[0x6c / 4] = 0xffff;
	place(xhci, 0x0c0330, registers[1]);
	registers[1][4] = 0x100 << 16;
	registers[1][0x100] = 2 | 0x20 << 8; /* a protocol, then legacy support */
	registers[1][0x100 + 0x20] = 1 | OWNED;
	registers[1][0x100 + 0x21] = 0x0000e011 | 0x000e0000;
	waited = 0;
	entered = 0;
	leave_alone = 0;
	answer_after = 0;
}

static void expect(const char *first, const char *second)
{
	assert_int_equal(2, usb.found);
	assert_int_equal(EHCI_AT, usb.list[0].address);
	assert_string_equal("ehci", usb.list[0].kind);
	assert_string_equal(first, usb.list[0].outcome);
	assert_int_equal(XHCI_AT, usb.list[1].address);
	assert_string_equal("xhci", usb.list[1].kind);
	assert_string_equal(second, usb.list[1].outcome);
}

static void expect_taken(void)
{
	assert_int_equal(1 | OURS, ehci[0x68 / 4]);
	assert_int_equal(0, ehci[0x6c / 4]);
	assert_int_equal(1 | OURS, registers[1][0x100 + 0x20]);
	assert_int_equal(0xe00e0000, registers[1][0x100 + 0x21]);
}

TEST(firmware_gives_them_back)
{
	answer_after = 5;
	usb_handoff_all(&calls, &usb);
	expect("taken", "taken");
	assert_int_equal(10, waited);
	expect_taken();
}

TEST(firmware_does_not_answer)
{
	static const char silent[] = "taken, the firmware did not answer";

	usb_handoff_all(&calls, &usb);
	expect(silent, silent);
	expect_taken();
}

TEST(free_off_and_without)
{
	ehci[0x68 / 4] = 1;
	xhci[1] = 0;
	usb_handoff_all(&calls, &usb);
	expect("was free", "off");
	registers[0][2] = 0;
	xhci[1] = 2;
	registers[1][0x100] = 2;
	usb_handoff_all(&calls, &usb);
	expect("no legacy support", "no legacy support");
}

/* One that an earlier start hung in is not touched; one that sleeps has no registers. */
TEST(left_alone_and_asleep)
{
	static uint32_t before[16384];

	answer_after = 5;
	leave_alone = 'x';
	memcpy(before, registers[1], sizeof before);
	ehci[1] |= 16 << 16; /* a list of capabilities, in it: power management, D3 */
	ehci[0x34 / 4] = 0x50;
	ehci[0x50 / 4] = 0x11 | 0x58 << 8;
	ehci[0x58 / 4] = 1;
	ehci[0x5c / 4] = 3;
	usb_handoff_all(&calls, &usb);
	expect("off: it sleeps", "it hung");
	assert_int_equal(entered, 1);
	assert_memory_equal(registers[1], before, sizeof before);
	assert_int_equal(ehci[0x68 / 4], 1 | OWNED);
}

TEST(lists_of_addresses)
{
	assert_true(usb_listed("00:14.0", "00:14.0"));
	assert_true(usb_listed("3a:00.0,00:14.0,00:1d.7", "00:14.0"));
	assert_true(usb_listed("3a:00.0,00:14.0", "00:14.0"));
	assert_false(usb_listed("", "00:14.0"));
	assert_false(usb_listed("3a:00.0,00:14", "00:14.0"));
	assert_false(usb_listed("100:14.0,00:14.01", "00:14.0"));
}

/* A list that leads to itself, and one that leads out of the registers, end. */
TEST(broken_lists)
{
	ehci[0x68 / 4] = 2 | 0x68 << 8;
	registers[1][4] = 0x3ff0 << 16;
	registers[1][0x3ff0] = 2 | 0xff << 8;
	usb_handoff_all(&calls, &usb);
	expect("no legacy support", "no legacy support");
}
