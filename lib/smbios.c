/* SPDX-License-Identifier: MIT */
#include "lib/smbios.h"

#include <string.h>

#include "lib/math.h"
#include "lib/text.h"

enum { FIRMWARE = 0, SYSTEM = 1, BOARD = 2, MEMORY_ARRAY = 16, MODULE = 17, END = 127 };
enum { HEAD = 4, UUID_BYTES = 16, SYSTEM_MEMORY = 3 /* use of a memory array */ };

/* Offsets of fields in a structure: DSP0134 7.1.1, 7.2, 7.3, 7.17, 7.18. */
enum { FIRMWARE_VENDOR = 4, FIRMWARE_VERSION = 5, FIRMWARE_DATE = 8 };
enum { SYSTEM_SERIAL = 7, SYSTEM_UUID = 8 };
enum { MAKER = 4, PRODUCT = 5 }; /* of a system, of a board */
enum { HANDLE = 2, ARRAY_USE = 5, ARRAY_SLOTS = 0x0d };
enum {
	MODULE_ARRAY = 4,
	MODULE_WIDTH = 0x0a,
	MODULE_SIZE = 0x0c,
	MODULE_SLOT = 0x10,
	MODULE_TYPE = 0x12,
	MODULE_SPEED = 0x15,
	MODULE_MAKER = 0x17,
	MODULE_PART = 0x1a,
	MODULE_ATTRIBUTES = 0x1b,
	MODULE_SIZE_MIB = 0x1c,
	MODULE_CONFIGURED = 0x20,
	MODULE_SPEED_WIDE = 0x54,
	MODULE_CONFIGURED_WIDE = 0x58
};

/*
 * Types for which rate times width is a bandwidth (7.18.2); the slowest rate that JEDEC has for the
 * type, megatransfers a second; the widths of data that a module can have, powers of 2. A DIMM has
 * 64 bits; firmware also states the width of a chip, or the bits with ECC.
 */
static const struct module_type {
	uint8_t value;
	const char *name;
	unsigned least_mts, least_bits, most_bits;
} module_types[] = { { 0x12, "DDR", 200, 64, 64 }, { 0x13, "DDR2", 400, 64, 64 },
	{ 0x18, "DDR3", 800, 64, 64 }, { 0x1a, "DDR4", 1600, 64, 64 },
	{ 0x1b, "LPDDR", 200, 16, 128 }, { 0x1c, "LPDDR2", 200, 16, 128 },
	{ 0x1d, "LPDDR3", 800, 16, 128 }, { 0x1e, "LPDDR4", 800, 16, 128 },
	{ 0x22, "DDR5", 3200, 64, 64 }, { 0x23, "LPDDR5", 800, 16, 128 } };

/* A structure and the strings behind it. */
struct structure {
	const uint8_t *at, *strings, *end; /* end: after the strings */
};

/* Find the end of the structure that begins at `at`. Returns false if it is not whole. */
static bool structure_at(const uint8_t *at, const uint8_t *most, struct structure *s)
{
	if (most - at < HEAD || at[1] < HEAD || at[1] > most - at)
		return false;
	*s = (struct structure){ at, at + at[1], at + at[1] };
	while (most - s->end >= 2 && (s->end[0] || s->end[1]))
		s->end++;
	if (most - s->end < 2)
		return false;
	s->end += 2;
	return true;
}

/* A little-endian number of the structure; 0 if an earlier version's structure ends before it. */
static uint32_t number_at(const struct structure *s, unsigned at, unsigned bytes)
{
	uint32_t n = 0;

	if (at + bytes > s->at[1])
		return 0;
	memcpy(&n, s->at + at, bytes);
	return n;
}

#define CUT_MARK "..." /* the end of a text that is longer than its member */

/* Copy the string whose number is at that place; unprintable characters become '?'. */
static void take_string(const struct structure *s, unsigned place, char *out, size_t bytes)
{
	unsigned number = number_at(s, place, 1);
	const uint8_t *at = s->strings;
	size_t n = 0;

	if (!number)
		return;
	for (; number > 1 && *at; number--)
		at += strlen((const char *)at) + 1;
	for (; at[n] && n + 1 < bytes; n++)
		out[n] = at[n] >= ' ' && at[n] <= '~' ? (char)at[n] : '?';
	bool cut = at[n];
	if (cut)
		n = bytes - sizeof CUT_MARK;
	while (n && out[n - 1] == ' ')
		n--;
	text_format(out + n, bytes - n, "%s", cut ? CUT_MARK : "");
}

