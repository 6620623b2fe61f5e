/* SPDX-License-Identifier: MIT */
#include "lib/machine_id.h"

#include "lib/math.h"
#include "lib/result_keys.h"
#include "lib/text.h"

enum id_kind { ID_UUID, ID_SERIAL, ID_MAC, ID_KINDS };

static const char *const id_keys[ID_KINDS] = { KEY_UUID, KEY_SERIAL, KEY_MAC };

/*
 * Many machines have these in common. UUIDs: AMI's two, Dell's without a service tag and the bytes
 * 0 to 15 in both orders, further ones that osquery knows; the MAC is QEMU's first. Numbers of one
 * character, and digits that count, are found without a list. Only letters and digits matter.
 */
static const char *const placeholders[] = { "03000200-0400-0500-0006-000700080009",
	"00020003-0004-0005-0006-000700080009", "4c4c4544-0000-2010-8020-80c04f202020",
	"44454c4c-0000-1020-8020-80c04f202020", "03020100-0504-0706-0809-0a0b0c0d0e0f",
	"00010203-0405-0607-0809-0a0b0c0d0e0f", "10000000-0000-8000-0040-000000000000",
	"12345678-1234-5678-90ab-cddeefaabbcc", "deadbeef-dead-beef-dead-beefdeadbeef",
	"52-54-00-12-34-56", "To be filled by O.E.M.", "O.E.M.", "Default string", "Default",
	"System Serial Number", "Chassis Serial Number", "Base Board Serial Number",
	"Board Serial Number", "Serial Number", "Not Specified", "Not Applicable", "Not Available",
	"None", "unknown", "NA", "Invalid", "Empty", "Standard", "0" };

/* The next letter or digit, small; 0: the end. Moves *at behind it. */
static char next_letter(const char **at)
{
	for (; **at; (*at)++) {
		char c = **at >= 'A' && **at <= 'Z' ? (char)(**at + 'a' - 'A') : **at;

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) {
			(*at)++;
			return c;
		}
	}
	return 0;
}

static bool same_letters(const char *a, const char *b)
{
	char c;

	do {
		c = next_letter(&a);
		if (c != next_letter(&b))
			return false;
	} while (c);
	return true;
}

#define PATTERN_LEAST 4 /* letters: shorter ones are taken as they are */

/*
 * Returns true if the letters are one or a pair that repeats, "0000", "fefefe", or count,
 * "0123456789", or if there are none.
 */
static bool is_pattern(const char *text)
{
	char last = 0, before = 0, c;
	bool one = true, pair = true, counts = true;
	unsigned n = 0;

	for (; (c = next_letter(&text)); n++) {
		one &= n < 1 || c == last;
		pair &= n < 2 || c == before;
		counts &= n < 1 || c == last + 1 || (last == '9' && c == '0');
		before = last;
		last = c;
	}
	return n < PATTERN_LEAST ? !n : one || pair || counts;
}

static bool tells_machine(const char *id)
{
	for (unsigned i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
		if (same_letters(id, placeholders[i]))
			return false;
	return !is_pattern(id);
}

/* The identity of that kind; "" and false if it has none that tells machines apart. */
static bool id_of(struct line run, enum id_kind kind, char out[MACHINE_ID])
{
	bool known = line_string(line_object(run, KEY_HOST), id_keys[kind], out, MACHINE_ID / 2) &&
		tells_machine(out);

	if (!known)
		*out = 0;
	return known;
}

void machine_id(struct line run, char out[MACHINE_ID])
{
	char id[MACHINE_ID];
	size_t used = 0;

	*out = 0;
	for (enum id_kind kind = 0; kind < ID_KINDS && !(used && kind == ID_MAC); kind++)
		if (id_of(run, kind, id))
			used += (size_t)text_format(out + used, MACHINE_ID - used, "%s%s %s",
				used ? " " : "", id_keys[kind], id);
}

/* Returns true if both have an identity of that kind. *same: it is one. */
static bool both_have(struct line a, struct line b, enum id_kind kind, bool *same)
{
	char x[MACHINE_ID], y[MACHINE_ID];

	if (!id_of(a, kind, x) || !id_of(b, kind, y))
		return false;
	*same = same_letters(x, y);
	return true;
}

#define TSC_APART 0.01 /* of the rate; calibrations and settings of one machine are nearer */

static bool alike(struct line a, struct line b)
{
	static const char *const cpu[] = { KEY_VENDOR, KEY_BRAND, KEY_FAMILY, KEY_MODEL,
		KEY_STEPPING };
	struct line cpu_a = line_object(a, KEY_CPU), cpu_b = line_object(b, KEY_CPU);

	for (unsigned i = 0; i < sizeof cpu / sizeof *cpu; i++)
		if (!line_same(cpu_a, cpu_b, cpu[i]))
			return false;
	if (math_abs(line_number(a, KEY_TSC_HZ) / line_number(b, KEY_TSC_HZ) - 1) > TSC_APART)
		return false;
	return line_same(line_object(a, KEY_SMBIOS), line_object(b, KEY_SMBIOS), KEY_BOARD);
}

bool machine_same(struct line a, struct line b)
{
	bool same, serial;

	if (!line_same(line_object(a, KEY_KNOWN_ANSWER), line_object(b, KEY_KNOWN_ANSWER),
		    KEY_MACHINE))
		return false;
	if (both_have(a, b, ID_UUID, &same))
		return same && (!both_have(a, b, ID_SERIAL, &serial) || serial);
	if (both_have(a, b, ID_SERIAL, &same) || both_have(a, b, ID_MAC, &same))
		return same;
	return alike(a, b);
}

bool machine_same_cpu(struct line a, struct line b)
{
	return machine_same(a, b) &&
		line_same(line_object(a, KEY_CPU), line_object(b, KEY_CPU), KEY_BRAND);
}
