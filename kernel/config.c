/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/config.h"
#include "lib/text.h"

#define LONGEST_LINE 500
#define CHOICE(key, list, first, text)                                                             \
	{                                                                                          \
		.name = #key, .kind = SETTING_CHOICE, .offset = offsetof(struct config, key),      \
		.choices = list, .initial = first, .help = text                                    \
	}
#define NUMBER(key, most, first, text)                                                             \
	{                                                                                          \
		.name = #key, .kind = SETTING_NUMBER, .offset = offsetof(struct config, key),      \
		.max = most, .initial = first, .help = text                                        \
	}

static const struct setting kernel_settings[] = {
	CHOICE(rooms, "both|firmware|bare", "both", "where to measure"),
	CHOICE(finish, "firmware|poweroff|reset|setup|halt|auto", "auto",
		"what to do at the end; setup: restart into the firmware's setup; auto: firmware, "
		"or reset if a TPM measures"),
	NUMBER(prompt, 600, "3", "seconds in which a key can change the run; 0: none"),
	NUMBER(countdown, 600, "10", "seconds before a reset in which a key holds it; 0: none"),
	NUMBER(screen_seconds, 600, "30",
		"the same, at least, where the display shows the card and curves"),
	CHOICE(fault, "next|reset|halt", "next", "after an exception: go on, reset or halt"),
	CHOICE(serial, "auto|off|com1|spcr", "auto", "raw serial port after ExitBootServices"),
	CHOICE(screen, "on|off", "on", "pictures and, in room bare, text on the display"),
	CHOICE(html, "on|off", "on", "write a page of pictures beside the results"),
	CHOICE(store, "on|off|clear", "on",
		"keep bare's result in EFI variables over the reset; clear: delete one, keep none"),
	CHOICE(idle, "deep|mwait|pause|io", "deep",
		"how CPUs without work wait for it; io: AMD's deep state, by a port"),
	CHOICE(siblings, "idle|init", "idle",
		"room bare: how threads of the measuring core wait; init: stopped by INIT"),
	CHOICE(usb_handoff, "on|off", "on",
		"take USB controllers over from the firmware in room bare"),
	{
		.name = "usb_skip",
		.kind = SETTING_TEXT,
		.offset = offsetof(struct config, usb_skip),
		.max = USB_SKIP,
		.initial = "",
		.help = "PCI addresses of USB controllers that stay the firmware's: "
			"00:14.0,3a:00.0",
	},
	CHOICE(mp_services, "on|off", "on",
		"room firmware: other CPUs by the firmware's MP Services"),
	{
		.name = "cpus",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct config, cpus),
		.max = 65535,
		.initial = "0",
		.help = "how many CPUs are used, the boot CPU first; 0: all",
	},
	NUMBER(smi_ask, 255, "0",
		"a value that the firmware ignores, to ask it for SMIs with (docs/boot.md); 0: no"),
	{
		.name = "watchdog",
		.kind = SETTING_NUMBER,
		.offset = offsetof(struct config, watchdog),
		.choices = "auto|off",
		.values = (const uint64_t[]){ WATCHDOG_AUTO, WATCHDOG_OFF },
		.min = 5,
		.max = 600,
		.initial = "auto",
		.help = "seconds after which a hang is a reset; auto: 180, where there is a timer",
	},
	CHOICE(state, "keep|clear|off", "keep",
		"steps that an earlier start hung in: left out; clear: forget them; off: no notes"),
};

#define KERNEL_SETTINGS (sizeof kernel_settings / sizeof *kernel_settings)

struct parser {
	struct config *config;
	struct setting table[CONFIG_SETTINGS];
	size_t settings;
	void (*say)(const char *line);
};

static void refuse(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse(struct parser *p, const char *format, ...)
{
	char line[CONFIG_LINE];
	unsigned n = p->config->errors++;
	va_list args;

	if (n >= CONFIG_ERRORS)
		return;
	va_start(args, format);
	text_vformat(line, sizeof line, format, args);
	va_end(args);
	memcpy(p->config->error[n], line, sizeof line);
	p->say(line);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Cut white space off both ends, in place. */
static char *trim(char *s)
{
	size_t n;

	while (is_space(*s))
		s++;
	for (n = strlen(s); n > 0 && is_space(s[n - 1]); n--)
		;
	s[n] = 0;
	return s;
}

/* A comment begins with # at the start of a line or after white space. */
static void cut_comment(char *line)
{
	for (char *p = line; *p; p++)
		if (*p == '#' && (p == line || is_space(p[-1]))) {
			*p = 0;
			return;
		}
}

static bool is_text(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] < ' ' && !is_space((char)p[i])) || p[i] == 127)
			return false;
	return true;
}

static void parse_line(struct parser *p, char *line, unsigned number)
{
	char err[CONFIG_LINE - 32], *equals, *key;

	cut_comment(line);
	key = trim(line);
	if (!*key)
		return;
	equals = strchr(key, '=');
	if (!equals) {
		refuse(p, "anechoic.cfg line %u: '%.40s': want key = value", number, key);
		return;
	}
	*equals = 0;
	if (settings_set(p->table, p->settings, p->config, trim(key), trim(equals + 1), err,
		    sizeof err))
		refuse(p, "anechoic.cfg line %u: %s", number, err);
}

