/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/cpu/safe.h"
#include "kernel/firmware/acpi.c"
#include "tests/unit/acpi_tables.h"
#include "tests/unit/test.h"

/* Continue after an access that faults with its vector, like the kernel's handler. */
static void on_fault(int signal, siginfo_t *info, void *priv)
{
	greg_t *r = ((ucontext_t *)priv)->uc_mcontext.gregs;
	uint64_t resume = fixup_address((uint64_t)r[REG_RIP]);

	if (!resume)
		_exit(128 + signal);
	r[REG_RIP] = (greg_t)resume;
	r[REG_RAX] = 14;
}

/* Within a test: cmocka takes the signals before it. */
static void catch_faults(void)
{
	struct sigaction a = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
}

BEFORE_ALL(take_area);

/* The port of a FADT of that length and its flags, for a value; *why: as acpi_smi_port says. */
static uint16_t smi_port(uint32_t length, uint32_t flags, uint64_t command, uint8_t value,
	const char **why)
{
	static const uint8_t named[] = { 52, 53, 54, 55, 95 };
	unsigned char *t = make("FACP", 244);
	uint16_t port = 0;

	put(t, 48, command, 4);
	for (unsigned i = 0; i < sizeof named; i++)
		put(t, named[i], 0xa1 + i, 1);
	put(t, 112, flags, 4);
	put(t, 4, length, 4);
	*why = acpi_smi_port((const struct acpi_table *)t, value, &port);
	return port;
}

TEST(a_port_for_smis)
{
	const char *why;

	assert_int_equal(0xb2, smi_port(244, 0, 0xb2, 0x5d, &why));
	assert_null(why);
	assert_int_equal(0xffff, smi_port(116, 0, 0xffff, 0xa6, &why));
	assert_null(why);
	assert_int_equal(0xb2, smi_port(95, 0, 0xb2, 0xa5, &why)); /* without CST_CNT */
	assert_null(why);
}

TEST(values_that_acpi_gives_a_meaning)
{
	const char *why;

	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(0, smi_port(244, 0, 0xb2, (uint8_t)(0xa1 + i), &why));
		assert_non_null(strstr(why, "a meaning"));
	}
}

TEST(no_port_for_smis)
{
	const char *why;
	uint16_t port = 0;

	assert_non_null(acpi_smi_port(NULL, 0x5d, &port));
	assert_int_equal(0, port);
	smi_port(244, 0, 0, 0x5d, &why);
	assert_non_null(strstr(why, "SMI_CMD"));
	smi_port(244, 0, 0x10000, 0x5d, &why);
	assert_non_null(why);
	smi_port(244, 1 << 20, 0xb2, 0x5d, &why); /* hardware-reduced */
	assert_non_null(why);
	smi_port(51, 0, 0xb2, 0x5d, &why);
	assert_non_null(why);
}

TEST(finds_by_either_index)
{
	for (unsigned wide = 0; wide < 2; wide++) {
		unsigned char *t[3] = { make("FACP", 244), make("HPET", 56), make("APIC", 60) };
		uint64_t root = make_root(wide, t, 3);

		assert_ptr_equal(acpi_find(root, "HPET"), t[1]);
		assert_ptr_equal(acpi_find(root, "APIC"), t[2]);
		assert_null(acpi_find(root, "SRAT"));
		assert_true(acpi_sum_is_right((void *)t[1]));
		t[1][40]++; /* a wrong checksum is noticed, and no more */
		assert_ptr_equal(acpi_find(root, "HPET"), t[1]);
		assert_false(acpi_sum_is_right((void *)t[1]));
		assert_ptr_equal(acpi_find(root, "APIC"), t[2]);
	}
	assert_null(acpi_find(0, "APIC"));
}

TEST(a_damaged_root_finds_nothing)
{
	unsigned char *t[1] = { make("APIC", 60) };
	unsigned char *root = (unsigned char *)make_root(true, t, 1);

	for (unsigned i = 0; i < 36; i++) {
		root[i] ^= 0x10;
		assert_null(acpi_find((uint64_t)root, "APIC"));
		root[i] ^= 0x10;
	}
	assert_non_null(acpi_find((uint64_t)root, "APIC"));
}

