/* SPDX-License-Identifier: MIT */
/*
 * The firmware's tables in memory, without a call of it: ACPI, SMBIOS; the display; the clock; the
 * command line.
 */
#include <string.h>

#include "door/door.h"
#include "lib/text.h"

#define NODE_EFI   4 /* SETUP_EFI: of a Linux before this program */
#define COMMAND    2047
#define EBDA       0x40e /* segment of the BIOS's data area */
#define BIOS_BEGIN 0xe0000
#define BIOS_END   0x100000
#define MOST       (64 * 1024) /* bytes of SMBIOS's structures */

struct guid {
	unsigned char byte[16];
};

/* In memory order: the first three numbers of a GUID are little endian. */
static const struct guid acpi2 = { { 0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11, 0xbc, 0x22,
	0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
static const struct guid acpi1 = { { 0x30, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16,
	0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
static const struct guid smbios3 = { { 0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a, 0x99, 0x2e,
	0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94 } };
static const struct guid smbios2 = { { 0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16,
	0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };

/*
 * Find the configuration tables of a UEFI that started the loader: a Linux before this program says
 * where they are; else its system table does, unless Linux has made that address a virtual one.
 */
static void find_efi(void)
{
	const unsigned char *info = given.zero_page + 0x1c0;
	const struct setup_node *node = node_find(NODE_EFI);
	uint64_t system = number_at(info + 4, 4) | number_at(info + 24, 4) << 32, tables;

	if (memcmp(info, "EL64", 4) || !system || system >= given.mapped)
		return;
	given.efi_tables = (unsigned)number_at((void *)(system + 104), 4);
	tables = node ? number_at((const char *)(node + 1) + 16, 8)
		      : number_at((void *)(system + 112), 8);
	if (tables < given.mapped && given.efi_tables < 256)
		given.efi = (const void *)tables;
}

static uint64_t efi_table(const struct guid *g)
{
	for (unsigned i = 0; given.efi && i < given.efi_tables; i++)
		if (!memcmp(given.efi + 24 * i, g, sizeof *g))
			return number_at(given.efi + 24 * i + 16, 8);
	return 0;
}

static bool sums_to_zero(const unsigned char *at, unsigned n)
{
	unsigned char sum = 0;

	while (n--)
		sum += *at++;
	return !sum;
}

/* Look for a table's mark in a BIOS's memory; the first `bytes` of the table have a checksum. */
static uint64_t scan(uint64_t from, uint64_t end, const char *mark, unsigned bytes)
{
	for (; from < end; from += 16)
		if (!memcmp((void *)from, mark, strlen(mark)) && sums_to_zero((void *)from, bytes))
			return from;
	return 0;
}

static uint64_t find_root(void)
{
	uint64_t at = number_at(given.zero_page + 0x70, 8), ebda = number_at((void *)EBDA, 2) << 4;

	if (!at)
		at = efi_table(&acpi2);
	if (!at)
		at = efi_table(&acpi1);
	if (!at && ebda >= 0x400 && ebda < 0xa0000)
		at = scan(ebda, ebda + 1024, "RSD PTR ", 20);
	return at ? at : scan(BIOS_BEGIN, BIOS_END, "RSD PTR ", 20);
}

static void find_smbios(struct machine *m)
{
	const unsigned char *entry = (const void *)efi_table(&smbios3);
	unsigned version;
	size_t n;

	if (!entry)
		entry = (const void *)efi_table(&smbios2);
	if (!entry)
		entry = (const void *)scan(0xf0000, BIOS_END, "_SM3_", 24);
	if (!entry)
		entry = (const void *)scan(0xf0000, BIOS_END, "_SM_", 16);
	const void *structures = smbios_structures(entry, &n, &version);
	if (!structures || (uint64_t)structures + n > given.mapped)
		return;
	m->smbios = (struct span){ (uint64_t)structures, n };
	smbios_read(structures, n, version, &m->host);
}

static uint32_t mask(const unsigned char *size_and_place)
{
	return size_and_place[0] > 16 ? 0 : ((1U << size_and_place[0]) - 1) << size_and_place[1];
}

/* struct screen_info of Linux: include/uapi/linux/screen_info.h. */
static void find_screen(struct framebuffer *f)
{
	const unsigned char *s = given.zero_page;
	uint64_t base = number_at(s + 0x18, 4) | number_at(s + 0x3a, 4) << 32;
	unsigned pitch = (unsigned)number_at(s + 0x24, 2);

	f->absent = "no display of pixels";
	if ((s[0xf] != 0x23 && s[0xf] != 0x70) || number_at(s + 0x16, 2) != 32 || !base)
		return;
	f->width = (unsigned)number_at(s + 0x12, 2);
	f->height = (unsigned)number_at(s + 0x14, 2);
	f->pitch = pitch / 4;
	f->red = mask(s + 0x26);
	f->green = mask(s + 0x28);
	f->blue = mask(s + 0x2a);
	if (f->pitch < f->width || !f->height || !f->red || !f->green || !f->blue)
		return;
	f->span = (struct span){ base, (uint64_t)pitch * f->height };
	f->absent = NULL;
}

static uint8_t clock_register(uint8_t index)
{
	uint8_t value;

	__asm__ volatile("outb %1, $0x70; inb $0x71, %0" : "=a"(value) : "a"(index));
	return value;
}

/* The battery-backed clock (MC146818), which is taken to keep UTC. */
static void read_clock(char out[20])
{
	static const uint8_t index[] = { 9, 8, 7, 4, 2, 0 }; /* year ... second */
	unsigned value[6], mode = clock_register(11);

	for (unsigned i = 0; i < 100000 && clock_register(10) & 0x80; i++)
		;
	for (unsigned i = 0; i < 6; i++) {
		unsigned v = clock_register(index[i]);
		unsigned afternoon = i == 3 && !(mode & 2) ? v & 0x80 : 0;

		v -= afternoon;
		value[i] = mode & 4 ? v : v / 16 * 10 + v % 16;
		if (i == 3 && !(mode & 2))
			value[i] = value[i] % 12 + (afternoon ? 12 : 0);
	}
	if (value[0] > 99 || value[1] - 1 > 11 || value[2] - 1 > 30 || value[3] > 23 ||
		value[4] > 59 || value[5] > 59)
		return;
	text_format(out, 20, "20%02u%02u%02uT%02u%02u%02uZ", value[0], value[1], value[2], value[3],
		value[4], value[5]);
}

static void find_command(struct machine *m)
{
	uint64_t at =
		number_at(given.zero_page + 0x228, 4) | number_at(given.zero_page + 0xc8, 4) << 32;

	m->config.absent = "no file: the command line has the keys";
	m->options.absent = "none";
	if (!at || at >= given.mapped)
		return;
	m->options.data = (const void *)at;
	while (m->options.bytes < COMMAND && m->options.data[m->options.bytes])
		m->options.bytes++;
	if (!m->options.bytes)
		m->options.data = NULL;
}

void tables_open(struct machine *m)
{
	find_efi();
	m->rsdp = find_root();
	find_smbios(m);
	find_screen(&m->screen);
	read_clock(m->started_utc);
	find_command(m);
	m->secure_boot = given.zero_page[0x1ec] == 3; /* efi_secureboot_mode_enabled */
}
