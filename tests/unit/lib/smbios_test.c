/* SPDX-License-Identifier: MIT */
/* The facts read from tables that SMBIOS may hold. */
#include "lib/smbios.h"
#include "tests/unit/test.h"

#define BIOS "\0\5\0\0\1maker\0\0" /* type 0, with a string */
#define UUID "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
/* type 1: manufacturer, product, version, serial number; UUID; how it woke, SKU, family */
#define SYSTEM "\1\x1b\0\0\1\2\0\3" UUID "\6\0\0"
#define LAST   "\x7f\4\0\0\0\0"

static struct host host;

static unsigned version = 0x300; /* of the entry point */

/* In memory of its very size, so that the sanitizer sees a read beyond. */
static void read_bytes(const char *bytes, size_t n)
{
	char *exact = malloc(n + 1);

	memset(&host, 0, sizeof host);
	smbios_read(memcpy(exact + 1, bytes, n), n, version, &host);
	free(exact);
}

#define READ(bytes) read_bytes(bytes, sizeof(bytes) - 1)

static void assert_host(const char *uuid, const char *serial)
{
	assert_string_equal(host.uuid, uuid);
	assert_string_equal(host.serial, serial);
}

TEST(known)
{
	READ(BIOS SYSTEM "acme\0box 3\0SN 123  \0\0" LAST);
	assert_host("04030201-0605-0807-090a-0b0c0d0e0f10", "SN 123");
}

