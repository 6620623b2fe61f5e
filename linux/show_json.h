/* SPDX-License-Identifier: MIT */
/* A run of a result file as one JSON object, as docs/format.md ("As JSON") lists its members. */
#ifndef LINUX_SHOW_JSON_H
#define LINUX_SHOW_JSON_H

#include <jansson.h>

#include "linux/report/reading/results.h"

/* A string; where it is no UTF-8 (a file's name, a word cut in the middle), '?' for such bytes. */
json_t *text_json(const char *text);
/* File, room, machine and time of a run: what begins every object of a run. */
json_t *run_json(const struct results *, const struct run_data *);
/* Add the run line, the rows, the skips and the end. */
void add_lines_json(json_t *to, const struct run_data *);
/* Add the card: each level with its size, latencies and rates, and all summary values by name. */
void add_card_json(json_t *to, const struct run_data *);

void print_json(const json_t *);

#endif
