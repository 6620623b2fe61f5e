/* SPDX-License-Identifier: MIT */
/* The FADT's claims about resetting, and the order of the ways that follows from them. */
#include "kernel/firmware/acpi.h"
#include "kernel/finish.c"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/test.h"

#define SUPPORTED (1 << 10)
#define REDUCED   (1 << 20)

enum { LENGTH = 244, FLAGS = 112, REGISTER = 116, ADDRESS = 120, VALUE = 128 };

/* A FADT of that length whose register is in a space, at an address; value 0fh. */
static struct fadt_reset of(uint32_t length, uint32_t flags, unsigned space, uint64_t address)
{
	unsigned char *t[1] = { make("FACP", LENGTH) };

	put(t[0], FLAGS, flags, 4);
	put(t[0], REGISTER, space, 1);
	put(t[0], ADDRESS, address, 8);
	put(t[0], VALUE, 0x0f, 1);
	put(t[0], 4, length, 4);
	sum_up(t[0], length, 9);
	return fadt_reset(make_root(true, t, 1));
}

BEFORE_EACH(take_area);

TEST(registers_in_each_space)
{
	struct fadt_reset r = of(LENGTH, SUPPORTED, 1, 0xcf9);

	assert_true(r.register_present && !r.hardware_reduced);
	assert_int_equal(r.space, RESET_PORT);
	assert_int_equal(r.address, 0xcf9);
	assert_int_equal(r.value, 0x0f);
	r = of(LENGTH, SUPPORTED, 0, 0x1fe000000);
	assert_true(r.register_present && r.space == RESET_MEMORY);
	assert_int_equal(r.address, 0x1fe000000);
	/* device 1fh, function 3, offset 44h, as ACPI 6.5, 5.2.3.2 packs them */
	r = of(LENGTH, SUPPORTED, 2, 0x0000001f00030044);
	assert_true(r.register_present && r.space == RESET_PCI);
	assert_int_equal(r.address, 0x8000fb44);
	r = of(129, SUPPORTED, 1, 0xcf9); /* the shortest that has both */
	assert_true(r.register_present);
}

TEST(registers_that_are_none)
{
	assert_false(of(LENGTH, 0, 1, 0xcf9).register_present);
	assert_false(of(LENGTH, SUPPORTED, 1, 0).register_present);
	assert_false(of(LENGTH, SUPPORTED, 1, 0x10000).register_present);
	assert_false(of(LENGTH, SUPPORTED, 3, 0xcf9).register_present); /* embedded controller */
	assert_false(of(LENGTH, SUPPORTED, 0x7f, 0xcf9).register_present);
	assert_false(of(128, SUPPORTED, 1, 0xcf9).register_present);
	assert_true(of(116, SUPPORTED | REDUCED, 1, 0xcf9).hardware_reduced);
	assert_false(of(115, SUPPORTED | REDUCED, 1, 0xcf9).hardware_reduced);
	assert_false(fadt_reset(0).register_present);
}

static void expect(bool reduced, bool present, bool pci, const enum reset_step *expected,
	unsigned n)
{
	struct fadt_reset r = { .register_present = present, .hardware_reduced = reduced };
	enum reset_step order[RESET_STEPS];

	assert_int_equal(reset_order(&r, pci, order), n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(order[i], expected[i]);
}

TEST(orders)
{
	static const enum reset_step all[] = { RESET_BY_REGISTER, RESET_BY_CF9,
		RESET_BY_FIRMWARE_COLD, RESET_BY_FIRMWARE_WARM, RESET_BY_KEYBOARD,
		RESET_BY_TRIPLE_FAULT },
				     reduced[] = { RESET_BY_FIRMWARE_COLD, RESET_BY_FIRMWARE_WARM,
					     RESET_BY_REGISTER, RESET_BY_KEYBOARD,
					     RESET_BY_TRIPLE_FAULT };

	expect(false, true, true, all, 6);
	expect(false, false, true, all + 1, 5);
	expect(false, false, false, all + 2, 4);
	expect(true, true, false, reduced, 5);
}