/* Before 2.6 its first fields are not little-endian, and Linux takes them so. */
TEST(uuids_of_several_versions)
{
	static const struct {
		unsigned version;
		const char *uuid;
	} cases[] = { { 0x203, "01020304-0506-0708-090a-0b0c0d0e0f10" },
		{ 0x205, "01020304-0506-0708-090a-0b0c0d0e0f10" },
		{ 0x206, "04030201-0605-0807-090a-0b0c0d0e0f10" },
		{ 0x300, "04030201-0605-0807-090a-0b0c0d0e0f10" }, { 0, "" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		version = cases[i].version;
		READ(SYSTEM "acme\0box 3\0SN 123\0\0" LAST);
		assert_host(cases[i].uuid, "SN 123");
	}
	version = 0x300;
}

TEST(versions_of_entry_points)
{
	static const struct {
		const char *entry;
		unsigned version;
	} cases[] = { { "_SM_..\2\4", 0x204 }, { "_SM3_..\3\2", 0x302 }, { "_SM_..\2\x1f", 0x203 },
		{ "_SM_..\2\x21", 0x203 }, { "_SM_..\2\x33", 0x206 }, { "_DMI_..\2\4", 0 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(smbios_version(cases[i].entry, 9), cases[i].version);
	assert_int_equal(smbios_version("_SM_..\2\4", 7), 0);
	assert_int_equal(smbios_version("_SM3_..\3\2", 8), 0);
	assert_int_equal(smbios_version("", 0), 0);
}

/* DSP0134 5.2.1 and 5.2.2: both kinds of entry point. */
TEST(structures_of_an_entry_point)
{
	unsigned char old[31] = "_SM_\0\x1f\2\4", new[24] = "_SM3_\0\x18\3\2\0";
	uint16_t bytes = 0x1234;
	uint32_t at = 0x12345678, many = 0x100000;
	uint64_t high = 0x123456789abc;
	unsigned version;
	size_t n;

	memcpy(old + 22, &bytes, 2);
	memcpy(old + 24, &at, 4);
	assert_ptr_equal((void *)(uint64_t)at, smbios_structures(old, &n, &version));
	assert_int_equal(0x1234, n);
	assert_int_equal(0x204, version);
	memcpy(new + 12, &many, 4);
	memcpy(new + 16, &high, 8);
	assert_ptr_equal((void *)high, smbios_structures(new, &n, &version));
	assert_int_equal(64 * 1024, n);
	assert_int_equal(0x302, version);
	assert_null(smbios_structures("nothing", &n, &version));
	assert_null(smbios_structures(NULL, &n, &version));
}

TEST(unknown)
{
	READ(BIOS LAST);
	assert_host("", "");
	READ(LAST BIOS SYSTEM "a\0b\0c\0\0");
	assert_host("", "");
	/* no string of that number; none at all */
	READ(SYSTEM "a\0b\0\0" LAST);
	assert_host("04030201-0605-0807-090a-0b0c0d0e0f10", "");
	READ("\1\x19\0\0\0\0\0\0"
	     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0" LAST);
	assert_host("", "");
	/* of version 2.0: without a UUID */
	READ("\1\x08\0\0\0\0\0\1only\0\0" LAST);
	assert_host("", "only");
}

TEST(strange)
{
	static const char whole[] = BIOS SYSTEM "acme\0box\0\x01\xff\"\0\0";
	char longest[200];

	READ(BIOS SYSTEM "acme\0box\0\x01\xff\"\0\0");
	assert_string_equal(host.serial, "??\"");
	for (size_t n = 0; n < sizeof whole - 1; n++) {
		read_bytes(whole, n);
		assert_host("", "");
	}
	memset(longest, 'x', sizeof longest);
	memcpy(longest, "\1\x08\0\0\0\0\0\1", 8);
	longest[198] = longest[199] = 0;
	read_bytes(longest, sizeof longest);
	assert_int_equal(strlen(host.serial), HOST_SERIAL - 1);
	assert_string_equal(host.serial + HOST_SERIAL - 5, "x...");
}

TEST(junk)
{
	for (unsigned i = 0; i < 100000; i++) {
		char bytes[64];
		size_t n = (size_t)rand() % sizeof bytes;

		for (size_t j = 0; j < n; j++)
			bytes[j] = (char)(rand() % 3 ? rand() % 6 : rand());
		read_bytes(bytes, n);
	}
}

/* --- memory modules --- */

#define NUMBER2(n) (n) & 0xff, (n) >> 8 & 0xff
#define NUMBER4(n) NUMBER2(n), NUMBER2((n) >> 16)

/* A memory array of that handle, use and number of slots: type 16 of version 2.1. */
#define ARRAY(handle, use, slots)                                                                  \
	16, 15, NUMBER2(handle), 3, use, 3, NUMBER4(0x80000000), NUMBER2(0xfffe), NUMBER2(slots),  \
		0, 0
/* A module of version 3.3 with three strings: slot, maker, part. */
#define MODULE(array, width, size, type, rated, mib, configured, wide, rank)                       \
	17, 0x5c, NUMBER2(0), NUMBER2(array), NUMBER2(0xfffe), NUMBER2(72), NUMBER2(width),        \
		NUMBER2(size), 9, 0, 1, 0, type, NUMBER2(0), NUMBER2(rated), 2, 0, 0, 3, rank,     \
		NUMBER4(mib), NUMBER2(configured), [0x54] = NUMBER4(0), NUMBER4(wide)

struct made_tables {
	unsigned char bytes[4096];
	size_t n;
};

static void add_bytes(struct made_tables *m, const void *bytes, size_t n, const char *strings,
	size_t more)
{
	memcpy(m->bytes + m->n, bytes, n);
	memcpy(m->bytes + m->n + n, strings, more);
	m->n += n + more;
}

#define ADD(made, strings, ...)                                                                    \
	do {                                                                                       \
		const unsigned char structure[] = { __VA_ARGS__ };                                 \
		add_bytes(made, structure, structure[1], strings "\0", sizeof(strings "\0"));      \
	} while (0)

static void read_made(const struct made_tables *m)
{
	read_bytes((const char *)m->bytes, m->n);
}

static void expect_modules(const char *text, double limit, const char *why)
{
	char came[MODULES_TEXT];
	const char *reason;
	double gbs = modules_limit_gbs(&host, 0, &reason);

	modules_text(&host, came);
	assert_string_equal(came, text);
	assert_string_equal(reason ? reason : "", why);
	if (!reason && (gbs < limit - 1e-9 || gbs > limit + 1e-9))
		fail_msg("expected at most %g GB/s, came %g", limit, gbs);
}

enum { DDR3 = 0x18, DDR4 = 0x1a, LPDDR4 = 0x1e, DDR5 = 0x22, LPDDR5 = 0x23, RAM = 7 };

TEST(alike_modules_are_one_kind)
{
	struct made_tables m = { .n = 0 };

	ADD(&m, "", ARRAY(0x1000, 3, 4));
	ADD(&m, "A1\0acme\0P-16", MODULE(0x1000, 64, 0x4000, DDR5, 6400, 0, 6000, 0, 1));
	ADD(&m, "B1\0acme\0P-16", MODULE(0x1000, 64, 0x7fff, DDR5, 6400, 16384, 6000, 0, 1));
	ADD(&m, "B2\0acme\0P-16", MODULE(0x1000, 64, 0, DDR5, 0, 0, 0, 0, 0)); /* empty */
	read_made(&m);
	expect_modules("2 x 16 GiB DDR5-6000", 96, "");
	assert_int_equal(host.slots, 4);
	assert_int_equal(host.modules[0].rated_mts, 6400);
	assert_int_equal(host.modules[0].ranks, 1);
	assert_int_equal(host.modules[0].width_bits, 64);
	assert_string_equal(host.modules[0].maker, "acme");
	assert_string_equal(host.modules[0].part, "P-16");
	assert_string_equal(host.modules[0].slots, "A1 B1");
	assert_true(host.modules[0].bytes == 16ull << 30);
}

TEST(modules_of_several_kinds_add_up)
{
	struct made_tables m = { .n = 0 };

	ADD(&m, "A\0a\0p", MODULE(0, 64, 0x2000, DDR4, 3200, 0, 2933, 0, 2));
	ADD(&m, "B\0a\0p", MODULE(0, 64, 0x4000, DDR4, 3200, 0, 2933, 0, 2));
	read_made(&m);
	expect_modules("1 x 8 GiB DDR4-2933 + 1 x 16 GiB DDR4-2933", 2 * 8 * 2.933, "");
	/* other makers and parts are the same words */
	ADD(&m, "E\0b\0p", MODULE(0, 64, 0x2000, DDR4, 3200, 0, 2933, 0, 2));
	read_made(&m);
	expect_modules("2 x 8 GiB DDR4-2933 + 1 x 16 GiB DDR4-2933", 3 * 8 * 2.933, "");
	assert_int_equal(host.nkinds, 3);
	/* a rate beyond 16 bits stands elsewhere; bit 15: the size is in KiB */
	ADD(&m, "C\0a\0p", MODULE(0, 32, 0x200, DDR5, 0xffff, 0, 0xffff, 8000, 1));
	ADD(&m, "", MODULE(0, 0, 0xc000, RAM, 0, 0, 0, 0, 0));
	read_made(&m);
	assert_int_equal(host.modules[3].mts, 8000);
	assert_int_equal(host.modules[3].bytes, 512 << 20);
	assert_int_equal(host.modules[4].bytes, 16 << 20);
	/* memory of a display is not the machine's */
	ADD(&m, "", ARRAY(0x2000, 4, 1));
	ADD(&m, "D\0a\0p", MODULE(0x2000, 64, 0x4000, DDR4, 3200, 0, 2933, 0, 2));
	read_made(&m);
	assert_int_equal(host.nkinds, 5);
	assert_int_equal(host.slots, 0);
}

/* A limit that may be half of the truth, or an eighth, is none. */
TEST(clocks_and_widths_of_chips)
{
	static const struct {
		unsigned type, width, rated, configured, mts;
		double limit; /* GB/s; 0: none */
	} cases[] = { { DDR3, 64, 1333, 1333, 1333, 10.664 }, { DDR3, 64, 1333, 667, 0, 0 },
		{ DDR3, 64, 667, 667, 0, 0 }, { DDR3, 64, 1600, 800, 0, 0 },
		{ DDR3, 64, 1066, 800, 800, 6.4 }, { DDR3, 64, 0, 800, 800, 6.4 },
		{ DDR4, 64, 2133, 1067, 0, 0 }, { DDR4, 64, 2400, 1200, 0, 0 },
		{ DDR4, 64, 1333, 1333, 0, 0 }, { DDR4, 64, 3200, 1600, 0, 0 },
		{ DDR4, 64, 2400, 1600, 1600, 12.8 }, { DDR5, 64, 4800, 2400, 0, 0 },
		{ DDR5, 64, 3600, 3200, 3200, 25.6 }, { LPDDR4, 64, 4266, 2133, 0, 0 },
		{ DDR4, 8, 2400, 2400, 2400, 0 }, { DDR3, 16, 1600, 1600, 1600, 0 },
		{ DDR5, 32, 4800, 4800, 4800, 0 }, { DDR4, 72, 2400, 2400, 2400, 0 },
		{ LPDDR4, 8, 4266, 4266, 4266, 0 }, { LPDDR5, 256, 6400, 6400, 6400, 0 },
		{ LPDDR5, 72, 6400, 6400, 6400, 0 }, { LPDDR5, 16, 6400, 6400, 6400, 12.8 },
		{ LPDDR5, 128, 6400, 6400, 6400, 102.4 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct made_tables m = { .n = 0 };
		const char *why;

		ADD(&m, "A\0a\0p",
			MODULE(0, cases[i].width, 0x1000, cases[i].type, cases[i].rated, 0,
				cases[i].configured, 0, 1));
		read_made(&m);
		double limit = modules_limit_gbs(&host, 0, &why);
		if (host.modules[0].mts != cases[i].mts ||
			(cases[i].limit > 0 ? fabs(limit - cases[i].limit) > 1e-9 : !why))
			fail_msg("case %zu: expected %u MT/s, %g GB/s; came %u, %g", i,
				cases[i].mts, cases[i].limit, host.modules[0].mts, limit);
	}
}

TEST(what_cannot_be_is_said_and_not_used)
{
	static const struct {
		unsigned width, size, type, configured;
		const char *text, *why;
	} odd[] = {
		{ 64, 0x4000, RAM, 3200, "1 x 16 GiB at 3200 MT/s",
			"the firmware states no type of module" },
		{ 64, 0x4000, DDR5, 0, "1 x 16 GiB DDR5-?",
			"the firmware states no possible rate" },
		{ 64, 0x4000, DDR5, 0xffff, "1 x 16 GiB DDR5-?",
			"the firmware states no possible rate" },
		{ 64, 0x4000, DDR5, 30000, "1 x 16 GiB DDR5-?",
			"the firmware states no possible rate" },
		{ 0xffff, 0x4000, DDR5, 6000, "1 x 16 GiB DDR5-6000",
			"the firmware states no possible width" },
		{ 64, 0xffff, DDR5, 6000, "", "the firmware states no memory modules" },
	};
	const char *why;

	for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct made_tables m = { .n = 0 };

		ADD(&m, "A\0a\0p",
			MODULE(0, odd[i].width, odd[i].size, odd[i].type, 0, 0, odd[i].configured,
				0, 0));
		read_made(&m);
		expect_modules(odd[i].text, 0, odd[i].why);
	}
	/* 16 GiB of modules in a machine of 24 */
	struct made_tables m = { .n = 0 };
	ADD(&m, "A\0a\0p", MODULE(0, 64, 0x4000, DDR5, 6000, 0, 6000, 0, 1));
	read_made(&m);
	modules_limit_gbs(&host, 24ull << 30, &why);
	assert_string_equal(why, "the firmware states fewer modules than there is memory");
	for (unsigned i = 0; i < MODULE_KINDS; i++)
		ADD(&m, "A\0a\0p", MODULE(0, 64, 0x2000 + i, DDR5, 6000, 0, 6000, 0, 1));
	read_made(&m);
	assert_int_equal(host.others, 1);
	modules_limit_gbs(&host, 0, &why);
	assert_string_equal(why, "the firmware states modules of too many kinds");
}

TEST(more_slots_than_their_text_holds)
{
	struct made_tables m = { .n = 0 };

	for (unsigned i = 0; i < 16; i++)
		ADD(&m, "CPU0 channel A slot 1\0a\0p",
			MODULE(0, 64, 0x2000, DDR5, 6000, 0, 6000, 0, 1));
	read_made(&m);
	assert_int_equal(host.modules[0].count, 16);
	const char *slots = host.modules[0].slots, *end = slots + strlen(slots);
	assert_true(end - slots < MODULE_SLOTS && end - slots > MODULE_SLOTS - 30);
	assert_string_equal(end - 10, "slot 1 ...");
}

/* Eight kinds with long words, and modules of further ones. */
TEST(more_modules_than_their_text_holds)
{
	struct made_tables m = { .n = 0 };
	char text[MODULES_TEXT];

	for (unsigned i = 0; i <= MODULE_KINDS; i++)
		ADD(&m, "A\0a\0p", MODULE(0, 64, 0x2001 + i, LPDDR5, 6400, 0, 6400, 0, 1));
	read_made(&m);
	modules_text(&host, text);
	assert_int_equal(strncmp(text, "1 x 8.001 GiB LPDDR5-6400 + 1 x 8.002 GiB ", 42), 0);
	assert_string_equal(text + strlen(text) - 17, "LPDDR5-6400 + ...");
	host.nkinds = 2;
	modules_text(&host, text);
	assert_string_equal(text, "1 x 8.001 GiB LPDDR5-6400 + 1 x 8.002 GiB LPDDR5-6400 + ...");
}

TEST(firmware_and_board)
{
	struct made_tables m = { .n = 0 };

	ADD(&m,
		"acme\0F7b\0"
		"11/24/2026",
		0, 0x18, NUMBER2(0), 1, 2, NUMBER2(0), 3, 0, [0x17] = 0);
	ADD(&m, "QEMU\0Q35", 1, 0x1b, NUMBER2(0), 1, 2, 0, 0, [0x1a] = 0);
	ADD(&m, "mill\0X-1", 2, 8, NUMBER2(0), 1, 2, 0, 0);
	ADD(&m, "other\0X-2", 2, 8, NUMBER2(0), 1, 2, 0, 0);
	read_made(&m);
	assert_string_equal(host.firmware_vendor, "acme");
	assert_string_equal(host.firmware_version, "F7b");
	assert_string_equal(host.firmware_date, "11/24/2026");
	assert_string_equal(host.system, "QEMU Q35");
	assert_string_equal(host.board, "mill X-1");
}
