/* SPDX-License-Identifier: MIT */
#include "lib/host_identity.h"

#include <string.h>

#include "lib/text.h"

enum { SYSTEM = 1, END = 127 };                /* types of structures */
enum { HEAD = 4, SERIAL_AT = 7, UUID_AT = 8 }; /* of type 1 */
enum { UUID_BYTES = 16 };

/* A structure and the strings behind it. */
struct structure {
	const uint8_t *at, *strings, *end; /* end: behind the strings */
};

/* The one that begins at `at`; false: there is no whole one. */
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

/* The string of that number, from 1; what is not printable becomes '?'. */
static void take_string(const struct structure *s, unsigned number, char *out, size_t bytes)
{
	const uint8_t *at = s->strings;
	size_t n = 0;

	for (; number > 1 && *at; number--)
		at += strlen((const char *)at) + 1;
	for (; number && at[n] && n + 1 < bytes; n++)
		out[n] = at[n] >= ' ' && at[n] <= '~' ? (char)at[n] : '?';
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
}

/* The first three fields are little-endian (DSP0134, 7.2.1). */
static void take_uuid(const uint8_t *u, char out[HOST_UUID])
{
	bool equal = true;

	for (unsigned i = 1; i < UUID_BYTES; i++)
		equal &= u[i] == u[0];
	if (equal)
		return;
	text_format(out, HOST_UUID,
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[3], u[2],
		u[1], u[0], u[5], u[4], u[7], u[6], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
		u[15]);
}

/* false: there is none, or a broken one comes first. */
static bool find(const void *structures, size_t n, unsigned type, struct structure *s)
{
	const uint8_t *at = structures, *most = at + n;

	for (; n && structure_at(at, most, s) && *s->at != END; at = s->end)
		if (*s->at == type)
			return true;
	return false;
}

const uint8_t *smbios_structure(const void *structures, size_t n, unsigned type)
{
	struct structure s;

	return find(structures, n, type, &s) ? s.at : NULL;
}

void host_identity_smbios(const void *structures, size_t n, struct host_identity *out)
{
	struct structure s;

	if (!find(structures, n, SYSTEM, &s))
		return;
	if (s.at[1] > SERIAL_AT)
		take_string(&s, s.at[SERIAL_AT], out->serial, sizeof out->serial);
	if (s.at[1] >= UUID_AT + UUID_BYTES)
		take_uuid(s.at + UUID_AT, out->uuid);
}
