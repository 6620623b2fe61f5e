/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/probe_api.h"
#include "tests/kam/run/unwanted_rows.h"

#define PAUSE_NS       400 /* the one pause whose latency under load is looked at */
#define LEARNED        2000
#define TARGETS_FEWEST 16 /* fewer jumps run at the pace of the loop: not read */

bool row_unwanted(struct room *room, const struct row *row)
{
	bool far = row->level && strcmp(row->level, "memory") == 0,
	     small = row->page_bytes == PAGE_4K && room->facts.pages != PAGE_4K;

	if (strcmp(row->variant, "chains") == 0)
		return !far || small;
	if (strcmp(row->variant, "sequential") == 0)
		return !far;
	if (strcmp(row->variant, "pointer-padded") == 0)
		return small;
	if (strcmp(row->variant, "loaded-latency") == 0)
		return row_get(row, "pause_ns", 0) > 0 && row_get(row, "pause_ns", 0) != PAUSE_NS;
	if (strcmp(row->variant, "learn") == 0)
		return row_get(row, "elements", 0) != LEARNED;
	if (strcmp(row->variant, "targets") == 0)
		return row_get(row, "targets", 0) < TARGETS_FEWEST;
	return row->unit == &unit_gbs && (!row->level || row_get(row, "in_a_turn", 0) > 0);
}
