/* SPDX-License-Identifier: MIT */
/* Banks of machine checks, of a processor that is made up; and which bits of CR4 are kept. */
#include "kernel/cpu/cpu_state.c"
#include "kernel/cpu/machine_check.c"
#include "tests/unit/msr_double.h"
#include "tests/unit/test.h"

#define BIT_VALID       0x8000000000000000
#define BIT_UNCORRECTED 0x2000000000000000
#define PLACES          0x0c00000000000000 /* MISCV, ADDRV */

static const struct cpuid_answer with_banks[] = { INTEL, { 1, { 0, 0, 0, 1 << 7 | 1 << 14 } } };

/* Two banks; the second one holds an error from before, and MCIP is set. */
static const struct value two_banks[] = { { 0x179, 2, 0 }, { 0x17a, 7, 0 }, { 0x401, 0, 0 },
	{ 0x402, 0, 0 }, { 0x403, 0, 0 }, { 0x405, BIT_VALID | PLACES | 0x9f, 0 },
	{ 0x406, 0x12345680, 0 }, { 0x407, 0x86, 0 } };

TEST(what_was_there_is_told_and_stays)
{
	char text[MACHINE_CHECKS_KEPT * MACHINE_CHECK_TEXT];

	MACHINE(with_banks, two_banks);
	assert_int_equal(machine_checks_open(&test_cpu), 1);
	assert_true(machine_checks_known());
	assert_int_equal(value_of(0x17a), 3); /* MCIP is cleared, the rest stays */
	assert_int_equal(machine_checks_poll(), 0);
	machine_checks_take();
	machine_checks_text(text, sizeof text);
	assert_string_equal(text,
		"  bank 1: corrected, memory controller\n"
		"    status 8c0000000000009f, address 12345680, misc 86\n");
	assert_int_equal(value_of(0x405), BIT_VALID | PLACES | 0x9f);
}

TEST(new_ones_are_counted_once)
{
	char text[MACHINE_CHECKS_KEPT * MACHINE_CHECK_TEXT];

	MACHINE(with_banks, two_banks);
	machine_checks_open(&test_cpu);
	find_msr(0x401)->value = BIT_VALID | 0x0135;
	assert_int_equal(machine_checks_poll(), 1);
	assert_int_equal(machine_checks_poll(), 0);
	machine_checks_text(text, sizeof text);
	assert_string_equal(text,
		"  bank 0: corrected, cache\n"
		"    status 8000000000000135, address 0, misc 0\n");
	find_msr(0x405)->value |= 1ULL << 38; /* the same again: its count */
	assert_int_equal(machine_checks_poll(), 1);
	find_msr(0x401)->value = 0; /* somebody cleared it */
	assert_int_equal(machine_checks_poll(), 0);
}

/* AMD has up to 64; before, banks from 32 on were not looked at (Linux a0bc32b3cacf). */
TEST(sixty_four_banks)
{
	static const struct value wide[] = { { 0x179, 64, 0 }, { 0x17a, 0, 0 },
		{ 0x401 + 4 * 63, 0, 0 } };

	MACHINE(with_banks, wide);
	assert_int_equal(machine_checks_open(&test_cpu), 0);
	find_msr(0x401 + 4 * 63)->value = BIT_VALID | 0x0135;
	assert_int_equal(machine_checks_poll(), 1);
}

/* APM vol. 2, 9.1.3 and 9.3: registers of its own, of which the old ones show the first 32. */
TEST(scalable_banks_of_amd)
{
	static const struct cpuid_answer scalable[] = { AMD, { 1, { 0, 0, 0, 1 << 7 | 1 << 14 } },
		{ 0x80000000, { 0x80000008, 0, 0, 0 } }, { 0x80000007, { 0, 1 << 3, 0, 0 } } };
	static const struct value registers[] = { { 0x179, 40, 0 }, { 0x17a, 0, 0 },
		{ 0xc0002001 + 0x10 * 39, 0, 0 }, { 0xc0002002 + 0x10 * 39, 0xabcd00, 0 },
		{ 0xc0002003 + 0x10 * 39, 7, 0 }, { 0xc0002008 + 0x10 * 2, 0, 0 },
		{ 0xc0002009 + 0x10 * 2, 0x5000, 0 }, { 0x401 + 4 * 39, BIT_VALID, 0 } };
	char text[MACHINE_CHECKS_KEPT * MACHINE_CHECK_TEXT];

	MACHINE(scalable, registers);
	assert_int_equal(machine_checks_open(&test_cpu), 0);
	find_msr(0xc0002001 + 0x10 * 39)->value = BIT_VALID | PLACES | 0x0135;
	assert_int_equal(machine_checks_poll(), 1);
	find_msr(0xc0002008 + 0x10 * 2)->value =
		BIT_VALID | 1ULL << 58 | 1ULL << 44 | 0x9f; /* deferred */
	assert_int_equal(machine_checks_poll(), 1);
	assert_int_equal(machine_checks_poll(), 0);
	machine_checks_text(text, sizeof text);
	assert_string_equal(text,
		"  bank 39: corrected, cache\n"
		"    status 8c00000000000135, address abcd00, misc 7\n"
		"  bank 2: deferred, memory controller\n"
		"    status 840010000000009f, address 5000, misc 0\n");
}

