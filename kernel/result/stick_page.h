/* SPDX-License-Identifier: MIT */
/*
 * The page of a start beside its results: \results\<time>.html, as `anechoic report` makes it.
 * After room firmware it shows that room; at harvest both rooms, in the same file, which is written
 * anew. It is written when the results are safe: an error costs only the page. Before
 * ExitBootServices.
 */
#ifndef KERNEL_RESULT_STICK_PAGE_H
#define KERNEL_RESULT_STICK_PAGE_H

#include "kernel/config.h"
#include "kernel/result/store.h"

struct stick_page {
	char name[STORED_RESULT_FILE];
	const char *why; /* why there is no such file; NULL: there is one */
	uint64_t bytes;
	const char *left_out; /* why it lacks room firmware's result; NULL: it does not */
};

/*
 * Write the page of the result `text`, which is in that file, beside it: by the firmware's calls,
 * in the machine's arena. If that is a start's room bare, room firmware's of the same start comes
 * first. Print the outcome in a line or two. No page is written with html = off, nor to a boot
 * server.
 */
void stick_page(const struct machine *, const struct config *, const char *file, const char *text,
	size_t n);

#endif
