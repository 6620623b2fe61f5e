/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The bytes of the character at the text, 1 to 4, and its number (RFC 3629); 0: it is none, or one
 * that does not belong into text: controls, the line separators that end a line of JavaScript, what
 * is no character.
 */
static size_t character(const char *text, unsigned *code)
{
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *c = (const unsigned char *)text;
	size_t n = c[0] < 0x80    ? 1
		: c[0] >> 5 == 6  ? 2
		: c[0] >> 4 == 14 ? 3
		: c[0] >> 3 == 30 ? 4
				  : 0;

	if (!n)
		return 0;
	*code = n == 1 ? c[0] : c[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (c[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (c[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return (*code < 0x20 && *code != '\n') || (*code >= 0x7f && *code < 0xa0) ||
			*code == 0x2028 || *code == 0x2029 || (*code >= 0x202a && *code <= 0x202e)
		? 0
		: n;
}

static const char *entity(unsigned code)
{
	return code < 0x80 ? svg_entity((char)code) : NULL;
}

static void put(FILE *out, const char *text, bool json)
{
	while (*text) {
		unsigned code = 0;
		size_t n = character(text, &code);

		if (!n)
			fputc('?', out);
		else if (json && (code == '"' || code == '\\'))
			fprintf(out, "\\%c", (int)code);
		else if (json && (entity(code) || code == '\n'))
			fprintf(out, "\\u%04x", code);
		else if (!json && entity(code))
			fputs(entity(code), out);
		else
			fwrite(text, 1, n, out);
		text += n ? n : 1;
	}
}

void html_text(FILE *out, const char *text)
{
	put(out, text, false);
}

void html_json_text(FILE *out, const char *text)
{
	fputc('"', out);
	put(out, text, true);
	fputc('"', out);
}

void html_number(FILE *out, double value)
{
	char text[40];

	if (!isfinite(value)) {
		fputs("null", out);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, out);
}

static void say(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

struct svg svg_to(FILE *out)
{
	return (struct svg){ say, out };
}