static void copy_line(struct parser *p, const unsigned char *from, size_t n, unsigned number)
{
	char line[LONGEST_LINE + 1];

	if (n > 0 && from[n - 1] == '\r')
		n--;
	if (n > LONGEST_LINE) {
		refuse(p, "anechoic.cfg line %u: longer than %u characters", number, LONGEST_LINE);
	} else if (!is_text(from, n)) {
		refuse(p, "anechoic.cfg line %u: not text", number);
	} else {
		memcpy(line, from, n);
		line[n] = 0;
		parse_line(p, line, number);
	}
}

static void parse_file(struct parser *p, const unsigned char *at, size_t bytes)
{
	const unsigned char *end = at + bytes;
	unsigned number = 1;

	if (bytes >= 2 && (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0)) {
		refuse(p, "anechoic.cfg is UTF-16: save it as UTF-8; the defaults are used");
		return;
	}
	if (bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (; at < end; number++) {
		const unsigned char *line = at;

		while (at < end && *at != '\n')
			at++;
		copy_line(p, line, (size_t)(at - line), number);
		at += at < end;
	}
}

/* Unknown words are no error: a boot loader may pass on words meant for another program. */
static void parse_word(struct parser *p, char *word, bool first)
{
	char err[CONFIG_LINE - 32], note[CONFIG_LINE], *equals = strchr(word, '=');
	bool known = false;

	if (!equals && first)
		return; /* the program's name */
	if (equals)
		*equals = 0;
	for (size_t i = 0; i < p->settings; i++)
		known |= strcmp(p->table[i].name, word) == 0;
	if (!equals || !known) {
		text_format(note, sizeof note, "load options: '%.40s' ignored: no such key", word);
		p->say(note);
	} else if (settings_set(p->table, p->settings, p->config, word, equals + 1, err,
			   sizeof err)) {
		refuse(p, "load options: %s", err);
	}
}

static void parse_words(struct parser *p, const unsigned char *at, size_t bytes)
{
	const unsigned char *end = at + bytes;
	char word[LONGEST_LINE + 1];

	if (!is_text(at, bytes)) {
		refuse(p, "load options: not text");
		return;
	}
	for (bool first = true; at < end; first = false) {
		size_t n = 0;

		while (at < end && is_space((char)*at))
			at++;
		while (at < end && !is_space((char)*at)) {
			if (n < LONGEST_LINE)
				word[n++] = (char)*at;
			at++;
		}
		word[n] = 0;
		if (n)
			parse_word(p, word, first);
	}
}

size_t config_settings(struct setting *out)
{
	memcpy(out, option_settings, option_settings_count * sizeof *out);
	memcpy(out + option_settings_count, kernel_settings, sizeof kernel_settings);
	return option_settings_count + KERNEL_SETTINGS;
}

void config_parse(struct config *c, const struct text *file, const struct text *words,
	void (*say)(const char *line))
{
	static struct parser p;
	char more[CONFIG_LINE];
	const char *lone;

	memset(c, 0, sizeof *c);
	p.config = c;
	p.say = say;
	p.settings = config_settings(p.table);
	settings_init(p.table, p.settings, p.config);
	if (file->bad)
		refuse(&p, "%s: the defaults are used", file->absent);
	else if (file->data)
		parse_file(&p, file->data, file->bytes);
	if (words->bad)
		refuse(&p, "%s", words->absent);
	else if (words->data)
		parse_words(&p, words->data, words->bytes);
	if ((lone = options_settle(&c->options)))
		refuse(&p, "%s", lone);
	if (c->errors > CONFIG_ERRORS) {
		text_format(more, sizeof more, "and %u more such lines", c->errors - CONFIG_ERRORS);
		say(more);
	}
}

/* A signed image must be no way around Secure Boot: its configuration is not signed. */
static void refuse_code(struct config *c, void (*say)(const char *line))
{
	static struct parser p;
	struct options *o = &c->options;

	if (!o->code[0] && !o->code_init[0] && !c->smi_ask)
		return;
	if (o->code[0] && !strcmp(o->probes, "code"))
		o->probes[0] = 0;
	o->code[0] = o->code_init[0] = 0;
	o->code_loop = 0;
	c->smi_ask = 0;
	p.config = c;
	p.say = say;
	refuse(&p, "code, code_init, smi_ask: refused, because Secure Boot is on");
}

void config_fit(struct config *c, const struct machine *m, void (*say)(const char *line))
{
	if (m->secure_boot)
		refuse_code(c, say);
	if (m->no_firmware && c->rooms != ROOMS_BARE) {
		c->rooms = ROOMS_BARE;
		say("room bare only: there is no firmware to call");
	}
	if (c->finish == FINISH_AUTO)
		c->finish = m->has_tpm && m->others_come_first ? FINISH_RESET : FINISH_FIRMWARE;
	if (!m->has_tpm || c->finish != FINISH_FIRMWARE)
		return;
	say("a TPM measures this start: a system that starts next without a reset may ask");
	say("  for its recovery key (BitLocker, LUKS): finish = reset or poweroff avoids it");
}

unsigned config_rooms(const struct config *c)
{
	return c->rooms == ROOMS_BOTH ? 2 : 1;
}
