/* SPDX-License-Identifier: MIT */
/* Which serial port is taken, and whose speed it keeps. */
#include "kernel/console/serial.h"
#include "tests/unit/test.h"

static const struct acpi_address none = { false, false, 0 }, com1 = { true, false, 0x3f8 },
				 com2 = { true, false, 0x2f8 }, mapped = { true, true, 0xfe03e000 };

static void expect(enum serial_choice choice, struct acpi_address spcr, uint64_t map, bool sets)
{
	assert_int_equal(serial_choose(choice, spcr), map);
	assert_int_equal(serial_sets_speed(), sets);
}

TEST(speed)
{
	expect(SERIAL_AUTO, none, 0, true);
	expect(SERIAL_AUTO, com1, 0, false); /* at the speed that the firmware's listener has */
	expect(SERIAL_AUTO, com2, 0, false);
	expect(SERIAL_AUTO, mapped, mapped.address, false);
	expect(SERIAL_COM1, com1, 0, false);
	expect(SERIAL_COM1, com2, 0, true); /* nobody has set that one up */
	expect(SERIAL_COM1, none, 0, true);
	expect(SERIAL_SPCR, com1, 0, false);
	expect(SERIAL_SPCR, none, 0, false);
	expect(SERIAL_OFF, com1, 0, false);
}
