/* SPDX-License-Identifier: MIT */
/* The watchdog timers, on made-up registers: found, started, fed, and all as it was after stop. */
#include "kernel/firmware/acpi.h"
#include "kernel/watchdog/watchdog_device.h"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/test.h"

#define MOST 64

static struct {
	struct register_address at;
	uint32_t value;
	bool fixed;       /* writes change nothing */
	uint32_t cleared; /* bits that are cleared by writing 1 */
} registers[MOST];
static unsigned nregisters;

/* The register there; one that nobody named reads all ones and takes no write. */
static unsigned find(struct register_address r)
{
	for (unsigned i = 0; i < nregisters; i++)
		if (registers[i].at.space == r.space && registers[i].at.at == r.at)
			return i;
	return MOST;
}

static uint32_t read(struct register_address r)
{
	unsigned i = find(r);

	return i == MOST ? UINT32_MAX >> (32 - 8 * r.bytes) : registers[i].value;
}

static void write(struct register_address r, uint32_t value)
{
	unsigned i = find(r);

	if (i == MOST)
		fail_msg("a register that is nobody's is written: space %d, %#lx", r.space, r.at);
	if (registers[i].fixed)
		return;
	uint32_t kept = registers[i].value & registers[i].cleared & ~value;

	registers[i].value = (value & ~registers[i].cleared) | kept;
}

static void map(uint64_t base, uint64_t bytes)
{
	assert_int_equal(bytes, 0x1000);
}

static void wait(void)
{
}

static const struct register_calls calls = { read, write, map, wait };

static unsigned place(enum register_space space, uint64_t at, uint32_t value)
{
	registers[nregisters].at = (struct register_address){ space, 4, at };
	registers[nregisters].value = value;
	return nregisters++;
}

static uint32_t value_of(enum register_space space, uint64_t at)
{
	return read((struct register_address){ space, 4, at });
}

static void renew(void)
{
	memset(registers, 0, sizeof registers);
	nregisters = 0;
}

#define LPC     (0x1fU << 11)
#define SMBUS_4 (0x1fU << 11 | 4U << 8)
#define GENERAL 0xfed1f410U

/* ICH9 as q35 has it: halted, the reset forbidden. */
static void place_ich9(void)
{
	renew();
	place(IN_PCI, LPC, 0x29188086);
	place(IN_PCI, LPC | 0x40, 0x601);
	place(IN_PCI, LPC | 0x44, 0x80);
	place(IN_PCI, LPC | 0xf0, 0xfed1c001);
	place(IN_MEMORY, GENERAL, 0x1234 | 1 << 5);
	place(IN_PORT, 0x660, 4);
	registers[place(IN_PORT, 0x664, 0)].cleared = 0xffff;
	registers[place(IN_PORT, 0x666, 2)].cleared = 0xffff;
	place(IN_PORT, 0x668, 0x0a00);
	place(IN_PORT, 0x672, 0xf404);
}

TEST(tco_by_the_bridge)
{
	place_ich9();
	const struct watchdog_device *d = tco_find(&calls);

	assert_non_null(d);
	assert_true(d->fired());
	assert_false(d->fired()); /* that is forgotten */
	assert_null(d->start(60));
	assert_int_equal(value_of(IN_PORT, 0x672), 0xf400 | 100); /* ticks of 0.6 s */
	assert_int_equal(value_of(IN_PORT, 0x668), 0x0200);
	assert_int_equal(value_of(IN_MEMORY, GENERAL), 0x1214);
	registers[find((struct register_address){ IN_PORT, 2, 0x660 })].value = 0;
	d->feed();
	assert_int_equal(value_of(IN_PORT, 0x660), 1);
	d->stop();
	assert_int_equal(value_of(IN_PORT, 0x672), 0xf404);
	assert_int_equal(value_of(IN_PORT, 0x668), 0x0a00);
	assert_int_equal(value_of(IN_MEMORY, GENERAL), 0x1234);
}

/* One that the firmware lets run, and may reset the machine, runs on. */
TEST(tco_that_ran_before)
{
	place_ich9();
	registers[find((struct register_address){ IN_PORT, 2, 0x668 })].value = 0x0200;
	registers[find((struct register_address){ IN_MEMORY, 4, GENERAL })].value = 0x1214;
	const struct watchdog_device *d = tco_find(&calls);

	assert_null(d->start(60));
	registers[find((struct register_address){ IN_PORT, 2, 0x660 })].value = 0;
	d->stop();
	assert_int_equal(value_of(IN_PORT, 0x660), 1); /* it counts the firmware's time again */
	assert_int_equal(value_of(IN_PORT, 0x668), 0x0200);
	assert_int_equal(value_of(IN_MEMORY, GENERAL), 0x1214);
	assert_int_equal(value_of(IN_PORT, 0x672), 0xf404);
}

