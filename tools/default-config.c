/* SPDX-License-Identifier: MIT */
/*
 * Prints the commented anechoic.cfg of the image, from the tables of settings with which the image
 * parses it.
 */
#include <stdio.h>

#include "kernel/config.h"

static void print_values(const struct setting *s)
{
	if (s->kind != SETTING_CHOICE)
		return;
	printf(" (");
	for (const char *c = s->choices; *c; c++)
		fputs(*c == '|' ? ", " : (char[]){ *c, 0 }, stdout);
	printf(")");
}

int main(void)
{
	static struct setting table[CONFIG_SETTINGS];
	size_t n = config_settings(table);

	puts("# anechoic.cfg: one key = value a line; a # begins a comment. Each line below shows "
	     "a key and its\n"
	     "# default: take the # away and change the value. The same words, as key=value, may "
	     "be given as\n"
	     "# load options. A line that is wrong is refused with the reason, and the default is "
	     "used.");
	for (size_t i = 0; i < n; i++) {
		printf("\n# %s", table[i].help);
		print_values(&table[i]);
		printf("\n#%s =%s%s\n", table[i].name, *table[i].initial ? " " : "",
			table[i].initial);
	}
	return 0;
}
