/* SPDX-License-Identifier: MIT */
/*
 * Memory for the page and its pictures. If none is left, take() does not return: the caller of
 * page_memory_use decides what happens then.
 */
#ifndef PAGE_PAGE_MEMORY_H
#define PAGE_PAGE_MEMORY_H

#include <stddef.h>

/*
 * take: returns this many bytes, zeroed, aligned for anything. give_back: frees a block of take, or
 * NULL.
 */
void page_memory_use(void *(*take)(size_t bytes), void (*give_back)(void *));

/* The functions in use, so that a caller can use its own for a while. */
struct page_memory {
	void *(*take)(size_t bytes);
	void (*give_back)(void *);
};
struct page_memory page_memory_in_use(void);

/* n elements, zeroed; n may be 0. The caller frees it by page_free, like all of these. */
void *page_new(size_t n, size_t size);
void page_free(const void *);
/* Add a last element to a growing array, zeroed. */
void *page_grow(void **array, size_t *n, size_t size);
/* A copy of the text. */
char *page_text(const char *);

/* Sort n elements; equal elements keep their order. */
void page_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
