/* SPDX-License-Identifier: MIT */
/* Memory for report/: if there is none, the program says so and ends with exit code 2. */
#ifndef REPORT_ALLOCATE_H
#define REPORT_ALLOCATE_H

#include <stddef.h>
#include <stdio.h>

/* n elements, zeroed; n may be 0. The caller frees it, like all of these. */
void *new_array(size_t n, size_t size);
/* Add a last element to a growing array, zeroed. */
void *grow(void **array, size_t *n, size_t size);
/* realloc; bytes > 0. */
void *resize(void *memory, size_t bytes);
/* A copy of the text. */
char *copy_text(const char *);
/* A stream; its text is in *text, NUL-terminated, once it is closed. */
FILE *text_stream(char **text, size_t *bytes);

#endif
