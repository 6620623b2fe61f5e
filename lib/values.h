/* SPDX-License-Identifier: MIT */
/* The values of a result's summary: probes/values.inc, and lib/noise_thresholds.inc. */
#ifndef LIB_VALUES_H
#define LIB_VALUES_H

enum value_id {
	VALUE_none,
#define VALUE(name, ...) VALUE_##name,
#include "probes/values.inc"
#undef VALUE
	VALUE_noise_gaps_above, /* the first; one for each line of lib/noise_thresholds.inc */
#define NOISE_THRESHOLD(us, whose) +1
	VALUES_KNOWN = VALUE_noise_gaps_above
#include "lib/noise_thresholds.inc"
#undef NOISE_THRESHOLD
};

/* The lines of the card, in their order. */
enum card_line {
	CARD_NONE,
	CARD_NOISE,
	CARD_L1,
	CARD_L2,
	CARD_L3,
	CARD_L4,
	CARD_MEMORY,
	CARD_WALKING,
	CARD_LINE,
	CARD_WAYS,
	CARD_TLB_4K,
	CARD_TLB_2M,
	CARD_PARALLEL,
	CARD_PAGES,
	CARD_READ,
	CARD_WRITE,
	CARD_COPY,
	CARD_MODULES,
	CARD_HANDOVER,
	CARD_SYSTEM,
	CARD_WINDOW,
	CARD_REGISTERS,
	CARD_IN_FLIGHT,
	CARD_WAITING,
	CARD_MISPREDICTION,
	CARD_BRANCHES,
	CARD_TARGETS,
	CARD_RETURNS,
	CARD_STORE_LOAD,
	CARD_ISSUED,
	CARD_PRIVILEGED,
	CARD_WAKE,
	CARD_SMI,
	CARD_CLOCK,
	CARD_SKEW,
	CARD_LINES
};

/* The entry of a value in probes/values.inc. */
struct value_facts {
	const char *name, *unit;
	const char *part; /* its format within its line of the card; "": that line has its own */
	enum card_line line;
};

struct value_facts value_facts(enum value_id);
/* Fills `of` with the values on a line of the card, in its order. Returns how many there are. */
#define LINE_VALUES 10 /* at most */
unsigned values_on_line(enum card_line, enum value_id of[LINE_VALUES]);
/* VALUE_none: no value has this name. */
enum value_id value_by_name(const char *name);

#endif
