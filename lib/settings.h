/* SPDX-License-Identifier: MIT */
/*
 * Tables of named settings: one place that parses, checks and explains a `key = value`, used for
 * anechoic.cfg, the load options and the command line.
 */
#ifndef LIB_SETTINGS_H
#define LIB_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_kind {
	SETTING_CHOICE, /* one of `choices`; stored as uint64_t: values[i], else its index */
	SETTING_NUMBER, /* decimal or 0x; stored as uint64_t, min..max; or one of `choices` */
	SETTING_SIZE,   /* a number with an optional k, m, g (powers of 1024) */
	SETTING_TEXT,   /* char[max + 1] in place */
};

struct setting {
	const char *name;
	const char *help; /* one line */
	enum setting_kind kind;
	size_t offset;       /* of the member in the target structure */
	uint64_t min, max;   /* for numbers and sizes; for text max is the capacity without NUL */
	const char *choices; /* "smoke|default|full" */
	const uint64_t *values;
	const char *initial; /* default, in the same syntax */
	/*
	 * For a text: returns 0, or -1 with the error of this value in err; NULL: any text is
	 * valid.
	 */
	int (*check)(const char *value, char *err, size_t err_bytes);
};

/* Set every setting of the table to its default. */
void settings_init(const struct setting *table, size_t n, void *target);

/*
 * Set one. Returns 0, or -1 with a reason in err: "unknown key 'profil': did you mean 'profile'?",
 * "profile = 'fast': must be one of smoke, default, full".
 */
int settings_set(const struct setting *table, size_t n, void *target, const char *key,
	const char *value, char *err, size_t err_bytes);

/* Write the word for the value of a SETTING_CHOICE in target; "?" if it has none. */
void settings_choice(const struct setting *table, size_t n, const void *target, const char *key,
	char *out, size_t out_bytes);

#endif
