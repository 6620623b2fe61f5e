/* SPDX-License-Identifier: MIT */
/* The choice of the serial port and of its speed. */
#include "kernel/console/keys.c"
#include "kernel/console/serial.c"
#include "kernel/cpu/msr.h"
#include "kernel/firmware/firmware_calls.h"
#include "tests/unit/test.h"

/* A processor without a hypervisor: no debug console is looked for. */
const struct cpu_ops this_cpu;
uint64_t tsc_per_second;

struct cpuid cpu_leaf(const struct cpu_ops *cpu, uint32_t leaf)
{
	return (struct cpuid){ 0 };
}

bool boot_services_active(void)
{
	return false;
}

bool firmware_has_keys(void)
{
	return false;
}

unsigned firmware_key(void)
{
	return KEY_NONE;
}

static const struct acpi_address none = { 0 }, at_3f8 = { true, false, 0x3f8, 1, 1 },
				 at_2f8 = { true, false, 0x2f8, 1, 1 },
				 mapped = { true, true, 0xfe03e000, 1, 1 };

static void expect(enum serial_choice choice, struct acpi_address spcr, uint64_t map, bool sets)
{
	assert_int_equal(serial_choose(choice, spcr), map);
	assert_int_equal(set_up_line, sets);
}

TEST(speed)
{
	expect(SERIAL_AUTO, none, 0, true);
	expect(SERIAL_AUTO, at_3f8, 0, false); /* at the speed that the firmware's listener has */
	expect(SERIAL_AUTO, at_2f8, 0, false);
	expect(SERIAL_AUTO, mapped, mapped.address, false);
	expect(SERIAL_COM1, at_3f8, 0, false);
	expect(SERIAL_COM1, at_2f8, 0, true); /* nobody has set that one up */
	expect(SERIAL_COM1, none, 0, true);
	expect(SERIAL_SPCR, at_3f8, 0, false);
	expect(SERIAL_SPCR, none, 0, false);
	expect(SERIAL_OFF, at_3f8, 0, false);
}

enum {
	REG_DATA = 0,
	REG_STATUS = 5,
	REG_SCRATCH = 7,
	RECEIVED = 1,
	FRAMING = 8,
	BREAK = 16,
	CAN_SEND = 32
};

/* Registers of so many bytes, all in memory, which keep what is written into them. */
static uint32_t memory[8];
static struct acpi_address registers(unsigned width, unsigned stride)
{
	memset(memory, 0, sizeof memory);
	return (struct acpi_address){ true, true, (uintptr_t)memory, width, stride };
}

static uint8_t *register_at(unsigned reg, unsigned stride)
{
	return (uint8_t *)memory + reg * stride;
}

TEST(registers_may_lie_apart)
{
	for (unsigned stride = 1; stride <= 4; stride *= 2) {
		struct acpi_address at = registers(stride, stride);

		serial_choose(SERIAL_SPCR, at);
		*register_at(REG_STATUS, stride) = CAN_SEND;
		assert_null(serial_open());
		assert_true(serial_receives());
		serial_write("x\n", 2);
		assert_int_equal(*register_at(REG_DATA, stride), '\n');
		assert_int_equal(*register_at(REG_SCRATCH, stride), 0xa5);
		assert_int_equal(*register_at(REG_STATUS, stride), CAN_SEND);
	}
}

TEST(a_dead_port_is_not_used)
{
	char said[80];

	serial_choose(SERIAL_SPCR, registers(1, 1));
	snprintf(said, sizeof said, "the SPCR's serial port %llx sends nothing",
		(unsigned long long)(uintptr_t)memory);
	assert_string_equal(serial_open(), said);
	assert_false(serial_present());
}

TEST(a_port_that_takes_no_more_is_given_up)
{
	serial_choose(SERIAL_SPCR, registers(1, 1));
	*register_at(REG_STATUS, 1) = CAN_SEND;
	assert_null(serial_open());
	*register_at(REG_STATUS, 1) = 0;
	for (unsigned i = 0; i < 19; i++)
		serial_write("x", 1);
	assert_true(serial_present());
	serial_write("x", 1);
	assert_false(serial_present());
}

TEST(bytes_with_errors_are_dropped)
{
	uint8_t byte = 0;

	serial_choose(SERIAL_SPCR, registers(1, 1));
	*register_at(REG_STATUS, 1) = CAN_SEND;
	assert_null(serial_open());
	*register_at(REG_DATA, 1) = 'k';
	assert_false(serial_receive(&byte));
	*register_at(REG_STATUS, 1) = CAN_SEND | RECEIVED | FRAMING;
	assert_false(serial_receive(&byte));
	*register_at(REG_STATUS, 1) = CAN_SEND | RECEIVED | BREAK;
	assert_false(serial_receive(&byte));
	*register_at(REG_STATUS, 1) = 0xff; /* nothing is there */
	assert_false(serial_receive(&byte));
	*register_at(REG_STATUS, 1) = CAN_SEND | RECEIVED;
	assert_true(serial_receive(&byte));
	assert_int_equal(byte, 'k');
}

TEST(escape_counts_alone)
{
	static const struct {
		const char *bytes;
		unsigned key;
	} cases[] = { { "", KEY_NONE }, { "\x1b", KEY_ESC }, { "\x1b\x1b", KEY_ESC },
		{ "\x1b\x1b\x1b", KEY_NONE }, { "\x1b[A", 'A' }, { "p", 'p' }, { "pq\x1b", 'q' } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(serial_key((const uint8_t *)cases[i].bytes,
					 (unsigned)strlen(cases[i].bytes)),
			cases[i].key);
	assert_int_equal(serial_key((const uint8_t *)"\0\x1b\0", 3), KEY_ESC);
}
