/* SPDX-License-Identifier: MIT */
/*
 * Counts of a run beside time: it must count the events that the machine can count, and as many as
 * happen.
 */
#include <string.h>

#include "tests/kam/judge/run_rules.h"

bool counts_all(const struct judged *j)
{
	return in_layer_b(j) && j->cpu->counters == COUNTERS_ALL;
}

/* Returns true if the run must count this event. */
static bool is_counted(const struct judged *j, const char *event)
{
	if (!strcmp(event, "smis"))
		return !in_layer_b(j) || counts_all(j) || !cpu_is_amd(j->cpu);
	if (!strcmp(event, "interrupts") || !strcmp(event, "nmis"))
		return in_layer_b(j);
	if (!strcmp(event, "core_cycles"))
		return in_layer_b(j) && j->cpu->counters != COUNTERS_NONE;
	return counts_all(j) && (!strcmp(event, "mispredicts") || !strcmp(event, "instructions"));
}

static bool lists(json_t *list, const char *event)
{
	json_t *line;
	size_t i;

	json_array_foreach(list, i, line)
		if (!strcmp(json_string_value(line), event))
			return true;
	return false;
}

void judge_counted_events(const struct judged *j)
{
	static const char *const events[] = {
#define EVENT(NAME, name, kind, words) #name,
#include "lib/event_counts.inc"
#undef EVENT
	};
	json_t *list = json_object_get(j->run->run, "counts");
	unsigned right = 0, n = sizeof(events) / sizeof(*events), i;

	for (i = 0; i < n; i++) {
		bool listed = lists(list, events[i]);

		if (listed == is_counted(j, events[i]))
			right++;
		else
			tally_wrong(j->tally, "counts", "'%s' is %s", events[i],
				listed ? "counted, and the machine cannot" : "not counted");
	}
	if (right == n)
		tally_right(j->tally, "counts", n, "events");
}

double count_of(json_t *row, const char *event)
{
	return number_of(json_object_get(row, "counts"), event) / number_of(row, "samples");
}

void judge_count(const struct judged *j, const char *name, double got, double low, double high)
{
	tally_value(j->tally, name, (low + high) / 2, got, "of what is executed",
		got >= low && got <= high ? NULL : "out of tolerance");
}
