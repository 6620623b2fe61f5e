/* SPDX-License-Identifier: MIT */
/*
 * Text of any origin in a page: nothing in it is markup or a script there. What is no UTF-8, and
 * controls, become '?'.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdio.h>

#include "picture/svg.h"

/* As text of an element, or within the quotes of an attribute. */
void html_text(FILE *out, const char *text);
/* As a string of JSON, quotes included, that may stand within a <script>. */
void html_json_text(FILE *out, const char *text);
/* The shortest text that reads back as the same number; "null" of what is none. */
void html_number(FILE *out, double value);

/* Where a picture goes to a stream. */
struct svg svg_to(FILE *out);

#endif
