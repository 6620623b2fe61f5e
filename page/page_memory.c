/* SPDX-License-Identifier: MIT */
#include "page/page_memory.h"

#include <stdbool.h>
#include <string.h>

static struct page_memory memory;

void page_memory_use(void *(*take)(size_t bytes), void (*give_back)(void *))
{
	memory = (struct page_memory){ take, give_back };
}

struct page_memory page_memory_in_use(void)
{
	return memory;
}

void *page_new(size_t n, size_t size)
{
	return memory.take(n ? n * size : 1);
}

void page_free(const void *block)
{
	memory.give_back((void *)block);
}

void *page_grow(void **array, size_t *n, size_t size)
{
	if ((*n & (*n - 1)) == 0) {
		void *larger = page_new(*n ? *n * 2 : 1, size);

		if (*n)
			memcpy(larger, *array, *n * size);
		page_free(*array);
		*array = larger;
	}
	return (char *)*array + size * (*n)++;
}

char *page_text(const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(page_new(n, 1), text, n);
}

/* Merge the ascending runs [0, half) and [half, n) of `from` into `to`. */
static void merge(const char *from, size_t half, size_t n, size_t size, char *to,
	int (*compare)(const void *, const void *))
{
	size_t a = 0, b = half;

	for (size_t i = 0; i < n; i++) {
		bool second = a == half || (b < n && compare(from + b * size, from + a * size) < 0);
		size_t *next = second ? &b : &a;

		memcpy(to + i * size, from + (*next)++ * size, size);
	}
}

void page_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *from = array, *other = page_new(n, size), *to = other;

	for (size_t run = 1; run < n; run *= 2) {
		for (size_t at = 0; at < n; at += 2 * run) {
			size_t here = n - at < 2 * run ? n - at : 2 * run;

			merge(from + at * size, run < here ? run : here, here, size, to + at * size,
				compare);
		}
		char *done = to;
		to = from;
		from = done;
	}
	if (from != (char *)array)
		memcpy(array, from, n * size);
	page_free(other);
}
