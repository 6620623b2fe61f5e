/* SPDX-License-Identifier: MIT */
#include "page/html.h"

#include <stdbool.h>
#include <string.h>

#include "page/page_memory.h"

/*
 * Returns the bytes of the character at the text, 1 to 4, and its number (RFC 3629); 0: not UTF-8,
 * or a character that does not belong in text: controls, the line separators that end a line of
 * JavaScript, numbers that are no character.
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

static void put(struct sink *out, const char *text, bool json)
{
	while (*text) {
		unsigned code = 0;
		size_t n = character(text, &code);

		if (!n)
			html_put(out, "?");
		else if (json && (code == '"' || code == '\\'))
			sink_put(out, "\\%c", (int)code);
		else if (json && (entity(code) || code == '\n'))
			sink_put(out, "\\u%04x", code);
		else if (!json && entity(code))
			html_put(out, entity(code));
		else
			out->say(out->to, text, n);
		text += n ? n : 1;
	}
}

void html_put(struct sink *out, const char *markup)
{
	out->say(out->to, markup, strlen(markup));
}

void html_text(struct sink *out, const char *text)
{
	put(out, text, false);
}

void html_json_text(struct sink *out, const char *text)
{
	html_put(out, "\"");
	put(out, text, true);
	html_put(out, "\"");
}

void html_number(struct sink *out, const char *text)
{
	size_t n = 0;

	while (text[n] && strchr("0123456789+-.eE", text[n]))
		n++;
	if (n && text[n] && strchr(",}]", text[n]))
		out->say(out->to, text, n);
	else
		html_put(out, "null");
}

void html_member(struct sink *out, struct line line, const char *key)
{
	char text[256];
	struct member m;

	if (!line_find(line, key, &m) || *m.value != '"')
		return;
	if (m.value_bytes < sizeof text) {
		member_text(&m, text, sizeof text);
		html_text(out, text);
		return;
	}
	char *long_text = page_new(m.value_bytes, 1);

	member_text(&m, long_text, m.value_bytes);
	html_text(out, long_text);
	page_free(long_text);
}
