/* SPDX-License-Identifier: MIT */
#include "kernel/step_state.h"

#include <string.h>

#include "lib/crc32.h"
#include "lib/text.h"

#define TITLE     "anechoic state 1. To forget it: delete this file, or state = clear.\n"
#define SUM_BYTES 13 /* "sum 01234567\n", the last line */
#define SUMMED    (STEP_STATE_BYTES - SUM_BYTES)

/* What was left open: twice in a row, once. */
static const char *const words[] = { "hung", "last", "hung?", "last?" };

static void add(char *out, size_t *used, const char *word, const struct step_mark *m)
{
	*used += (size_t)text_format(out + *used, SUMMED - *used, "%s %s %s\n", word, m->name,
		m->utc[0] ? m->utc : "-");
}

void step_state_write(const struct step_state *s, char *out)
{
	char sum[SUM_BYTES + 1];
	size_t used;

	used = (size_t)text_format(out, SUMMED, "%smachine %08x\n", TITLE, s->machine);
	if (s->at.name[0])
		add(out, &used, "at", &s->at);
	if (s->good)
		used += (size_t)text_format(out + used, SUMMED - used, "good %x\n", s->good);
	for (unsigned i = 0; i < s->nhung; i++)
		add(out, &used, words[2 * s->hung[i].once + s->hung[i].last], &s->hung[i]);
	memset(out + used, '\n', SUMMED - used);
	text_format(sum, sizeof sum, "sum %08x\n", crc32_of(0, out, SUMMED));
	memcpy(out + SUMMED, sum, SUM_BYTES);
}

/* The next word of a line, at most `bytes` with the NUL. false: there is none, or it is longer. */
static bool word(const char **at, char *out, size_t bytes)
{
	size_t n = 0;

	while (**at == ' ')
		++*at;
	for (; **at > ' ' && n + 1 < bytes; ++*at)
		out[n++] = **at;
	out[n] = 0;
	return n && **at <= ' ';
}

static bool read_mark(const char **at, struct step_mark *m)
{
	if (!word(at, m->name, sizeof m->name) || !word(at, m->utc, sizeof m->utc))
		return false;
	if (m->utc[0] == '-')
		m->utc[0] = 0;
	return true;
}

static bool read_hexadecimal(const char **at, uint32_t *value)
{
	char digits[9];

	if (!word(at, digits, sizeof digits))
		return false;
	*value = 0;
	for (const char *p = digits; *p; p++) {
		unsigned digit = *p >= 'a' ? (unsigned)(*p - 'a') + 10 : (unsigned)(*p - '0');

		if (digit > 15)
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

static bool read_line(struct step_state *s, const char *at)
{
	char kind[8];

	if (!word(&at, kind, sizeof kind))
		return false;
	if (strcmp(kind, "machine") == 0)
		return read_hexadecimal(&at, &s->machine);
	if (strcmp(kind, "good") == 0)
		return read_hexadecimal(&at, &s->good);
	if (strcmp(kind, "at") == 0)
		return read_mark(&at, &s->at);
	for (unsigned i = 0; i < sizeof words / sizeof *words && s->nhung < STEPS_HUNG; i++)
		if (strcmp(kind, words[i]) == 0) {
			s->hung[s->nhung].once = i & 2;
			s->hung[s->nhung].last = i & 1;
			return read_mark(&at, &s->hung[s->nhung++]);
		}
	return false;
}

static const char *read_text(struct step_state *s, const char *text, size_t n)
{
	char copy[STEP_STATE_BYTES + 1], sum[SUM_BYTES + 1];
	size_t title = strlen(TITLE);

	if (n != STEP_STATE_BYTES || memcmp(text, TITLE, title))
		return "it is not of this version";
	text_format(sum, sizeof sum, "sum %08x\n", crc32_of(0, text, SUMMED));
	if (memcmp(text + SUMMED, sum, SUM_BYTES))
		return "its checksum is wrong";
	memcpy(copy, text, SUMMED);
	copy[SUMMED] = 0;
	for (const char *at = copy + title; *at && *at != '\n';) {
		const char *end = strchr(at, '\n');

		if (!end || !read_line(s, at))
			return "a line is wrong";
		at = end + 1;
	}
	return NULL;
}

const char *step_state_read(struct step_state *s, const char *text, size_t n)
{
	const char *why;

	memset(s, 0, sizeof *s);
	why = read_text(s, text, n);
	if (why)
		memset(s, 0, sizeof *s);
	return why;
}