#define LITTLE_ENDIAN_SINCE 0x206

/*
 * Write a UUID, whose first three fields are little-endian since version 2.6 (7.2.1), as Linux
 * takes them (dmi_save_uuid); nothing if all bytes are equal, or the version is not known.
 */
static void take_uuid(const uint8_t *u, unsigned version, char out[HOST_UUID])
{
	static const uint8_t orders[2][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 },
		{ 3, 2, 1, 0, 5, 4, 7, 6 } };
	const uint8_t *o = orders[version >= LITTLE_ENDIAN_SINCE];
	bool equal = !version;

	for (unsigned i = 1; !equal && i < UUID_BYTES && u[i] == u[0]; i++)
		equal = i + 1 == UUID_BYTES;
	if (equal)
		return;
	text_format(out, HOST_UUID,
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[o[0]],
		u[o[1]], u[o[2]], u[o[3]], u[o[4]], u[o[5]], u[o[6]], u[o[7]], u[8], u[9], u[10],
		u[11], u[12], u[13], u[14], u[15]);
}

static void take_product(const struct structure *s, char out[2 * HOST_NAME])
{
	char maker[HOST_NAME] = "", product[HOST_NAME] = "";

	take_string(s, MAKER, maker, sizeof maker);
	take_string(s, PRODUCT, product, sizeof product);
	text_format(out, 2 * HOST_NAME, "%s%s%s", maker, *maker && *product ? " " : "", product);
}

static void take_system(const struct structure *s, unsigned version, struct host *out)
{
	take_product(s, out->system);
	take_string(s, SYSTEM_SERIAL, out->serial, sizeof out->serial);
	if (s->at[1] >= SYSTEM_UUID + UUID_BYTES)
		take_uuid(s->at + SYSTEM_UUID, version, out->uuid);
}

/*
 * Returns true if an array of that handle is the machine's own memory, or if the array is not
 * listed.
 */
static bool is_system_memory(const uint8_t *at, const uint8_t *most, uint32_t handle)
{
	struct structure s;

	for (; structure_at(at, most, &s) && *s.at != END; at = s.end)
		if (*s.at == MEMORY_ARRAY && number_at(&s, HANDLE, 2) == handle)
			return number_at(&s, ARRAY_USE, 1) == SYSTEM_MEMORY;
	return true;
}

/*
 * Bytes of a module: in KiB if bit 15 is set, else in MiB; FFFFh: unknown; 7FFFh: in a field of its
 * own (7.18.4).
 */
static uint64_t module_bytes(const struct structure *s)
{
	uint32_t size = number_at(s, MODULE_SIZE, 2);

	if (size == 0xffff)
		return 0;
	if (size == 0x7fff)
		return (uint64_t)(number_at(s, MODULE_SIZE_MIB, 4) & 0x7fffffff) << 20;
	return (uint64_t)(size & 0x7fff) << (size & 0x8000 ? 10 : 20);
}

#define MTS_LEAST 100 /* DDR of the year 2000 had 200; LPDDR6 will have 14400 */
#define MTS_MOST  20000

/* Megatransfers a second; FFFFh: in a field of its own (since 3.3). Impossible rates become 0. */
static unsigned rate_at(const struct structure *s, unsigned at, unsigned wide)
{
	uint32_t mts = number_at(s, at, 2);

	if (mts == 0xffff)
		mts = number_at(s, wide, 4);
	return mts < MTS_LEAST || mts > MTS_MOST ? 0 : mts;
}

static const struct module_type *module_type(uint32_t value)
{
	for (unsigned i = 0; i < sizeof module_types / sizeof *module_types; i++)
		if (module_types[i].value == value)
			return &module_types[i];
	return NULL;
}

#define HALF_OFF 0.01 /* of the rated rate: "667" of DDR3-1333 */

/*
 * Leave out rates and widths that the type cannot have, and a configured rate of half the rated
 * one: the fields held the clock in MHz up to SMBIOS 3.0, and often do since.
 */
