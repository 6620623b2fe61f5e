/* SPDX-License-Identifier: MIT */
/*
 * The performance counters of layer B, where the machine states them: what the model has counted,
 * by the registers of its vendor. Intel: SDM vol. 3B, chapter 20, version 4 of the architectural
 * counters (two fixed ones, and one that is programmed). AMD: PPR for family 17h, 2.1.14: six pairs
 * of an event's choice and its count.
 */
#include "engine/room.h"
#include "tests/kam/image/full_system.h"

/*
 * Plain C is not modelled. So that a counter is seen to advance, each reading of one finds that
 * these have happened since the last.
 */
#define PLAIN_NS           100
#define PLAIN_INSTRUCTIONS 100
#define PLAIN_MISPREDICTS  1

#define COUNTER_BITS ((1ull << 48) - 1)
#define AMD_PAIRS    6
#define SUPERVISOR   (1ull << 17 | 1ull << 22) /* of an event's choice: counts there, enabled */

enum {
	PMC0 = 0xc1,
	APERF = 0xe8,
	EVENT_SELECT0 = 0x186,
	FIXED_INSTRUCTIONS = 0x309,
	FIXED_CYCLES = 0x30a,
	FIXED_CONTROL = 0x38d,
	GLOBAL_CONTROL = 0x38f
};
#define AMD_EVENT_SELECT0 0xc0010200u

/* Returns the number of events since power-on. */
static uint64_t happened(struct full_system *w, enum counter_event what)
{
	const struct model *m = &w->model;

	switch (what) {
	case COUNTED_CYCLES:
		system_tsc(w); /* what passed in plain C, too */
		return model_cycle(m);
	case COUNTED_INSTRUCTIONS:
		return m->instructions + w->plain.instructions;
	case COUNTED_MISPREDICTS:
		return m->mispredicts + w->plain.mispredicts;
	case COUNTED_SMIS:
		system_tsc(w);
		return tsc_smis(&m->clock);
	case COUNTED_NOTHING:
		break;
	}
	return 0;
}

/* Returns the event for a number and unit mask; one that no register of ours has counts nothing. */
static enum counter_event intel_event(uint64_t select)
{
	switch (select & 0xffff) {
	case 0x3c:
		return COUNTED_CYCLES;
	case 0xc0:
		return COUNTED_INSTRUCTIONS;
	case 0xc5:
		return COUNTED_MISPREDICTS;
	}
	return COUNTED_NOTHING;
}

static enum counter_event amd_event(uint64_t select)
{
	switch (select & 0xf000000ff) {
	case 0x76:
		return COUNTED_CYCLES;
	case 0xc0:
		return COUNTED_INSTRUCTIONS;
	case 0xc3:
		return COUNTED_MISPREDICTS;
	case 0x2b:
		return COUNTED_SMIS;
	}
	return COUNTED_NOTHING;
}

static enum counter_event chosen(uint64_t select, enum counter_event event)
{
	return (select & SUPERVISOR) == SUPERVISOR ? event : COUNTED_NOTHING;
}

static bool fixed_on(struct full_system *w, unsigned i)
{
	return system_msr(w, FIXED_CONTROL)->value >> 4 * i & 1 &&
		system_msr(w, GLOBAL_CONTROL)->value >> (32 + i) & 1;
}

/* Returns the event that a counter counts by its registers. */
static enum counter_event counted_by(struct full_system *w, uint32_t counter)
{
	uint64_t select;

	switch (counter) {
	case FIXED_INSTRUCTIONS:
		return fixed_on(w, 0) ? COUNTED_INSTRUCTIONS : COUNTED_NOTHING;
	case FIXED_CYCLES:
		return fixed_on(w, 1) ? COUNTED_CYCLES : COUNTED_NOTHING;
	case APERF:
		return COUNTED_CYCLES;
	case PMC0:
		select = system_msr(w, EVENT_SELECT0)->value;
		return system_msr(w, GLOBAL_CONTROL)->value & 1
			? chosen(select, intel_event(select))
			: COUNTED_NOTHING;
	}
	select = system_msr(w, counter - 1)->value;
	return chosen(select, amd_event(select));
}

static uint64_t count_now(struct full_system *w, struct msr *m)
{
	return (m->value + happened(w, m->counts) - m->since) & COUNTER_BITS;
}

static uint64_t read_counter(struct full_system *w, struct msr *m)
{
	system_pass_time(w, PLAIN_NS);
	w->plain.instructions += PLAIN_INSTRUCTIONS;
	w->plain.mispredicts += PLAIN_MISPREDICTS;
	return count_now(w, m);
}

/* From now on it counts what the registers say, from this value. */
static void begin(struct full_system *w, struct msr *m, uint64_t value)
{
	m->value = value;
	m->counts = counted_by(w, m->number);
	m->since = happened(w, m->counts);
}

static bool write_counter(struct full_system *w, struct msr *m, uint64_t value)
{
	if (value > COUNTER_BITS)
		return false;
	begin(w, m, value);
	return true;
}

/* Without full-width writing, bit 31 is that of all higher ones. */
static bool write_pmc(struct full_system *w, struct msr *m, uint64_t value)
{
	begin(w, m, (uint64_t)(int64_t)(int32_t)value & COUNTER_BITS);
	return true;
}

static bool write_choice(struct full_system *w, struct msr *m, uint64_t value)
{
	unsigned i;

	m->value = value;
	for (i = 0; i < w->nmsrs; i++)
		if (w->msrs[i].read == read_counter)
			begin(w, &w->msrs[i], count_now(w, &w->msrs[i]));
	return true;
}

static void add_counter(struct full_system *w, uint32_t number,
	bool (*write)(struct full_system *, struct msr *, uint64_t))
{
	struct msr *m = system_add_msr(w, number, 0, false);

	m->read = read_counter;
	m->write = write;
}

static void add_choice(struct full_system *w, uint32_t number)
{
	system_add_msr(w, number, 0, false)->write = write_choice;
}

static void add_intel(struct full_system *w)
{
	add_choice(w, GLOBAL_CONTROL);
	add_choice(w, FIXED_CONTROL);
	add_choice(w, EVENT_SELECT0);
	add_counter(w, PMC0, write_pmc);
	add_counter(w, FIXED_INSTRUCTIONS, write_counter);
	add_counter(w, FIXED_CYCLES, write_counter);
}

static void add_amd(struct full_system *w)
{
	uint32_t i;

	for (i = 0; i < AMD_PAIRS; i++) {
		add_choice(w, AMD_EVENT_SELECT0 + 2 * i);
		add_counter(w, AMD_EVENT_SELECT0 + 2 * i + 1, write_counter);
	}
}

void system_counters_init(struct full_system *w)
{
	if (w->cpu->counters == COUNTERS_APERF) {
		add_counter(w, APERF, write_counter);
		begin(w, system_msr(w, APERF), 0);
	} else if (w->cpu->counters == COUNTERS_ALL && cpu_is_amd(w->cpu)) {
		add_amd(w);
	} else if (w->cpu->counters == COUNTERS_ALL) {
		add_intel(w);
	}
}
