/* SPDX-License-Identifier: MIT */
/* Text without a C library: printf (by stb_sprintf), sizes, lists of names. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* These work as snprintf and vsnprintf and return the length that would have been written. */
int text_format(char *out, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int text_vformat(char *out, size_t bytes, const char *format, va_list args);

/* The plural ending of a noun after a number: "" for 1, else "s". */
const char *text_plural(size_t n);

#define SIZE_TEXT 16 /* bytes that hold any size as people read it */

/* 1536 -> "1.5K", 1408 << 10 -> "1408K", 2 << 20 -> "2M": units of 1024; at most 6 characters. */
void size_text(double bytes, char out[SIZE_TEXT]);

/* Returns true if a list of names, separated by commas, has the name. */
bool names_have(const char *list, const char *name);
bool names_have_bytes(const char *list, const char *name, size_t n); /* n bytes, without NUL */
/* Bytes of the list's first name. */
size_t names_first(const char *list);

/*
 * Returns true if a misspelt word may mean `name`, and is nearer to it than to the names asked
 * before: *least is 0 at first. Nearness is the edit distance, at most a third of the word; a
 * common beginning ("output", "out") and two letters that changed places ("shwo") are as near as
 * one letter. '-' and '_' are the same.
 */
bool text_nearer(const char *word, const char *name, size_t *least);

/* Bytes of the text at *at up to "; " or its end; moves *at behind that. */
size_t text_clause(const char **at);

/*
 * Read an unsigned number of base 10 or 16; *end is the first byte after it. Returns false if there
 * is no digit, or the number is beyond 64 bits.
 */
bool text_number(const char *text, unsigned base, const char **end, uint64_t *out);

/*
 * Read bytes written as two hexadecimal digits each, with blanks or commas between: "48 0f af c0".
 * Writes the first `most` of them to out, which may be NULL if that is 0. Returns how many there
 * are; -1 if the text has anything else.
 */
int text_to_bytes(const char *text, unsigned char *out, size_t most);

#endif