/* Contents of real indices: zeros, addresses of nothing, tables of impossible lengths. */
TEST(an_index_of_junk)
{
	static const uint32_t lengths[] = { 0, 35, 2 << 20, UINT32_MAX };

	catch_faults();
	for (unsigned wide = 0; wide < 2; wide++) {
		unsigned char *t[7] = { NULL, (void *)0xdead0000, NULL, make("APIC", 60), NULL,
			(void *)~0xfffULL, make("HPET", 56) };
		uint64_t root = make_root(wide, t, 7);

		assert_ptr_equal(acpi_find(root, "HPET"), t[6]);
		for (unsigned i = 0; i < 4; i++) {
			memcpy(t[3] + 4, &lengths[i], 4);
			assert_null(acpi_find(root, "APIC"));
			assert_ptr_equal(acpi_find(root, "HPET"), t[6]);
		}
	}
	assert_null(acpi_find(0xdead0000, "APIC"));
}

/* Above 4 GiB an address counts only where the memory map has it. */
TEST(only_where_memory_is)
{
	unsigned char *high =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct memory_entry e[2] = { { .type = 9, .base = 1ULL << 40, .pages = 1 },
		{ .type = 0, .base = (uint64_t)high, .pages = 1 } };
	const struct memory_map map = { (unsigned char *)e, sizeof e, sizeof *e };
	unsigned char *t[1] = { high }, *apic = make("APIC", 60);

	assert_true((uint64_t)high > UINT32_MAX);
	memcpy(high, apic, 60);
	uint64_t root = make_root(true, t, 1);

	acpi_use_map(&map);
	assert_ptr_equal(acpi_find(root, "APIC"), high);
	e[1].base += 4096;
	assert_null(acpi_find(root, "APIC"));
	acpi_use_map(NULL);
	assert_ptr_equal(acpi_find(root, "APIC"), high);
	munmap(high, 8192);
}

TEST(without_an_xsdt_the_rsdt)
{
	unsigned char *t[1] = { make("APIC", 60) };
	unsigned char *narrow = (unsigned char *)make_root(false, t, 1);
	unsigned char *root = (unsigned char *)make_root(true, t, 1);
	uint64_t xsdt[3] = { 0, 0xdead0000, (uint64_t)make("JUNK", 44) };

	catch_faults();
	memcpy(root + 16, narrow + 16, 4);
	sum_up(root, 20, 8);
	for (unsigned i = 0; i < 3; i++) {
		memcpy(root + 24, &xsdt[i], 8);
		sum_up(root, 36, 32);
		assert_ptr_equal(acpi_find((uint64_t)root, "APIC"), t[0]);
	}
	root[32]++; /* the second part's checksum */
	assert_ptr_equal(acpi_find((uint64_t)root, "APIC"), t[0]);
	root[32]--;
	root[20] = 24; /* too short for an XSDT */
	sum_up(root, 36, 32);
	assert_ptr_equal(acpi_find((uint64_t)root, "APIC"), t[0]);
}

TEST(timers)
{
	unsigned char *t[2] = { make("FACP", 244), make("HPET", 56) };
	uint64_t root = make_root(true, t, 2);
	unsigned bits = 0;

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
	put(t[1], 44, 0xfffff, 8); /* there is RAM */
	assert_false(acpi_hpet(root).present);
	put(t[1], 44, 0xfed00000, 8);
	p = acpi_hpet(root);
	assert_true(p.present && p.memory && p.address == 0xfed00000);
}

TEST(short_tables_are_not_read_beyond)
{
	unsigned char *t[3] = { make("FACP", 80), make("HPET", 40), make("SPCR", 38) };
	uint64_t root = make_root(true, t, 3);
	unsigned bits;

	assert_false(acpi_pm_timer(root, &bits).present);
	assert_false(acpi_hpet(root).present);
	assert_false(acpi_serial(root).present);
}

