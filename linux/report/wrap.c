/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "linux/report/wrap.h"

void print_wrapped(FILE *out, const char *start, const char *text)
{
	int indent = (int)strlen(start), column = fprintf(out, "%s", start);

	while (*text) {
		int length = (int)strcspn(text, " ");
		if (column > indent && column + 1 + length > WRAP_WIDTH)
			column = fprintf(out, "\n%*s", indent, "") - 1;
		column += fprintf(out, "%s%.*s", column > indent ? " " : "", length, text);
		text += length + (text[length] == ' ');
	}
	fputc('\n', out);
}
