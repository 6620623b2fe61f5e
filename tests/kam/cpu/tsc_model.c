/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/tsc_model.h"
#include "tests/kam/cpu/cpu.h"

#define SHORT_EVERY 64
#define RUNS_FOR_S  40 /* the counter, before the machine is used: a firmware takes its time */

static uint64_t xorshift(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static uint64_t random64(struct clock *c)
{
	return xorshift(&c->random);
}

/* Distances are uniform between half and one and a half times the mean. */
static void plan(struct clock *c, struct stolen_time *t, uint64_t from)
{
	t->next = t->every ? from + t->every / 2 + random64(c) % (t->every + 1) : UINT64_MAX;
}

/*
 * An SMI, and when the next one begins: by a timer of the chipset, which goes on meanwhile, while
 * the core has no cycles.
 */
static void pass_smi(struct clock *c)
{
	struct stolen_time *s = &c->smi;
	bool is_long = c->smi_long_of && (s->count + 1) % c->smi_long_of == 0;
	uint64_t ticks = is_long ? c->smi_long_ticks : s->ticks;
	uint64_t away = (uint64_t)((unsigned __int128)ticks * c->core_hz / c->tsc_hz);

	c->stolen += ticks;
	s->count++;
	s->next -= away;
	s->next += c->smi_irregular ? s->every / 2 + xorshift(&c->smi_random) % (s->every + 1)
				    : s->every;
}

uint64_t tsc_smis(const struct clock *c)
{
	return c->spike.count + c->smi.count + c->asked;
}

void tsc_ask_smi(struct clock *c, uint64_t ticks)
{
	c->stolen += ticks;
	c->asked++;
}

/* The core clock after some steps of the ramp, and until when. */
static void set_speed(struct clock *c, uint64_t steps_done)
{
	uint64_t rise = (c->last_hz - c->first_hz) / c->steps * steps_done;
	bool last = steps_done == c->steps;

	c->steps_done = steps_done;
	c->core_hz = last ? c->last_hz : c->first_hz + rise;
	c->until = last ? UINT64_MAX : c->since + c->core_hz / 1000000 * c->ramp_us / c->steps;
}

void tsc_init(struct clock *c, const struct cpu *cpu)
{
	*c = (struct clock){
		.tsc_hz = cpu->tsc_hz,
		.ticks = RUNS_FOR_S * cpu->tsc_hz,
		.step = cpu->tsc_step,
		.short_of_step = cpu->tsc_jitter,
		.first_hz = cpu->hz_start ? cpu->hz_start : cpu->hz,
		.last_hz = cpu->hz,
		.ramp_us = cpu->ramp_us,
		.steps = cpu->hz_start ? cpu->ramp_steps : 1,
		.idle_us = cpu->hz_start ? cpu->idle_us : 0,
		.random = cpu->seed * 0x9e3779b97f4a7c15ull | 1,
		.jitter = { cpu->jitter_every, cpu->jitter_ticks, 0, 0 },
		.spike = { cpu->spike_every, cpu->spike_ticks, 0, 0 },
		.smi = { cpu->smi.every, cpu->smi.ticks, 0, 0 },
		.unseen = { cpu->unseen_every, cpu->unseen_ticks,
			cpu->unseen_every ? cpu->unseen_every : UINT64_MAX, 0 },
		.smi_irregular = cpu->smi.irregular,
		.smi_random = cpu->seed * 0xd1342543de82ef95ull | 1,
		.smi_long_of = cpu->smi.long_of,
		.smi_long_ticks = cpu->smi.long_ticks,
	};
	set_speed(c, cpu->hz_start ? 0 : c->steps);
	plan(c, &c->jitter, 0);
	plan(c, &c->spike, 0);
	c->smi.next = c->smi.every ? c->smi.every : UINT64_MAX;
}

void tsc_of_core(struct clock *c, const struct cpu *cpu, unsigned core)
{
	if (!*cpu->skew.ticks && !*cpu->skew.ppb)
		return;
	c->ahead = SKEW_BASE + (uint64_t)cpu_of_core(cpu->skew.ticks, core);
	c->ppb = cpu_of_core(cpu->skew.ppb, core);
}

/* Ticks at a cycle, by the clock as it is now. */
static uint64_t ticks_at(const struct clock *c, uint64_t cycle)
{
	uint64_t cycles = cycle > c->since ? cycle - c->since : 0;

	return c->ticks + (uint64_t)((unsigned __int128)cycles * c->tsc_hz / c->core_hz);
}

/* From `cycle` on the clock is as after so many steps of the ramp. */
static void change_speed(struct clock *c, uint64_t cycle, uint64_t steps_done)
{
	c->ticks = ticks_at(c, cycle);
	c->since = cycle;
	set_speed(c, steps_done);
}

static void pass_changes(struct clock *c, uint64_t cycle)
{
	while (cycle >= c->until)
		change_speed(c, c->until, c->steps_done + 1);
}

uint64_t tsc_read(struct clock *c, uint64_t cycle)
{
	uint64_t ticks;

	while (cycle >= c->jitter.next) {
		c->stolen += random64(c) % (c->jitter.ticks + 1);
		c->jitter.count++;
		plan(c, &c->jitter, c->jitter.next);
	}
	while (cycle >= c->spike.next) {
		c->stolen += c->spike.ticks;
		c->spike.count++;
		plan(c, &c->spike, c->spike.next);
	}
	while (cycle >= c->smi.next)
		pass_smi(c);
	for (; cycle >= c->unseen.next; c->unseen.next += c->unseen.every)
		c->stolen += c->unseen.ticks;
	pass_changes(c, cycle);
	ticks = ticks_at(c, cycle) + c->stolen;
	ticks += c->ahead + (uint64_t)(int64_t)((__int128)ticks * c->ppb / 1000000000);
	ticks -= ticks % c->step;
	if (c->short_of_step && ticks > c->last && random64(c) % SHORT_EVERY == 0)
		ticks -= c->short_of_step; /* not back to before the last reading */
	c->last = ticks;
	return ticks;
}

void tsc_slow(struct clock *c, uint64_t from, uint64_t hz, uint64_t cycles)
{
	change_speed(c, from, c->steps);
	c->steps_done = c->steps - 1;
	c->core_hz = hz;
	c->until = from + (uint64_t)((unsigned __int128)cycles * hz / c->last_hz);
}

void tsc_idle(struct clock *c, uint64_t cycles, uint64_t end)
{
	if (!c->idle_us || cycles < c->idle_us * (c->core_hz / 1000000))
		return;
	pass_changes(c, end);
	change_speed(c, end, 0);
}