TEST(serial_port)
{
	unsigned char *t[1] = { make("SPCR", 80) };
	uint64_t root = make_root(true, t, 1);

	put(t[0], 40, 1, 1);
	put(t[0], 44, 0x2f8, 8);
	struct acpi_address p = acpi_serial(root);
	assert_true(p.present && !p.memory && p.address == 0x2f8);
	put(t[0], 40, 0, 1);
	put(t[0], 44, 0xfe03e000, 8);
	p = acpi_serial(root);
	assert_true(p.present && p.memory && p.address == 0xfe03e000);
	assert_int_equal(p.width, 1);
	assert_int_equal(p.stride, 1);
	put(t[0], 41, 32, 1); /* bits of a register, */
	put(t[0], 43, 3, 1);  /* of which all are read at once: Linux's mmio32 */
	p = acpi_serial(root);
	assert_int_equal(p.width, 4);
	assert_int_equal(p.stride, 4);
	put(t[0], 43, 0, 1); /* how they are read is not told */
	p = acpi_serial(root);
	assert_int_equal(p.width, 4);
	assert_int_equal(p.stride, 4);
	put(t[0], 43, 1, 1); /* bytes, side by side; */
	assert_int_equal(acpi_serial(root).stride, 1);
	put(t[0], 36, 0x12, 1); /* or as far apart as the width says */
	p = acpi_serial(root);
	assert_int_equal(p.width, 1);
	assert_int_equal(p.stride, 4);
	put(t[0], 41, 3, 1);
	put(t[0], 43, 9, 1);
	p = acpi_serial(root);
	assert_int_equal(p.width, 1);
	assert_int_equal(p.stride, 1);
	put(t[0], 36, 3, 1); /* a PL011 */
	assert_false(acpi_serial(root).present);
}

TEST(entries_of_the_madt)
{
	static const unsigned char entries[] = { 0, 8, 0, 0, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 9, 16, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 200 };
	unsigned char *t = make("APIC", 44 + sizeof entries);
	const uint8_t *e;
	uint32_t at = 0, n = 0, types = 0;

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

TEST(processors_of_the_madt)
{
	static const struct {
		uint8_t entry[16];
		int64_t id; /* -1: no processor to start */
	} rows[] = {
		{ { 0, 8, 1, 5, 1 }, 5 },
		{ { 0, 8, 1, 5, 0 }, -1 },    /* a hole: not enabled, */
		{ { 0, 8, 1, 5, 2 }, -1 },    /* may come later, */
		{ { 0, 8, 1, 0xff, 1 }, -1 }, /* or missing */
		{ { 0, 7, 1, 5, 1 }, -1 },
		{ { 9, 16, 0, 0, 0x2c, 1, 0, 0, 1 }, 300 },
		{ { 9, 16, 0, 0, 0x2c, 1, 0, 0, 2 }, -1 },
		{ { 9, 16, 0, 0, 0xff, 0xff, 0xff, 0xff, 1 }, -1 },
		{ { 9, 12, 0, 0, 0x2c, 1, 0, 0, 1 }, -1 },
		{ { 1, 12, 0, 0, 1 }, -1 },
	};

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t id = 0;
		bool is = madt_processor(rows[i].entry, &id);

		if (is != (rows[i].id >= 0) || (is && id != rows[i].id))
			fail_msg("row %u: a processor: %d, id %u", i, is, id);
	}
}

/* ACPI 6.5, 5.2.9: PM1a_CNT_BLK, and its extended form, which counts if it is there. */
TEST(the_port_of_pm1_control)
{
	unsigned char *fadt = make("FACP", 244), *old = make("FACP", 84);
	const struct acpi_table *t = (void *)fadt;

	put(fadt, 64, 0x404, 4);
	put(old, 64, 0x1804, 4);
	assert_int_equal(acpi_pm1_control(t), 0x404);
	assert_int_equal(acpi_pm1_control((void *)old), 0x1804);
	put(fadt, 172, 1, 1); /* a port */
	put(fadt, 176, 0x604, 8);
	assert_int_equal(acpi_pm1_control(t), 0x604);
	put(fadt, 172, 0, 1); /* in memory: not read */
	put(fadt, 176, 0xfed40604, 8);
	assert_int_equal(acpi_pm1_control(t), 0);
	put(fadt, 176, 0, 8);
	put(fadt, 112, 1 << 20, 4); /* hardware-reduced */
	assert_int_equal(acpi_pm1_control(t), 0);
	assert_int_equal(acpi_pm1_control(NULL), 0);
}
