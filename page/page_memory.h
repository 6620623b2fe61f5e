/* SPDX-License-Identifier: MIT */
/*
 * Memory for the page and its pictures. Where there is none left, take() does not return: the
 * caller of page_memory_use says what happens then.
 */
#ifndef PAGE_PAGE_MEMORY_H
#define PAGE_PAGE_MEMORY_H

#include <stddef.h>

/* take: so many bytes, zeroed, aligned for anything. give_back: of what take returned, or NULL. */
void page_memory_use(void *(*take)(size_t bytes), void (*give_back)(void *));

/* What is in use, for who uses its own for a while. */
struct page_memory {
	void *(*take)(size_t bytes);
	void (*give_back)(void *);
};
struct page_memory page_memory_in_use(void);

/* n elements, zeroed; n may be 0. To be given back, as all of these. */
void *page_new(size_t n, size_t size);
void page_free(const void *);
/* A new last element of a growing array, zeroed. */
void *page_grow(void **array, size_t *n, size_t size);
/* A copy of the text. */
char *page_text(const char *);

/* Sorts n elements; those that compare as equal keep their order. */
void page_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
