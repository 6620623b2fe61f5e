/* SPDX-License-Identifier: MIT */
/* What all pages have: the files of page/files/. */
#ifndef PAGE_PAGE_TEXT_H
#define PAGE_PAGE_TEXT_H

/* In the order in which the Makefile packs them. */
enum page_file { PAGE_HTML, PAGE_CSS, PAGE_JS, PICTURE_CSS, PAGE_FILES };

/* Points each to its text, ended by 0. Returns the memory that they are in, to be freed. */
char *page_texts(const char *of[PAGE_FILES]);

#endif