/* A strap of the board: nothing else is touched then. */
TEST(tco_that_may_not_reset)
{
	place_ich9();
	registers[find((struct register_address){ IN_MEMORY, 4, GENERAL })].fixed = true;
	const struct watchdog_device *d = tco_find(&calls);

	assert_string_equal(d->start(60), "the board forbids its reset");
	assert_int_equal(value_of(IN_PORT, 0x672), 0xf404);
	assert_int_equal(value_of(IN_PORT, 0x668), 0x0a00);
}

TEST(tco_of_other_bridges)
{
	static const uint32_t others[] = { 0x29181022, 0x70008086, 0xa3058086, UINT32_MAX };

	for (unsigned i = 0; i < 4; i++) {
		place_ich9();
		registers[0].value = others[i];
		assert_null(tco_find(&calls));
	}
	place_ich9();
	registers[2].value = 0; /* the ports are not decoded */
	assert_null(tco_find(&calls));
}

/* Comet Lake-H: the bit that forbids the reset is in the control register. */
TEST(tco_by_the_smbus_controller)
{
	renew();
	place(IN_PCI, SMBUS_4, 0x06a38086);
	place(IN_PCI, SMBUS_4 | 0x50, 0x401);
	place(IN_PCI, SMBUS_4 | 0x54, 0x100);
	place(IN_PORT, 0x400, 4);
	registers[place(IN_PORT, 0x404, 0)].cleared = 0xffff;
	registers[place(IN_PORT, 0x406, 0)].cleared = 0xffff;
	place(IN_PORT, 0x408, 0x0801);
	place(IN_PORT, 0x412, 4);
	const struct watchdog_device *d = tco_find(&calls);

	assert_non_null(d);
	assert_false(d->fired());
	assert_null(d->start(60));
	assert_int_equal(value_of(IN_PORT, 0x408), 0);
	d->stop();
	assert_int_equal(value_of(IN_PORT, 0x408), 0x0801);
	assert_int_equal(value_of(IN_PORT, 0x412), 4);
}

#define SMBUS_14 (0x14U << 11)
#define PM       0xfed80300U
#define TIMER    0xfeb00000U

static void place_fch(uint32_t revision)
{
	renew();
	place(IN_PCI, SMBUS_14, 0x790b1022);
	place(IN_PCI, SMBUS_14 | 8, 0x0c050000 | revision);
	place(IN_MEMORY, PM, 0x14);
	place(IN_MEMORY, PM + 3, 0xfc);
	registers[place(IN_MEMORY, TIMER, 0x44)].cleared = 1 << 1;
	place(IN_MEMORY, TIMER + 4, 0x1f4);
}

TEST(fch)
{
	place_fch(0x59);
	const struct watchdog_device *d = fch_find(&calls);

	assert_non_null(d);
	assert_false(d->fired()); /* not decoded */
	assert_null(d->start(180));
	assert_int_equal(value_of(IN_MEMORY, PM), 0x94);
	assert_int_equal(value_of(IN_MEMORY, PM + 3), 0xf3);
	assert_int_equal(value_of(IN_MEMORY, TIMER) & ~0x80U, 0x41); /* runs, and resets */
	assert_int_equal(value_of(IN_MEMORY, TIMER + 4), 180);
	d->stop();
	assert_int_equal(value_of(IN_MEMORY, PM), 0x14);
	assert_int_equal(value_of(IN_MEMORY, PM + 3), 0xfc);
	assert_int_equal(value_of(IN_MEMORY, TIMER), 0x44);
	assert_int_equal(value_of(IN_MEMORY, TIMER + 4), 0x1f4);
}

TEST(fch_that_ran_before)
{
	place_fch(0x59);
	registers[2].value = 0x94;
	registers[4].value = 0x45;
	const struct watchdog_device *d = fch_find(&calls);

	assert_null(d->start(180));
	d->stop();
	assert_int_equal(value_of(IN_MEMORY, TIMER), 0x45);
	assert_int_equal(value_of(IN_MEMORY, TIMER + 4), 0x1f4);
}

TEST(fch_that_fired)
{
	place_fch(0x59);
	registers[2].value = 0x94;
	registers[4].value = 0x46;
	const struct watchdog_device *d = fch_find(&calls);

	assert_true(d->fired());
	assert_false(d->fired());
	assert_int_equal(value_of(IN_MEMORY, TIMER), 0x44);
}

/* The SP5100's and SB800's registers lie elsewhere. */
TEST(older_southbridges)
{
	place_fch(0x3a);
	assert_null(fch_find(&calls));
	place_fch(0x59);
	registers[0].value = 0x43851002;
	assert_null(fch_find(&calls));
}

/* --- WDAT: the table of a made-up firmware, of which each entry is 24 bytes. --- */

static unsigned char wdat[1024];

BEFORE_ALL(take_area);

static void put32(unsigned at, uint32_t value)
{
	memcpy(wdat + at, &value, 4);
}

