/* SPDX-License-Identifier: MIT */
#include "kernel/result/last_run.h"

#include <string.h>

#include "engine/claims.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/result/result_log.h"
#include "lib/jsonl_write.h"
#include "lib/machine_id.h"
#include "lib/result_keys.h"
#include "lib/text.h"

#define ROOMS_KEPT 2
#define KEPT_BYTES (LAST_RUN_BYTES / ROOMS_KEPT)
#define TRIES      32           /* most files to look into; other machines' are among them */
#define HEAD_BYTES (256 * 1024) /* the run line must end within this, else the file is skipped */
#define ENDING     ".ndjson"

/* Lines kept of the last run of a room; n 0: there is none. */
static struct kept_result {
	char *text;
	size_t n;
	char name[STORED_RESULT_FILE];
} kept[ROOMS_KEPT];

/* This run and the last one. */
static struct {
	struct since now, before;
	struct card cards[2];
	const char *name;
} shown;

static struct kept_result *kept_of(enum room_kind kind)
{
	return &kept[kind == ROOM_BARE];
}

void last_run_setup(void *memory)
{
	for (unsigned i = 0; i < ROOMS_KEPT; i++)
		kept[i] = (struct kept_result){ .text = memory ? (char *)memory + i * KEPT_BYTES
							       : NULL };
}

struct line last_run_machine(struct room *room, bool identity, char out[MACHINE_LINE])
{
	const struct host *host = &room->facts.host;
	const char *const ids[][2] = { { KEY_UUID, host->uuid }, { KEY_SERIAL, host->serial },
		{ KEY_MAC, host->mac } };
	struct cpu_claim cpu;
	struct jsonl l;

	claims_cpu(room, &cpu);
	jsonl_begin(&l, out, MACHINE_LINE);
	jsonl_object(&l, KEY_CPU);
	jsonl_string(&l, KEY_VENDOR, cpu.vendor);
	jsonl_string(&l, KEY_BRAND, cpu.brand);
	jsonl_integer(&l, KEY_FAMILY, cpu.family);
	jsonl_integer(&l, KEY_MODEL, cpu.model);
	jsonl_integer(&l, KEY_STEPPING, cpu.stepping);
	jsonl_object_end(&l);
	jsonl_number(&l, KEY_TSC_HZ, room->facts.tsc_hz);
	jsonl_object(&l, KEY_HOST);
	for (unsigned i = 0; identity && i < sizeof ids / sizeof *ids; i++)
		if (*ids[i][1])
			jsonl_string(&l, ids[i][0], ids[i][1]);
	jsonl_object_end(&l);
	jsonl_object(&l, KEY_SMBIOS);
	if (*host->board)
		jsonl_string(&l, KEY_BOARD, host->board);
	jsonl_object_end(&l);
	return (struct line){ out, jsonl_end(&l) };
}

/* Returns true if the name is a time: only the name tells how old a result is. */
static bool is_dated(const char *name)
{
	size_t n = strlen(name), ending = strlen(ENDING);

	return *name >= '0' && *name <= '9' && n > ending && !strcmp(name + n - ending, ENDING);
}

/*
 * Read the file, or its first `most` bytes, to the start of the memory. Returns false if it cannot
 * be read.
 */
static bool read_file(const struct storage *s, const char *name, const struct span *memory,
	size_t most, size_t *n)
{
	*n = memory->bytes < most ? memory->bytes : most;
	return !s->file_read(name, (void *)memory->base, n);
}

/*
 * Keep the file if it is of this machine, by its beginning, and whole. Returns true if it was kept.
 */
static bool keep(const struct storage *s, struct line machine, struct kept_result *k,
	const char *name, const struct span *memory)
{
	const char *text = (const char *)memory->base, *at = text;
	struct line run = { NULL, 0 };
	size_t n;

	if (!read_file(s, name, memory, HEAD_BYTES, &n) || !line_next(&at, text + n, &run) ||
		line_kind(run) != LINE_RUN || !machine_same(machine, run))
		return false;
	if (!read_file(s, name, memory, memory->bytes, &n) || n == memory->bytes ||
		!result_is_whole(text, n))
		return false;
	k->n = since_keep(text, n, k->text, KEPT_BYTES);
	text_format(k->name, sizeof k->name, "%s", name);
	return k->n;
}

void last_run_find(const struct storage *s, struct line machine, enum room_kind kind,
	const char *own, const struct span *memory)
{
	char part[16], name[STORED_RESULT_FILE] = "~"; /* sorts after all names */
	struct kept_result *k = kept_of(kind);

	k->n = 0;
	if (!k->text || !machine.n)
		return;
	text_format(part, sizeof part, "-%s", room_names[kind]);
	for (unsigned i = 0; i < TRIES; i++) {
		char next[STORED_RESULT_FILE];

		if (!s->file_before(name, part, next, sizeof next))
			return;
		memcpy(name, next, sizeof name);
		if (is_dated(name) && strcmp(name, own) && keep(s, machine, k, name, memory))
			return;
	}
}

/* Read the run line, and the card of all lines. */
static struct since read_side(struct card *card, const char *text, size_t n)
{
	struct since side = { .card = card };
	struct line line;

	card_begin(card);
	for (const char *end = text + n; line_next(&text, end, &line);) {
		card_read(card, line);
		if (line_kind(line) == LINE_RUN)
			side.run = line;
	}
	return side;
}

static void print(card_say *say, void *to)
{
	since_print(&shown.now, &shown.before, shown.name, say, to);
}

void last_run_show(enum room_kind kind, const char *text, size_t n, card_say *say, void *to)
{
	const struct kept_result *k = kept_of(kind);

	shown.now = read_side(&shown.cards[0], text, n);
	shown.before = read_side(&shown.cards[1], k->text, k->n);
	shown.name = k->name;
	bool any = shown.now.run.text && shown.before.run.text;

	dashboard_below(any ? print : NULL);
	if (any)
		print(say, to);
}
