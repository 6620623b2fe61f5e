/* SPDX-License-Identifier: MIT */
/* The settings of a run: the same keys in anechoic.cfg, in load options and as --options. */
#ifndef ENGINE_OPTIONS_H
#define ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/settings.h"

enum prefetch_choice { PREFETCH_ON, PREFETCH_OFF, PREFETCH_BOTH };
enum clock_choice { CLOCK_FREE, CLOCK_FIXED, CLOCK_MAX };
enum edges_choice { EDGES_AUTO, EDGES_BISECT, EDGES_GRID };
enum identity_choice { IDENTITY_ON, IDENTITY_OFF };
enum profile { PROFILE_SMOKE, PROFILE_DEFAULT, PROFILE_FULL };

/* The choices of the setting `source`; SOURCE_NONE: the rows are chosen otherwise. */
enum source_choice {
	SOURCE_NONE,
#define SOURCE(letter) SOURCE_##letter,
#include "engine/source_rows.inc"
#undef SOURCE
	SOURCES
};

#define RUNS_MAX         99
#define CODE_BYTES_MOST  128 /* of the user's own code, and of what is executed before it */
#define CODE_TEXT        (3 * CODE_BYTES_MOST) /* holds them as text_to_bytes reads them */
#define CODE_SOURCE      256                   /* of what it was assembled from */
#define NOISE_ALONE_MOST 60 /* seconds of one CPU's scan, where there are several */

/* The choice of what a run prints; the result has all of it in any case. */
enum run_text {
	TEXT_ALL,  /* tables, values, sentences, and the card */
	TEXT_CARD, /* the first numbers, and the card */
	TEXT_NONE
};

struct options {
	uint64_t profile; /* enum profile */
	uint64_t quick;   /* bool: the run ends with its first card */
	char probes[512]; /* comma-separated names, "" = all */
	uint64_t source;  /* enum source_choice: only the rows of its experiments */
	uint64_t page;    /* page size to prefer: 0 = common_page's, else PAGE_4K/2M/1G */
	uint64_t seed;
	uint64_t cpu;               /* CPU to measure on (hosted) */
	uint64_t max_bytes;         /* largest arena, 0 = as large as fits */
	uint64_t smallest, largest; /* of the buffers in a sweep, bytes; 0: the experiment's own */
	uint64_t noise_seconds;     /* length of the gap scan, 0 = by profile */
	uint64_t prefetch;          /* enum prefetch_choice */
	uint64_t node;              /* bytes from node to node of padded chains, 0: as measured */
	uint64_t clock;             /* enum clock_choice */
	uint64_t edges;             /* enum edges_choice */
	uint64_t identity;          /* enum identity_choice */
	char run_id[64];            /* the user's name for a campaign; "": none */
	uint64_t runs;              /* one after the other */
	/* The user's own code, as text_to_bytes reads it; "": none. */
	char code[CODE_TEXT], code_init[CODE_TEXT];
	uint64_t code_unroll; /* copies of it in a row; the second block has twice as many */
	uint64_t code_loop;   /* turns of them; 0: no loop */
	char code_source[CODE_SOURCE]; /* no setting: the assembly text of `code`; "": none */
	enum run_text text;            /* no setting */
	unsigned run;                  /* no setting: this one of several, from 1 */
	double later_s;                /* no setting: of a series, what comes after this room */
};

/* The settings above as a table for settings_set; config errors name keys of this table. */
extern const struct setting option_settings[];
extern const size_t option_settings_count;

/*
 * When all settings are set: those that say nothing together, in words, or NULL. Where the user's
 * own code is to be measured and nothing else is asked for, `probes` is that.
 */
const char *options_settle(struct options *);

/*
 * Returns true if rows are wanted at all points of an experiment: in profile full, and for a
 * source.
 */
bool wants_all_points(const struct options *);

/*
 * Returns true if sizes between those of the sweeps are measured: `auto` does so except in profile
 * smoke.
 */
bool bisects_edges(const struct options *);

/* Seconds that a room may take in a profile: 10, 30, 900; 10 where the first card ends it. */
double profile_seconds(const struct options *);
/* About how many seconds a room takes; of a source, before its rows are planned: a guess, 900. */
double expected_seconds(const struct options *);

/* Lists of selected experiments: "probe" or "probe:variant", comma-separated; "" is all. */

/* Length of the list's name that begins here: up to a comma or the end. */
size_t selection_name(const char *at);
/* Returns true if the probe, or a variant of it, was selected. */
bool probe_selected(const char *list, const char *probe);
/* Returns true if this variant of it was selected. */
bool variant_selected(const char *list, const char *probe, const char *variant);

#endif