TEST(an_exception_keeps_all_and_clears_mcip)
{
	char text[MACHINE_CHECKS_KEPT * MACHINE_CHECK_TEXT];

	MACHINE(with_banks, two_banks);
	machine_checks_open(&test_cpu);
	find_msr(0x17a)->value = 5;
	find_msr(0x401)->value = BIT_VALID | BIT_UNCORRECTED | 1ULL << 57 | 1ULL << 62 | 0x0e0b;
	machine_checks_take();
	machine_checks_take(); /* on another processor that shares them */
	assert_int_equal(value_of(0x17a), 1);
	machine_checks_text(text, sizeof text);
	assert_non_null(strstr(text,
		"bank 0: uncorrected, I/O, processor state lost, not the only one\n"));
	assert_non_null(strstr(text, "bank 1: corrected"));
	assert_null(strstr(strstr(text, "bank 1") + 1, "bank"));
}

TEST(without_banks_nothing_is_read)
{
	static const struct cpuid_answer none[] = { INTEL, { 1, { 0, 0, 0, 1 << 7 } } };
	char text[MACHINE_CHECK_TEXT];

	MACHINE(none, two_banks);
	assert_int_equal(machine_checks_open(&test_cpu), 0);
	assert_false(machine_checks_known());
	assert_int_equal(machine_checks_poll(), 0);
	machine_checks_take();
	assert_int_equal(machine_checks_text(text, sizeof text), 0);
	assert_int_equal(value_of(0x17a), 7);
}

/* SDM vol. 3B tables 16-10 to 16-14, with the filter bit (12) and without. */
TEST(kinds_of_errors)
{
	static const struct {
		uint16_t code;
		const char *kind;
	} t[] = { { 0x0001, "unclassified" }, { 0x000f, "cache" }, { 0x0011, "TLB" },
		{ 0x1011, "TLB" }, { 0x0090, "memory controller" }, { 0x108f, "memory controller" },
		{ 0x0290, "memory used as a cache" }, { 0x0151, "cache" }, { 0x1151, "cache" },
		{ 0x0400, "internal timer" }, { 0x0405, "internal" }, { 0x0e0b, "I/O" },
		{ 0x0e0f, "bus or interconnect" }, { 0x0800, "bus or interconnect" },
		{ 0xf000, "of unknown kind" } };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		assert_string_equal(machine_check_kind(BIT_VALID | t[i].code), t[i].kind);
}

/* The longest lines fit onto the console. */
TEST(lines_fit)
{
	const struct machine_check m = { 31, UINT64_MAX & ~0xffffULL, UINT64_MAX, UINT64_MAX };
	char text[MACHINE_CHECK_TEXT];
	size_t n = machine_check_text(&m, text, sizeof text);
	char *end = strchr(text, '\n');

	assert_true(end && end - text < 80 && text[n - 1] == '\n' && text + n - end <= 81);
}

TEST(unknown_bits_of_cr4_are_off)
{
	/* FRED, LAM, LASS, UINTR, PKS, CET, KL, PKE, SMAP, SMEP, PCIDE, PGE, TSD, PVI, VME */
	static const uint8_t off[] = { 32, 28, 27, 25, 24, 23, 19, 22, 21, 20, 17, 7, 2, 1, 0, 15,
		63 };
	static const uint8_t kept[] = { 12, 13 };
	struct cpu_state found = { .control.cr0 = 0x80010033 };

	for (size_t i = 0; i < sizeof off; i++) {
		found.control.cr4 = 1ULL << off[i];
		assert_false(cpu_kernel_control(&found, 0, 0).cr4 & found.control.cr4);
	}
	for (size_t i = 0; i < sizeof kept; i++) {
		found.control.cr4 = 1ULL << kept[i];
		assert_true(cpu_kernel_control(&found, 0, 0).cr4 & found.control.cr4);
	}
	assert_int_equal(cpu_kernel_control(&found, 0, 0).cr4 >> 5 & 3, 3); /* PAE, MCE */
}