static void drop_impossible(struct module_kind *m, const struct module_type *type)
{
	if (m->rated_mts < type->least_mts)
		m->rated_mts = 0;
	if (m->mts < type->least_mts ||
		math_abs(2.0 * m->mts - m->rated_mts) <= HALF_OFF * m->rated_mts)
		m->mts = 0;
	if (m->width_bits < type->least_bits || m->width_bits > type->most_bits ||
		(m->width_bits & (m->width_bits - 1)))
		m->width_bits = 0;
}

static bool alike(const struct module_kind *a, const struct module_kind *b)
{
	return a->bytes == b->bytes && a->mts == b->mts && a->rated_mts == b->rated_mts &&
		a->width_bits == b->width_bits && a->ranks == b->ranks &&
		!strcmp(a->type, b->type) && !strcmp(a->maker, b->maker) &&
		!strcmp(a->part, b->part);
}

/*
 * Add a part of a list to its text, with the separator between. If not every further part is sure
 * to fit, the text ends with a mark, and stays.
 */
static void add_part(char *text, size_t bytes, const char *separator, const char *part)
{
	size_t used = strlen(text), mark = strlen(separator) + strlen(CUT_MARK);
	char full
		[8]; /* a part that was cut ends in the mark as well, but has no separator before */

	text_format(full, sizeof full, "%s%s", separator, CUT_MARK);
	if (used >= mark && !strcmp(text + used - mark, full))
		return;
	mark = strlen(CUT_MARK);
	bool fits = used + 2 * strlen(separator) + strlen(part) + mark < bytes;
	text_format(text + used, bytes - used, "%s%s", used ? separator : "",
		fits ? part : CUT_MARK);
}

static void add_module(struct host *out, const struct module_kind *m, const char *slot)
{
	unsigned i;

	for (i = 0; i < out->nkinds && !alike(&out->modules[i], m); i++)
		;
	if (i == MODULE_KINDS) {
		out->others++;
		return;
	}
	struct module_kind *kind = &out->modules[i];
	if (i == out->nkinds) {
		*kind = *m;
		out->nkinds++;
	}
	kind->count++;
	if (*slot)
		add_part(kind->slots, sizeof kind->slots, " ", slot);
}

static void take_module(const struct structure *s, struct host *out)
{
	struct module_kind m = { .bytes = module_bytes(s) };
	uint32_t width = number_at(s, MODULE_WIDTH, 2);
	char slot[HOST_NAME] = "";

	if (!m.bytes) /* an empty slot */
		return;
	const struct module_type *type = module_type(number_at(s, MODULE_TYPE, 1));
	m.rated_mts = rate_at(s, MODULE_SPEED, MODULE_SPEED_WIDE);
	m.mts = rate_at(s, MODULE_CONFIGURED, MODULE_CONFIGURED_WIDE);
	m.width_bits = width % 8 || width > 512 ? 0 : width;
	if (type) {
		text_format(m.type, sizeof m.type, "%s", type->name);
		drop_impossible(&m, type);
	}
	m.ranks = number_at(s, MODULE_ATTRIBUTES, 1) & 15;
	take_string(s, MODULE_MAKER, m.maker, sizeof m.maker);
	take_string(s, MODULE_PART, m.part, sizeof m.part);
	take_string(s, MODULE_SLOT, slot, sizeof slot);
	add_module(out, &m, slot);
}

void smbios_read(const void *structures, size_t n, unsigned version, struct host *out)
{
	const uint8_t *from = structures, *at = from, *most = at + n;
	bool system = false, board = false;
	struct structure s;

	for (; structure_at(at, most, &s) && *s.at != END; at = s.end)
		switch (*s.at) {
		case FIRMWARE:
			take_string(&s, FIRMWARE_VENDOR, out->firmware_vendor, HOST_NAME);
			take_string(&s, FIRMWARE_VERSION, out->firmware_version, HOST_NAME);
			take_string(&s, FIRMWARE_DATE, out->firmware_date, HOST_NAME);
			break;
		case SYSTEM:
			if (!system)
				take_system(&s, version, out);
			system = true;
			break;
		case BOARD:
			if (!board)
				take_product(&s, out->board);
			board = true;
			break;
		case MEMORY_ARRAY:
			if (number_at(&s, ARRAY_USE, 1) == SYSTEM_MEMORY)
				out->slots += number_at(&s, ARRAY_SLOTS, 2);
			break;
		case MODULE:
			if (is_system_memory(from, most, number_at(&s, MODULE_ARRAY, 2)))
				take_module(&s, out);
			break;
		}
}

