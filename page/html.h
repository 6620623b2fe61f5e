/* SPDX-License-Identifier: MIT */
/*
 * Text of any origin in a page: nothing in it is markup or a script there. What is no UTF-8, and
 * controls, become '?'.
 */
#ifndef PAGE_HTML_H
#define PAGE_HTML_H

#include "lib/result_line.h"
#include "page/picture/svg.h"

/* Markup, as it stands. */
void html_put(struct sink *, const char *markup);
/* As text of an element, or within the quotes of an attribute. */
void html_text(struct sink *, const char *text);
/* The same of a line's string; nothing, where it has none. */
void html_member(struct sink *, struct line, const char *key);
/* As a string of JSON, quotes included, that may stand within a <script>. */
void html_json_text(struct sink *, const char *text);
/* A number of a result as it stands there, before a comma or bracket; "null" of what is none. */
void html_number(struct sink *, const char *text);

#endif
