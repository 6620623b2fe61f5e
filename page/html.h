/* SPDX-License-Identifier: MIT */
/*
 * Writing text of any origin into a page, so that nothing in it is markup or a script there. Bytes
 * that are not UTF-8, and controls, become '?'.
 */
#ifndef PAGE_HTML_H
#define PAGE_HTML_H

#include "lib/result_line.h"
#include "page/picture/svg.h"

/* Write markup as it is. */
void html_put(struct sink *, const char *markup);
/* Write a text of an element, or within the quotes of an attribute. */
void html_text(struct sink *, const char *text);
/* Write a line's string as a text; nothing if the line has none. */
void html_member(struct sink *, struct line, const char *key);
/* Write a string of JSON, quotes included, that may stand within a <script>. */
void html_json_text(struct sink *, const char *text);
/*
 * Write a number of a result as it stands there, up to a comma or bracket; "null" if it is no
 * number.
 */
void html_number(struct sink *, const char *text);

#endif
