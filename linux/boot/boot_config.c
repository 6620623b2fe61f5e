/* SPDX-License-Identifier: MIT */
#include "linux/boot/boot_config.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/config.h"
#include "linux/boot/reason.h"
#include "report/allocate.h"

#define MARK "# Written by `anechoic boot`, which writes it anew each time.\n"

static char *first_error; /* config_parse has no argument for it */

static void note_error(const char *line)
{
	if (!*first_error)
		give_reason(first_error, "%s", line);
}

static void parse(struct config *config, const char *text, char *err)
{
	const struct text file = { .data = (const unsigned char *)text, .bytes = strlen(text) };
	const struct text none = { .absent = "none" };

	first_error = err;
	*err = 0;
	config_parse(config, &file, &none, note_error);
}

/* Whether the file's line would end within the value: kernel/config.c, cut_comment. */
static bool has_comment(const char *value)
{
	for (const char *at = strchr(value, '#'); at; at = strchr(at + 1, '#'))
		if (at == value || strchr(" \t\n\v\f\r", at[-1]))
			return true;
	return false;
}

/* One word: what the image says of it, without the number of a line that nobody wrote. */
static int check_word(const char *word, char *err)
{
	static struct setting table[CONFIG_SETTINGS];
	static struct config config;
	char why[CONFIG_LINE];
	const char *equals = strchr(word, '=');

	if (!equals)
		return give_reason(err, "'%.40s': want key=value", word);
	if (has_comment(equals + 1))
		return give_reason(err, "'%.60s': a # there begins a comment in anechoic.cfg",
			word);
	char *key = copy_text(word);
	key[equals - word] = 0;
	int bad = settings_set(table, config_settings(table), &config, key, equals + 1, why,
		sizeof(why));
	free(key);
	return bad ? give_reason(err, "%s", why) : 0;
}

char *boot_config_text(char *const *words, size_t n, char *err)
{
	static struct config config;
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);
	int bad = 0;

	fputs(MARK, out);
	for (size_t i = 0; i < n && !bad; i++) {
		bad = check_word(words[i], err);
		fprintf(out, "%.*s = %s\n", (int)strcspn(words[i], "="), words[i],
			words[i] + strcspn(words[i], "=") + !bad);
	}
	fclose(out);
	if (!bad)
		parse(&config, text, err); /* the whole, as it will be read */
	if (!bad && !config.errors)
		return text;
	free(text);
	return NULL;
}

bool boot_config_is_ours(const char *text, size_t n)
{
	return n >= sizeof(MARK) - 1 && !memcmp(text, MARK, sizeof(MARK) - 1);
}

struct boot_course boot_config_course(const char *text)
{
	static struct config config;
	char err[REASON_BYTES];

	parse(&config, text, err);
	/* Before a reset or a power-off: kernel/finish.c. */
	uint64_t held =
		config.screen_seconds > config.countdown ? config.screen_seconds : config.countdown;
	uint64_t each = config.countdown ? held : 0, all = config.prompt;
	all += config.rooms == ROOMS_FIRMWARE ? 0 : each;
	all += config.finish == FINISH_FIRMWARE ? WAIT_SECONDS
		: config.finish == FINISH_HALT  ? 0
						: each;
	return (struct boot_course){ .rooms = config.rooms == ROOMS_BOTH ? 2 : 1,
		.room_seconds = profile_seconds(config.options.profile),
		.countdowns = (unsigned)all,
		.finish = (enum finish)config.finish };
}
