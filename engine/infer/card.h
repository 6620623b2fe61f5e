/* SPDX-License-Identifier: MIT */
/*
 * The card: one screen that says what the machine is, made from the result's own lines (the run
 * line and the summary lines). The run that measures, `anechoic show` and the start that brings a
 * result home all print it from here. docs/card.md explains its marks.
 */
#ifndef INFER_CARD_H
#define INFER_CARD_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/published.h"
#include "lib/result_line.h"
#include "lib/text.h"

#define CARD_VALUES       192
#define CARD_TEXT         256            /* bytes that hold any value written by card_value_text */
#define CARD_VALUE_LINE   "  %-28s %s\n" /* its name in the result and that text */
#define CARD_VALUE_COLUMN 31             /* where that text begins */
#define CARD_VALUE_END    80             /* the most columns of that line */

/* A summary line, as far as the card shows it. value NAN: not resolved. */
struct card_value {
	char name[40], unit[16], reason[56];
	double value, low, high, claimed, confidence;
	double floor, disturbed_share; /* NAN where the quietest tenth of the time says the same */
	double rise[3]; /* soft edge: where 10, 50, 90 % of it are done; else not a number */
	bool agrees;
	char form[64]; /* of a stream's loop, "" where the line has none */
};

struct card {
	char room[12], cpu[49], vendor[13];
	char memory[160];        /* modules, as the firmware states them */
	double memory_limit_gbs; /* of these modules; NAN: not known */
	const char *mark;        /* by result_mark */
	char may_be[80];         /* the first reason why it may be one that hides; "": none */
	bool half_a_core;        /* a thread of the measuring core spun */
	double family, model, stepping;
	double core_type; /* CPUID 1Ah of the first CPU, of hybrid processors; else NAN */
	unsigned n;
	struct card_value values[CARD_VALUES];
};

void card_begin(struct card *);
/* Takes one line of a result; others than its run and summary lines are passed over. */
void card_read(struct card *, struct line);
/* The value of that name, resolved or not; NULL: the lines did not have it. */
const struct card_value *card_value(const struct card *, const char *name);
/*
 * Returns the number that the card shows of a resolved value: that of quiet moments if it differs.
 */
double card_value_shown(const struct card_value *);
/*
 * "32K..45.2K", "18 cycles", "? not measured in this run"; several lines where CARD_VALUE_LINE
 * would have more than CARD_VALUE_END.
 */
void card_value_text(const struct card_value *, char out[CARD_TEXT]);
/*
 * Write a value as short as for a title: "44K..52K", "96..97", "138.3 ns", "2.991 GHz", a ratio as
 * its part above 1 ("30 %"), others as the number. If the card shows quiet moments, the value of
 * busy ones follows: "13.7 (busy 6)". "": not resolved.
 */
void card_value_brief(const struct card_value *, char out[CARD_TEXT]);

/* Returns true if the card shows the value of quiet moments: card_value_shown. */
bool card_value_quiet(const struct card_value *);
/*
 * Write a count with a bracket: "64", which is known exactly, "45..64", both ends included, or "45
 * or more". Returns false if it is no count or has no bracket.
 */
bool card_value_count(const struct card_value *, char out[CARD_TEXT]);
/* "32K..45.2K": the bracket; "24K..40K soft": most of a soft edge's rise; or a lone value. */
#define CARD_SIZE 24
void card_value_size(const struct card_value *, char out[CARD_SIZE]);

/* Returns true if ours, with its bracket or its doubt, is elsewhere than the published figure. */
bool card_value_unlike(const struct card_value *, const struct published_fact *);
/* "48K", "12-18", "<=240" */
void card_published_text(const struct published_fact *, char out[SIZE_TEXT]);

/* Returns "sure" from 80 %, "likely" from 50 %, "guess" below. */
const char *card_grade(double confidence);

/* A card shows this beside what was measured; NULL: nothing. */
struct card_beside {
	/* Figures of others for this core: lib/published.h, which the image does without. */
	const struct published_core *(*core_of)(const char *vendor, double family, double model,
		double core_type);
	const char *not_done; /* what was asked for and not measured, in words */
	const char *saved;    /* the file of the result */
};

typedef void card_say(void *to, const char *text, size_t n);
/*
 * Prints the card through say(to, text, n): an empty line and at most 24 lines of at most 79
 * columns, one more each with a fourth cache, a spinning sibling, and with what it may be; nothing
 * where nothing of it was measured.
 */
void card_print(const struct card *, const struct card_beside *, card_say *say, void *to);
/* Prints all lines of values that there are, with CPUID's claims; the same limits do not hold. */
void card_print_all(const struct card *, card_say *say, void *to);

#endif
