/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "linux/report/allocate.h"

static void *need(void *memory)
{
	if (!memory)
		err(2, "no memory");
	return memory;
}

void *new_array(size_t n, size_t size)
{
	return need(calloc(n ? n : 1, size));
}

void *grow(void **array, size_t *n, size_t size)
{
	if ((*n & (*n - 1)) == 0)
		*array = need(reallocarray(*array, *n ? *n * 2 : 1, size));
	return memset((char *)*array + size * (*n)++, 0, size);
}

void *resize(void *memory, size_t bytes)
{
	return need(realloc(memory, bytes));
}

char *copy_text(const char *text)
{
	return need(strdup(text));
}

FILE *text_stream(char **text, size_t *bytes)
{
	return need(open_memstream(text, bytes));
}
