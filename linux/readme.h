/* SPDX-License-Identifier: MIT */
/* Reads the README of a probe, whose form CONTRIBUTING.md, "Adding a probe", gives. */
#ifndef LINUX_README_H
#define LINUX_README_H

#include <stdbool.h>
#include <stddef.h>

enum block_kind { BLOCK_HEADING, BLOCK_TEXT, BLOCK_ITEM, BLOCK_ROW, BLOCK_CODE };

/* A heading, a paragraph, an item of a list, a row of a table, or a line of code. */
struct readme_block {
	enum block_kind kind;
	bool apart;       /* an empty line stands before it */
	const char *text; /* as in the file, behind its mark */
	size_t n;
	size_t mark; /* bytes of "## ", "- ", "1. ", or four blanks of code */
};

/* Reads the block at *at, which is behind it then. False: there is none. */
bool block_next(const char **at, struct readme_block *);

/* Its text in one line, without Markdown's marks; a row is "cell: cell; cell". To be freed. */
char *block_plain(const struct readme_block *);

/* The heading that an item stands under says what it explains. */
enum item_sort { ITEM_OTHER, ITEM_VARIANT, ITEM_MISLEADS, ITEM_VALUE };

/* Reads the next item of a list. *sort is ITEM_OTHER at first, and stays the heading's. */
bool item_next(const char **at, enum item_sort *sort, struct readme_block *);

#define ITEM_NAME 64 /* bytes that hold a name, with its NUL */

/* The next `name` before the item's colon; *at is NULL at first. False: there are no more. */
bool item_name(const struct readme_block *, const char **at, char name[ITEM_NAME]);

#endif
