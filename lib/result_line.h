/* SPDX-License-Identifier: MIT */
/*
 * The lines of a result, read in place: whoever has the text of a result (the card, the page, the
 * display, what thins it or makes a QR code of it, the commands) asks it by these functions.
 */
#ifndef LIB_RESULT_LINE_H
#define LIB_RESULT_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* A line, or an object within one; the text must stay. */
struct line {
	const char *text; /* NULL: there is none, and it has no members */
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
 * The next line of a text, without its newline; *at points to the text at first. false: there is no
 * more, and *out stays as it is.
 */
bool line_next(const char **at, const char *end, struct line *out);
/* The last line of a text; no line: it has none. */
struct line line_last(const char *text, size_t n);
/* By its member `kind`; LINE_OTHER: of none of the kinds, or no line of a result. */
enum line_kind line_kind(struct line);

/* The member of that key; false: there is none. */
bool line_find(struct line, const char *key, struct member *out);
/* Its value: NOT_A_NUMBER, "" (false) or no line where there is no such member. */
double line_number(struct line, const char *key);
bool line_string(struct line, const char *key, char *out, size_t bytes);
struct line line_object(struct line, const char *key);
/* Whether the member is that string, or as a literal: "true". */
bool line_is(struct line, const char *key, const char *value);
/* Whether both have the member with the same text, or none of them has it. */
bool line_same(struct line, struct line, const char *key);

/*
 * What a run line says that the run is but for silicon alone: "SIMULATED" (by the known-answer
 * machine: times are those of the stated processor), "EMULATED", "EMULATED?" (it may be),
 * "VIRTUAL", "VIRTUAL?" or "". And the same in words: "EMULATED: times mean nothing".
 */
#define HYPERVISOR_SIMULATED "known-answer" /* the vendor that such a machine's CPUID names */
const char *result_mark(struct line run);
const char *result_mark_text(const char *mark);

/*
 * The next member of the object; *at points to its "{" at first. false at the end, or where the
 * text is no JSON: then *at == end only if it was complete ("}" and an optional newline).
 */
bool member_next(const char **at, const char *end, struct member *out);

/* The same of an array's elements, which have no key; *at points to its "[" at first. */
bool element_next(const char **at, const char *end, struct member *out);

/* Whether the member has that key. */
bool member_is(const struct member *, const char *key);
/* The value as a number; NAN where it is null or none. To about 15 digits. */
double member_number(const struct member *);
/* The string that the value is, cut to bytes - 1 characters; false, and "", where it is none. */
bool member_text(const struct member *, char *out, size_t bytes);

/* The numbers of a row: their order, and their names in it, which end with NULL. */
enum row_statistic {
#define STATISTIC(name, when) ROW_##name,
#include "lib/row_statistics.inc"
#undef STATISTIC
	ROW_STATISTICS
};
extern const char *const row_statistics[];

#define RESULT_PARAMETERS 12 /* of a row, at most; engine/ writes no more than ROW_PARAMS */

struct result_parameter {
	const char *name;
	double value;
};

/*
 * A measured row as read. Numbers are NOT_A_NUMBER where not known, but `disturbed` and `outliers`,
 * which are 0, and `samples`, which is then how many values there are.
 */
struct result_row {
	const char *probe, *variant, *unit, *level; /* "" where absent */
	union {
		double numbers[ROW_STATISTICS];
		struct {
#define STATISTIC(name, when) double name;
#include "lib/row_statistics.inc"
#undef STATISTIC
		};
	};
	struct result_parameter params[RESULT_PARAMETERS]; /* by their names */
	size_t nparams;
	struct line line;     /* all of it, for what else it has */
	struct line more;     /* of the line; no line: it has none */
	struct member values; /* the samples; value NULL: it has none */
	size_t nvalues;       /* elements of values */
};

/* word(of, string) makes of a string of the line what the row points to. */
void result_row_read(struct result_row *, struct line,
	const char *(*word)(void *of, const struct member *), void *of);

/* A parameter; NOT_A_NUMBER: the row does not have it. */
double result_parameter(const struct result_row *, const char *name);
/* A parameter, "more.NAME" or a statistic; NOT_A_NUMBER: the row has none. */
double result_number(const struct result_row *, const char *name);

#endif
