/* SPDX-License-Identifier: MIT */
/*
 * The page of a start beside its results: \results\<time>.html, as `anechoic report` makes it. Room
 * firmware's after the room; both rooms' at harvest, in the same file, which is written anew. It is
 * written when the results are safe: what goes wrong costs the page only. Before ExitBootServices.
 */
#ifndef KERNEL_RESULT_STICK_PAGE_H
#define KERNEL_RESULT_STICK_PAGE_H

#include "kernel/config.h"
#include "kernel/result/store.h"

struct stick_page {
	char name[STORED_RESULT_FILE];
	const char *why; /* why there is no such file; NULL: there is */
	uint64_t bytes;
	const char *left_out; /* why room firmware's result is not in it; NULL: nothing is */
};

/*
 * Writes the page of the result `text`, which is in that file, beside it: by the firmware's calls,
 * in the machine's arena. If that is a start's room bare, room firmware's of the same start comes
 * first. Says in a line or two what came of it.
 * Not with html = off, nor to a boot server, which gets no page.
 */
void stick_page(const struct machine *, const struct config *, const char *file, const char *text,
	size_t n);

#endif
