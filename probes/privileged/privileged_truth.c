/* SPDX-License-Identifier: MIT */
/* `privileged`: instructions that nothing overlaps, and pages touched after a switch. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/truth.h"

#define EIGHT  8.0
#define TURNS  16.0 /* of a call, between two stamps of which each may be a step off */
#define PAGES  64.0
#define LINES  128.0
#define KEPT   0.9 /* of the lines that were written, when all are written back */
#define OTHERS 256 /* lines that were written beside them */

static struct wanted alone(const struct judged *j, double cycles)
{
	double steps = 2 * step_cycles(j->cpu) / (EIGHT * TURNS);
	double turn = 3 / EIGHT; /* a count and a jump, and the first of the next eight */

	return between(less(cycles, OPERATION_LESS) - steps,
		more(cycles, PLACE_MORE) + turn + steps);
}

static struct wanted costs(const struct judged *j, json_t *row, unsigned member)
{
	return alone(j, (double)cpu_number(j->cpu, member));
}

static struct wanted sti_cli(const struct judged *j, json_t *row, unsigned of)
{
	return alone(j, (double)(j->cpu->privileged.sti + j->cpu->privileged.cli));
}

static struct wanted swapgs(const struct judged *j, json_t *row, unsigned of)
{
	return alone(j, (double)(2 * j->cpu->privileged.swapgs));
}

static struct wanted interrupt(const struct judged *j, json_t *row, unsigned of)
{
	return alone(j, (double)(j->cpu->privileged.interrupt + j->cpu->privileged.iret));
}

/* CPUID, with its two operands set before each. */
static struct wanted cpuid(const struct judged *j, json_t *row, unsigned of)
{
	struct wanted w = alone(j, (double)j->cpu->cpuid_cycles);

	w.high += 1;
	return w;
}

/*
 * A return to ring 3, which counts, and a call back to a count and a jump; hosted, a sum, eight
 * times a turn.
 */
static struct wanted syscall(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	const char *room = json_string_value(json_object_get(row, "room"));
	bool hosted = room && !strcmp(room, "hosted");
	struct wanted w =
		alone(j, (double)(c->privileged.syscall + (hosted ? 0 : c->privileged.sysret)));

	w.high += hosted ? 2 : 6;
	return w;
}

/* With the lines that were written, but for those that a cache which is full has given up. */
static struct wanted wbinvd(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	json_t *dirty = json_object_get(json_object_get(row, "more"), "dirty_bytes");
	double lines = json_number_value(dirty) / (double)c->line;
	double each = (double)c->privileged.wbinvd_line;

	return between(less((double)c->privileged.wbinvd, OPERATION_LESS) + KEPT * lines * each,
		more((double)c->privileged.wbinvd + lines * each, PRIVILEGED) + OTHERS * each);
}

/* Six instructions a line, the last of which jumps; then a fence that waits for the last one. */
static struct wanted flush(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double turn = fmax(ceil(6 / (double)c->width), 1 / (double)c->stores);
	double end = (double)(2 * c->fence + c->level[0].latency + c->penalty) + 2 * step_cycles(c);

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(turn, more(turn, PRIVILEGED) + end / LINES);
}

/*
 * Four instructions a page, of which the one that jumps ends its cycle, between two fences; the
 * last page's jump may be guessed wrongly.
 */
static struct wanted touches(const struct cpu *c, double before, double walks)
{
	double turn = fmax(1, fmax(4 / (double)c->width, 1 / (double)c->loads));
	double low = before + fmax(PAGES * turn, walks) + (double)(2 * c->fence);
	double end = (double)(c->level[0].latency + c->stlb_latency + c->walk_upper + c->penalty);

	if (c->predictor == PREDICTOR_NEVER)
		return anything();
	return between(low, low + end + 4);
}

static struct wanted touch(const struct judged *j, json_t *row, unsigned of)
{
	return touches(j->cpu, 0, 0);
}

/* Every page is walked, as many at a time as there are walkers. */
static struct wanted cr3_touch(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;

	if (c->walk_loads || c->coalesce > 1)
		return anything();
	return touches(c, (double)c->privileged.cr3,
		ceil(PAGES / (double)c->walkers) * (double)c->walk);
}

/* Instructions that nothing overlaps; a turn of eight has a count and a jump beside them. */
static void expect_privileged(struct expected_list *l)
{
	const struct cpu *c = l->cpu;
	expect_percent(l, "cr3_cycles", (double)c->privileged.cr3, PRIVILEGED, PRIVILEGED_TEXT);
	expect_percent(l, "invlpg_cycles", (double)c->privileged.invlpg, PRIVILEGED,
		PRIVILEGED_TEXT);
	expect_percent(l, "cpuid_cycles", (double)c->cpuid_cycles, PRIVILEGED, PRIVILEGED_TEXT);
}

static const struct row_rule rules[] = {
	ROWS("rdtsc", CYCLES, costs, CPU(tsc_cycles)),
	ROWS("rdtscp", CYCLES, costs, CPU(tsc_cycles)),
	ROWS("cpuid", CYCLES, cpuid),
	ROWS("verw", CYCLES, costs, CPU(privileged.verw)),
	ROWS("cr3", CYCLES, costs, CPU(privileged.cr3)),
	ROWS("invlpg", CYCLES, costs, CPU(privileged.invlpg)),
	ROWS("rdmsr", CYCLES, costs, CPU(privileged.rdmsr)),
	ROWS("rdmsr-apic", CYCLES, costs, CPU(privileged.rdmsr)),
	ROWS("wrmsr", CYCLES, costs, CPU(privileged.wrmsr)),
	ROWS("sti-cli", CYCLES, sti_cli),
	ROWS("swapgs", CYCLES, swapgs),
	ROWS("port-in", CYCLES, costs, CPU(privileged.port_in)),
	ROWS("lgdt", CYCLES, costs, CPU(privileged.lgdt)),
	ROWS("interrupt", CYCLES, interrupt),
	ROWS("syscall", CYCLES, syscall),
	ROWS("xsave-sse", CYCLES, costs, CPU(privileged.xsave)),
	ROWS("xsaveopt-sse", CYCLES, costs, CPU(privileged.xsaveopt)),
	ROWS("xsavec-sse", CYCLES, costs, CPU(privileged.xsavec)),
	ROWS("xrstor-sse", CYCLES, costs, CPU(privileged.xrstor)),
	ROWS("wbinvd-clean", CYCLES, wbinvd),
	ROWS("wbinvd-half", CYCLES, wbinvd),
	ROWS("wbinvd-full", CYCLES, wbinvd),
	ROWS("clflush-absent", CYCLES, flush),
	ROWS("clflush-clean", CYCLES, flush),
	ROWS("clflush-dirty", CYCLES, flush),
	ROWS("touch", CYCLES, touch),
	ROWS("cr3-touch", CYCLES, cr3_touch),
};

const struct truth truth_privileged = { RULES(rules), .expect = expect_privileged };
