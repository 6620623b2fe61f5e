/* SPDX-License-Identifier: MIT */
#include "page/row_label.h"

#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"

void label_parameter(const char *name, double value, char *out, size_t bytes)
{
	char size[SIZE_TEXT];

	size_text(value, size);
	if (!strcmp(name, "bytes"))
		text_format(out, bytes, " %s", size);
	else if (!strcmp(name, KEY_PAGE_BYTES))
		text_format(out, bytes, " %s-pages", size);
	else
		text_format(out, bytes, " %s=%.15g", name, value);
}

static void add_parameters(const struct shown_row *row, char out[ROW_LABEL])
{
	for (size_t i = 0, used; i < row->nparams; i++) {
		used = strlen(out);
		label_parameter(row->params[i].name, row->params[i].value, out + used,
			ROW_LABEL - used);
	}
}

void row_label(const struct shown_row *row, char out[ROW_LABEL])
{
	text_format(out, ROW_LABEL, "%s", row->variant);
	add_parameters(row, out);
}

void row_label_parameters(const struct shown_row *row, char out[ROW_LABEL])
{
	*out = 0;
	add_parameters(row, out);
	if (*out)
		memmove(out, out + 1, strlen(out));
}
