/* SPDX-License-Identifier: MIT */
/*
 * The lines of a result, read in place. All readers of a result's text use these functions: the
 * card, the page, the display, thinning, QR codes, the commands.
 */
#ifndef LIB_RESULT_LINE_H
#define LIB_RESULT_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* A line, or an object within one; the text must stay. */
struct line {
	const char *text; /* NULL: no line; it has no members */
	size_t n;         /* bytes, with or without the newline */
};

/* A member as it stands in the text; a string value includes its quotes. */
struct member {
	const char *key; /* without quotes */
	size_t key_bytes;
	const char *value;
	size_t value_bytes;
};

enum line_kind { LINE_RUN, LINE_ROW, LINE_SKIP, LINE_SUMMARY, LINE_END, LINE_OTHER };

/*
 * The next line of a text, without its newline; *at points to the text at first. Returns false at
 * the end, and *out stays as it is.
 */
bool line_next(const char **at, const char *end, struct line *out);
/* The last line of a text; text NULL if there is none. */
struct line line_last(const char *text, size_t n);
/* The kind by the member `kind`; LINE_OTHER: of none of the kinds, or no line of a result. */
enum line_kind line_kind(struct line);

/* Find the member of that key. Returns false if there is none. */
bool line_find(struct line, const char *key, struct member *out);
/* The value of a member: NOT_A_NUMBER, "" (false) or no line if there is no such member. */
double line_number(struct line, const char *key);
bool line_string(struct line, const char *key, char *out, size_t bytes);
struct line line_object(struct line, const char *key);
/* Returns true if the member is that string, or that literal: "true". */
bool line_is(struct line, const char *key, const char *value);
/* Returns true if both have the member with the same text, or neither has it. */
bool line_same(struct line, struct line, const char *key);

/*
 * The mark of a run that is not silicon alone, by its run line: "SIMULATED" (by the known-answer
 * machine: times are those of the stated processor), "EMULATED", "EMULATED?" (it may be),
 * "VIRTUAL", "VIRTUAL?" or "". result_mark_text: the same in words: "EMULATED: times mean nothing".
 */
#define HYPERVISOR_SIMULATED "known-answer" /* the vendor in the CPUID of such a machine */
const char *result_mark(struct line run);
const char *result_mark_text(const char *mark);

/*
 * The next member of the object; *at points to its "{" at first. Returns false at the end, or if
 * the text is no JSON: *at == end only if it was complete ("}" and an optional newline).
 */
bool member_next(const char **at, const char *end, struct member *out);

/* Like member_next, for an array's elements, which have no key; *at points to its "[" at first. */
bool element_next(const char **at, const char *end, struct member *out);

/* Returns true if the member has that key. */
bool member_is(const struct member *, const char *key);
/* The value as a number, to about 15 digits; NAN if it is null or no number. */
double member_number(const struct member *);
/* The value as a string, cut to bytes - 1 characters. Returns false, and "", if it is none. */
bool member_text(const struct member *, char *out, size_t bytes);

/* The numbers of a row, in order, and their names in it; the list of names ends with NULL. */
enum row_statistic {
#define STATISTIC(name, when) ROW_##name,
#include "lib/row_statistics.inc"
#undef STATISTIC
	ROW_STATISTICS
};
extern const char *const row_statistics[];

#define RESULT_PARAMETERS 12 /* most of a row; engine/ writes no more than ROW_PARAMS */

struct result_parameter {
	const char *name;
	double value;
};

/*
 * A measured row as read. Unknown numbers are NOT_A_NUMBER; but `disturbed` and `outliers` are then
 * 0, and `samples` is the number of values.
 */
struct result_row {
	const char *probe, *variant, *unit, *level; /* "" if absent */
	union {
		double numbers[ROW_STATISTICS];
		struct {
#define STATISTIC(name, when) double name;
#include "lib/row_statistics.inc"
#undef STATISTIC
		};
	};
	struct result_parameter params[RESULT_PARAMETERS]; /* sorted by name */
	size_t nparams;
	struct line line;     /* all of it, for other members */
	struct line more;     /* the object `more`; no line: it has none */
	struct member values; /* the samples; value NULL: it has none */
	size_t nvalues;       /* elements of values */
};

/* word(of, string) makes the strings that the row points to from strings of the line. */
void result_row_read(struct result_row *, struct line,
	const char *(*word)(void *of, const struct member *), void *of);

/* A parameter; NOT_A_NUMBER: the row does not have it. */
double result_parameter(const struct result_row *, const char *name);
/* A parameter, "more.NAME" or a statistic; NOT_A_NUMBER: the row has none. */
double result_number(const struct result_row *, const char *name);

#endif
