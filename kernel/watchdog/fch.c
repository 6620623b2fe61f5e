/* SPDX-License-Identifier: MIT */
/*
 * The watchdog timer of AMD's FCH, in processors from family 16h on. Sources: AMD 52740 (family 16h
 * models 30h-3Fh) and 55570 (family 17h model 18h), FCH::PM and "Watchdog Timer"; for the revisions
 * Linux's sp5100_tco.c. Older southbridges (SP5100, SB800) are not used.
 */
#include "kernel/watchdog/watchdog_device.h"

#define SMBUS       (0x14U << 11)
#define CLASS       0x08 /* the revision is bits 7:0 */
#define AMD_HUDSON2 0x780b1022U
#define AMD_KERNCZ  0x790b1022U
#define INDEX       0xcd6U
#define DATA        0xcd7U
#define PM          0xfed80300U /* from revision 51h of AMD_KERNCZ on */
#define TIMER       0xfeb00000U

/* Registers of power management: DECODED makes the timer's registers visible, and lets it run. */
enum { DECODE = 0, MODE = 3 };
#define DECODED    0x80
#define MODE_MASK  0x0f /* bits 3:2 disable it, bits 1:0 are the resolution */
#define IN_SECONDS 0x03

/* Registers of the timer. */
enum { CONTROL = 0, COUNT = 4 };
#define RUN      (1U << 0)
#define FIRED    (1U << 1) /* cleared by writing 1 */
#define POWER    (1U << 2) /* power off instead of a reset */
#define DISABLED (1U << 3)
#define TRIGGER  (1U << 7)

static const struct register_calls *calls;
static bool in_memory;
static struct {
	uint8_t decode, mode;
	uint32_t control, count;
} before;

static struct register_address of_memory(unsigned bytes, uint64_t at)
{
	return (struct register_address){ IN_MEMORY, bytes, at };
}

/* A register of power management; as a port, it is selected by the index first. */
static struct register_address pm(unsigned reg)
{
	const struct register_address data = { IN_PORT, 1, DATA };

	if (in_memory)
		return of_memory(1, PM + reg);
	calls->write((struct register_address){ IN_PORT, 1, INDEX }, reg);
	return data;
}

static uint32_t control_read(void)
{
	return calls->read(of_memory(4, TIMER + CONTROL));
}

/* Set the control bits that act to `bits`; the other bits stay. */
static void control(uint32_t bits)
{
	uint32_t others = control_read() & ~(RUN | FIRED | POWER | TRIGGER);

	calls->write(of_memory(4, TIMER + CONTROL), others | bits);
}

static void set_count(uint32_t seconds)
{
	calls->write(of_memory(4, TIMER + COUNT), seconds);
}

static void feed(void)
{
	control(RUN | TRIGGER);
}

static void stop(void)
{
	control(before.control & POWER);
	set_count(before.count);
	control(before.control & (RUN | POWER));
	register_change(calls, pm(MODE), MODE_MASK, before.mode);
	register_change(calls, pm(DECODE), DECODED, before.decode);
}

static const char *start(unsigned seconds)
{
	before.decode = (uint8_t)register_change(calls, pm(DECODE), DECODED, DECODED);
	before.mode = (uint8_t)register_change(calls, pm(MODE), MODE_MASK, IN_SECONDS);
	before.control = control_read();
	before.count = calls->read(of_memory(4, TIMER + COUNT));
	control(0);
	set_count(seconds);
	feed();
	if ((control_read() & (RUN | DISABLED)) == RUN)
		return NULL;
	stop();
	return "it does not start";
}

/*
 * Returns true if the timer reset the machine. If its registers are not decoded it cannot have run.
 */
static bool fired(void)
{
	if (!(calls->read(pm(DECODE)) & DECODED) || !(control_read() & FIRED))
		return false;
	control((control_read() & (RUN | POWER)) | FIRED);
	return true;
}

const struct watchdog_device *fch_find(const struct register_calls *c)
{
	static const struct watchdog_device device = {
		.name = "the chipset's watchdog timer",
		.shortest = 1,
		.longest = 0xffff,
		.start = start,
		.feed = feed,
		.stop = stop,
		.fired = fired,
	};
	uint32_t id = c->read((struct register_address){ IN_PCI, 4, SMBUS });
	uint8_t revision = (uint8_t)c->read((struct register_address){ IN_PCI, 4, SMBUS | CLASS });

	calls = c;
	in_memory = id == AMD_KERNCZ && revision >= 0x51;
	if (!(id == AMD_HUDSON2 && revision >= 0x41) && !(id == AMD_KERNCZ && revision >= 0x49))
		return NULL;
	if (in_memory)
		calls->map(PM & ~0xfffU, 0x1000);
	calls->map(TIMER, 0x1000);
	return &device;
}