static void entry(uint8_t action, uint8_t instruction, uint8_t space, uint64_t at, uint32_t value,
	uint32_t mask)
{
	uint32_t length, n;

	memcpy(&length, wdat + 4, 4);
	memcpy(&n, wdat + 64, 4);
	wdat[length] = action;
	wdat[length + 1] = instruction;
	wdat[length + 4] = space;
	wdat[length + 5] = 32;
	wdat[length + 7] = 3; /* 4 bytes at once */
	memcpy(wdat + length + 8, &at, 8);
	put32(length + 16, value);
	put32(length + 20, mask);
	put32(4, length + 24);
	put32(64, n + 1);
}

/* Counts of 500 ms; a control register at 500h, the count at 504h, a trigger at 508h. */
static void make_wdat(void)
{
	memset(wdat, 0, sizeof wdat);
	memcpy(wdat, "WDAT", 4);
	put32(4, 68);
	put32(36, 32);
	put32(48, 500);
	put32(52, 1000);
	put32(56, 4);
	wdat[60] = 1;
	entry(1, 2, 1, 0x508, 7, 0xff);
	entry(5, 1, 1, 0x504, 0, 0xffff);
	entry(6, 3, 1, 0x504, 0, 0xffff);
	entry(8, 0, 1, 0x500, 1, 1);
	entry(9, 0x82, 1, 0x500, 1, 1);
	entry(11, 0x82, 1, 0x500, 0, 1);
	entry(32, 0, 1, 0x50c, 1, 1);
	entry(33, 2, 1, 0x50c, 0, 1);
	renew();
	place(IN_PORT, 0x500, 0xf0);
	place(IN_PORT, 0x504, 99);
	place(IN_PORT, 0x508, 0);
	place(IN_PORT, 0x50c, 1);
}

static const struct watchdog_device *find_wdat(void)
{
	unsigned char *tables[] = { wdat };

	return wdat_find(&calls, make_root(true, tables, 1));
}

TEST(wdat_actions)
{
	make_wdat();
	const struct watchdog_device *d = find_wdat();

	assert_non_null(d);
	assert_int_equal(d->shortest, 2);
	assert_int_equal(d->longest, 500);
	assert_true(d->fired());
	assert_false(d->fired());
	assert_null(d->start(60));
	assert_int_equal(value_of(IN_PORT, 0x504), 120);
	assert_int_equal(value_of(IN_PORT, 0x500), 0xf1);
	assert_int_equal(value_of(IN_PORT, 0x508), 7);
	d->stop();
	assert_int_equal(value_of(IN_PORT, 0x500), 0xf0);
	assert_int_equal(value_of(IN_PORT, 0x504), 99);
}

TEST(wdat_that_ran_before)
{
	make_wdat();
	registers[0].value = 0xf1;
	const struct watchdog_device *d = find_wdat();

	assert_null(d->start(60));
	registers[2].value = 0;
	d->stop();
	assert_int_equal(value_of(IN_PORT, 0x500), 0xf1);
	assert_int_equal(value_of(IN_PORT, 0x504), 99);
	assert_int_equal(value_of(IN_PORT, 0x508), 7); /* it counts the firmware's time again */
}

TEST(wdat_that_is_not_used)
{
	make_wdat();
	wdat[60] = 0; /* not enabled */
	assert_null(find_wdat());
	make_wdat();
	entry(1, 2, 2, 0x508, 1, 1); /* in configuration space */
	assert_null(find_wdat());
	make_wdat();
	entry(1, 2, 1, 0x70, 1, 1); /* the clock's port */
	assert_null(find_wdat());
	make_wdat();
	entry(1, 2, 0, 0x508, 1, 1); /* RAM */
	assert_null(find_wdat());
	make_wdat();
	put32(64, 1000); /* more entries than there are */
	assert_null(find_wdat());
	make_wdat();
	put32(48, 0); /* no time */
	assert_null(find_wdat());
}

/* SMBIOS's structure of a management controller with that base; modifier: spacing and low bit. */
static const struct watchdog_device *find_kcs(uint64_t base, uint8_t modifier)
{
	unsigned char s[] = "\x26\x12\0\0\1\x20\x20\xff"
			    "01234567\0\0\0\0\x7f\4\1\0\0";

	memcpy(s + 8, &base, sizeof base);
	s[16] = modifier;
	return kcs_find(&calls, s, sizeof s - 1);
}

/* Thirteen machines state port 0CA2h without the bit that says so: RAM must not be written. */
TEST(kcs_at_a_port_or_in_memory)
{
	static const struct {
		uint64_t base;
		enum register_space space;
		uint64_t status; /* 0: not found */
	} cases[] = { { 0xca3, IN_PORT, 0xca3 }, { 0xca2, IN_PORT, 0xca3 },
		{ 0x20000, IN_MEMORY, 0 }, { 0xffffe, IN_MEMORY, 0 },
		{ 0x100000, IN_MEMORY, 0x100001 }, { 0xfed00000, IN_MEMORY, 0xfed00001 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		renew();
		place(cases[i].space, cases[i].status, 0);
		const struct watchdog_device *d = find_kcs(cases[i].base, 0);

		if (!d != !cases[i].status)
			fail_msg("base %#lx: %s", cases[i].base, d ? "found" : "not found");
	}
}
