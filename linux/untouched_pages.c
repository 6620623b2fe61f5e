/* SPDX-License-Identifier: MIT */
/* Pages that are not mapped before their first touch, for probe `bytouch`. */
#include <sys/mman.h>

#include "linux/hosted.h"
#include "linux/mapping.h"
#include "linux/pages.h"

/* Touches every page once, asks smaps what size they came in, and gives them back. */
static int untouched_map(struct slot *s, size_t bytes, size_t page_bytes)
{
	bool known;
	if (mapping_reserve(s, bytes, page_bytes))
		return -1;
	for (size_t at = 0; at < bytes; at += page_bytes)
		((volatile unsigned char *)s->arena.base)[at] = 1;
	if (pages_verify(s->arena.base, bytes, &known) == page_bytes)
		return 0;
	mapping_free(s);
	return -1;
}

static int hosted_untouched(struct room *room, size_t bytes, size_t page_bytes, struct arena *out)
{
	struct slot *s = &hosted_of(room)->memory.untouched;
	if (s->map && (s->arena.bytes != bytes || s->arena.page_bytes != page_bytes))
		mapping_free(s);
	if (!s->map && untouched_map(s, bytes, page_bytes))
		return -1;
	*out = s->arena;
	return madvise(s->arena.base, bytes, MADV_DONTNEED);
}

void untouched_init(struct hosted *h)
{
	h->room.untouched = hosted_untouched;
}