const uint8_t *smbios_structure(const void *structures, size_t n, unsigned type)
{
	const uint8_t *at = structures, *most = at + n;
	struct structure s;

	for (; n && structure_at(at, most, &s) && *s.at != END; at = s.end)
		if (*s.at == type)
			return s.at;
	return NULL;
}

unsigned smbios_version(const void *entry, size_t n)
{
	const uint8_t *e = entry;

	if (n > 8 && !memcmp(e, "_SM3_", 5))
		return (unsigned)e[7] << 8 | e[8];
	if (n <= 7 || memcmp(e, "_SM_", 4))
		return 0;
	switch (e[6] << 8 | e[7]) {
	case 0x21f:
	case 0x221:
		return 0x203;
	case 0x233:
		return 0x206;
	}
	return (unsigned)e[6] << 8 | e[7];
}

#define STRUCTURES_MOST (64 * 1024)
#define ENTRY_BYTES     24 /* at least, of an entry point */

const void *smbios_structures(const void *entry, size_t *n, unsigned *version)
{
	const uint8_t *e = entry;
	uint32_t bytes = 0;
	uint64_t at = 0;

	if (e && !memcmp(e, "_SM3_", 5)) {
		memcpy(&bytes, e + 12, 4);
		memcpy(&at, e + 16, 8);
	} else if (e && !memcmp(e, "_SM_", 4)) {
		memcpy(&bytes, e + 22, 2);
		memcpy(&at, e + 24, 4);
	}
	*n = bytes < STRUCTURES_MOST ? bytes : STRUCTURES_MOST;
	*version = at ? smbios_version(entry, ENTRY_BYTES) : 0;
	return (const void *)at;
}

static uint64_t modules_bytes(const struct host *h)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < h->nkinds; i++)
		bytes += h->modules[i].count * h->modules[i].bytes;
	return bytes;
}

static bool same_words(const struct module_kind *a, const struct module_kind *b)
{
	return a->bytes == b->bytes && a->mts == b->mts && !strcmp(a->type, b->type);
}

void modules_text(const struct host *h, char out[MODULES_TEXT])
{
	*out = 0;
	for (unsigned i = 0; i < h->nkinds; i++) {
		const struct module_kind *m = &h->modules[i];
		char rate[24] = "?", part[80];
		unsigned count = 0, first = 0;

		while (!same_words(&h->modules[first], m))
			first++;
		for (unsigned k = i; k < h->nkinds && first == i; k++)
			count += same_words(&h->modules[k], m) ? h->modules[k].count : 0;
		if (m->mts)
			text_format(rate, sizeof rate, "%u", m->mts);
		text_format(part, sizeof part,
			*m->type ? "%u x %.4g GiB %s-%s" : "%u x %.4g GiB%s at %s MT/s", count,
			(double)m->bytes / (1 << 30), m->type, rate);
		if (count)
			add_part(out, MODULES_TEXT, " + ", part);
	}
	if (h->others)
		add_part(out, MODULES_TEXT, " + ", CUT_MARK);
}

double modules_limit_gbs(const struct host *h, uint64_t memory_bytes, const char **why)
{
	double gbs = 0;

	*why = NULL;
	if (!h->nkinds)
		*why = h->no_modules ? h->no_modules : "the firmware states no memory modules";
	else if (h->others)
		*why = "the firmware states modules of too many kinds";
	else if (modules_bytes(h) < memory_bytes)
		*why = "the firmware states fewer modules than there is memory";
	for (unsigned i = 0; i < h->nkinds && !*why; i++) {
		const struct module_kind *m = &h->modules[i];

		if (!*m->type)
			*why = "the firmware states no type of module";
		else if (!m->mts)
			*why = "the firmware states no possible rate";
		else if (!m->width_bits)
			*why = "the firmware states no possible width";
		gbs += m->count * (m->width_bits / 8.0) * m->mts / 1e3;
	}
	return *why ? NOT_A_NUMBER : gbs;
}
