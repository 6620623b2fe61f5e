/* SPDX-License-Identifier: MIT */
#include "engine/run_text.h"

#include "engine/find.h"
#include "engine/run_output.h"
#include "engine/table.h"
#include "infer/card.h"
#include "lib/size_text.h"

const char *run_mark(const struct bench *b)
{
	if (b->env->facts.emulated)
		return "EMULATED";
	return b->env->facts.hypervisor[0] ? "VIRTUAL" : "";
}

void say_title(struct bench *b, const struct probe *probe)
{
	char line[TABLE_LINE];
	struct table table;

	table_begin(&table, run_mark(b));
	table_title(&table, probe->name, probe->what, line);
	say(b, "\n%s\n", line);
}

void say_machine(struct bench *b)
{
	const struct facts *f = &b->env->facts;

	say(b, "\nroom %s, %u CPU(s)\n", room_names[b->env->room], f->cpus);
	say(b, "TSC %.6f GHz by %s (sources differ by %.0f ppm)\n", f->tsc_hz / 1e9, f->tsc_source,
		f->tsc_disagree_ppm);
	if (b->core_hz > 0)
		say(b, "core clock %.3f GHz, ", b->core_hz / 1e9);
	else
		say(b, "core clock not known, ");
	say(b, "arena %llu MiB in %llu KiB pages\n", (unsigned long long)(b->arena.bytes / MIB),
		(unsigned long long)(b->arena.page_bytes / KIB));
	say(b,
		"in tables: p99 = 99th percentile, above the median (-: fewer than 100 samples);\n"
		"* = some samples were disturbed\n");
	if (*run_mark(b))
		say(b, "*** %s: %s ***\n", run_mark(b),
			f->emulated ? "an emulator runs this; its timings mean nothing"
				    : "a hypervisor is in the room; timings include it");
}

void say_levels(struct bench *b)
{
	char size[16];

	say(b, "\nsizes at which all other rows are measured, and their origin:\n ");
	for (unsigned i = 0; i < LEVELS; i++) {
		size_text((double)b->levels[i].bytes, size);
		if (b->levels[i].bytes)
			say(b, " %s %s %s;", b->levels[i].name, size, b->levels[i].origin);
	}
	say(b, "\n");
}

static bool was_measured(const struct bench *b, const struct probe *probe)
{
	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->probe == probe)
			return true;
	return false;
}

/* The values found by a probe, by their names in the result. */
static void say_values(struct bench *b, const struct probe *probe)
{
	char text[CARD_TEXT];

	for (unsigned i = 0; i < b->found->n; i++) {
		const struct card_value *v = card_value(b->card, b->found->list[i].name);

		if (b->found->by[i] != probe || !v) /* no line: emit_line has said so */
			continue;
		card_value_text(v, text);
		say(b, "  %-28s %s\n", b->found->list[i].name, text);
	}
}

void say_found(struct bench *b)
{
	say(b, "\nWhat the rows show (names as in the result):\n");
	for (unsigned i = 0; i < probe_count; i++) {
		b->probe = &probes[i];
		if (!was_measured(b, b->probe))
			continue;
		say(b, "%s\n", b->probe->name);
		say_values(b, b->probe);
		b->probe->meaning(b);
	}
}

static void say_text(void *to, const char *text, size_t n)
{
	output_text(to, text, n);
}

void say_card(struct bench *b)
{
	card_print(b->card, say_text, b);
}
