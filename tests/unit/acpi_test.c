/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/firmware/acpi.h"
#include "tests/unit/acpi_tables.h"

static void finds_by_either_index(void **state)
{
	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		unsigned char *t[3] = { make("FACP", 244), make("HPET", 56), make("APIC", 60) };
		uint64_t root = make_root(wide, t, 3);

		assert_ptr_equal(acpi_find(root, "HPET"), t[1]);
		assert_ptr_equal(acpi_find(root, "APIC"), t[2]);
		assert_null(acpi_find(root, "SRAT"));
		t[1][40]++; /* a wrong checksum */
		assert_null(acpi_find(root, "HPET"));
		assert_ptr_equal(acpi_find(root, "APIC"), t[2]);
	}
	assert_null(acpi_find(0, "APIC"));
}

static void a_damaged_root_finds_nothing(void **state)
{
	unsigned char *t[1] = { make("APIC", 60) };
	unsigned char *root = (unsigned char *)make_root(true, t, 1);

	(void)state;
	for (unsigned i = 0; i < 36; i++) {
		root[i] ^= 0x10;
		assert_null(acpi_find((uint64_t)root, "APIC"));
		root[i] ^= 0x10;
	}
	assert_non_null(acpi_find((uint64_t)root, "APIC"));
}

static void timers(void **state)
{
	unsigned char *t[2] = { make("FACP", 244), make("HPET", 56) };
	uint64_t root = make_root(true, t, 2);
	unsigned bits = 0;

	(void)state;
	assert_false(acpi_pm_timer(root, &bits).present); /* length 0: there is none */
	put(t[0], 76, 0x608, 4);
	put(t[0], 91, 4, 1);
	struct acpi_address p = acpi_pm_timer(root, &bits);
	assert_true(p.present && !p.memory && p.address == 0x608);
	assert_int_equal(bits, 24);
	put(t[0], 112, 1 << 8, 4);
	put(t[0], 208, 1, 1); /* I/O space */
	put(t[0], 212, 0x1808, 8);
	p = acpi_pm_timer(root, &bits);
	assert_true(p.present && !p.memory && p.address == 0x1808);
	assert_int_equal(bits, 32);
	assert_false(acpi_hpet(root).present);
	put(t[1], 44, 0xfed00000, 8);
	p = acpi_hpet(root);
	assert_true(p.present && p.memory && p.address == 0xfed00000);
}

static void short_tables_are_not_read_beyond(void **state)
{
	unsigned char *t[3] = { make("FACP", 80), make("HPET", 40), make("SPCR", 38) };
	uint64_t root = make_root(true, t, 3);
	unsigned bits;

	(void)state;
	assert_false(acpi_pm_timer(root, &bits).present);
	assert_false(acpi_hpet(root).present);
	assert_false(acpi_serial(root).present);
}

static void serial_port(void **state)
{
	unsigned char *t[1] = { make("SPCR", 80) };
	uint64_t root = make_root(true, t, 1);

	(void)state;
	put(t[0], 40, 1, 1);
	put(t[0], 44, 0x2f8, 8);
	struct acpi_address p = acpi_serial(root);
	assert_true(p.present && !p.memory && p.address == 0x2f8);
	put(t[0], 40, 0, 1);
	put(t[0], 44, 0xfe03e000, 8);
	p = acpi_serial(root);
	assert_true(p.present && p.memory && p.address == 0xfe03e000);
	put(t[0], 36, 3, 1); /* a PL011 */
	assert_false(acpi_serial(root).present);
}

static void entries_of_the_madt(void **state)
{
	static const unsigned char entries[] = { 0, 8, 0, 0, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 9, 16, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 200 };
	unsigned char *t = make("APIC", 44 + sizeof entries);
	const uint8_t *e;
	uint32_t at = 0, n = 0, types = 0;

	(void)state;
	memcpy(t + 44, entries, sizeof entries);
	while ((e = acpi_entry((struct acpi_table *)t, &at))) {
		types = types << 8 | e[0];
		n++;
	}
	assert_int_equal(n, 3); /* the last one reaches beyond the table */
	assert_int_equal(types, 0x000109);
	t[45] = 0; /* length 0: would never end */
	at = 0;
	assert_null(acpi_entry((struct acpi_table *)t, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_by_either_index),
		cmocka_unit_test(a_damaged_root_finds_nothing),
		cmocka_unit_test(timers),
		cmocka_unit_test(short_tables_are_not_read_beyond),
		cmocka_unit_test(serial_port),
		cmocka_unit_test(entries_of_the_madt),
	};

	return cmocka_run_group_tests(tests, take_area, NULL);
}
