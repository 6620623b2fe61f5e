/* SPDX-License-Identifier: MIT */
/* Rows of `privileged`: instructions that nothing overlaps, and pages touched after a switch. */
#include <math.h>
#include <string.h>

#include "tests/kam/judge/row_rules.h"

#define EIGHT  8.0
#define TURNS  16.0 /* of a call, between two stamps of which each may be a step off */
#define PAGES  64.0
#define LINES  128.0
#define KEPT   0.9 /* of the lines that were written, when all are written back */
#define OTHERS 256 /* lines that were written beside them */

static struct wanted alone(const struct judged *j, double cycles)
{
	double step = (double)j->cpu->tsc_step * (double)j->cpu->hz / (double)j->cpu->tsc_hz;
	double turn = 3 / EIGHT; /* a count and a jump, and the first of the next eight */

	return between(less(cycles, OPERATION_LESS) - 2 * step / (EIGHT * TURNS),
		more(cycles, PLACE_MORE) + turn + 2 * step / (EIGHT * TURNS));
}

#define PRICE(name, cycles)                                                                        \
	static struct wanted name(const struct judged *j, json_t *row)                             \
	{                                                                                          \
		const struct cpu *c = j->cpu;                                                      \
                                                                                                   \
		(void)row;                                                                         \
		return alone(j, (double)(cycles));                                                 \
	}
PRICE(stamp, c->tsc_cycles)
PRICE(cpuid_alone, c->cpuid_cycles)
PRICE(verw, c->privileged.verw)
PRICE(cr3, c->privileged.cr3)
PRICE(invlpg, c->privileged.invlpg)
PRICE(rdmsr, c->privileged.rdmsr)
PRICE(wrmsr, c->privileged.wrmsr)
PRICE(sti_cli, c->privileged.sti + c->privileged.cli)
PRICE(swapgs, 2 * c->privileged.swapgs)
PRICE(port_in, c->privileged.port_in)
PRICE(lgdt, c->privileged.lgdt)
PRICE(xsave, c->privileged.xsave)
PRICE(xsaveopt, c->privileged.xsaveopt)
PRICE(xsavec, c->privileged.xsavec)
PRICE(xrstor, c->privileged.xrstor)
PRICE(interrupt, c->privileged.interrupt + c->privileged.iret)
#undef PRICE

/* Before each its two operands are set. */
static struct wanted cpuid(const struct judged *j, json_t *row)
{
	struct wanted w = cpuid_alone(j, row);

	w.high += 1;
	return w;
}

/* To ring 3, which counts, and back to a count and a jump; hosted a sum, eight times a turn. */
static struct wanted syscall(const struct judged *j, json_t *row)
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
static struct wanted wbinvd(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	json_t *dirty = json_object_get(json_object_get(row, "more"), "dirty_bytes");
	double lines = json_number_value(dirty) / (double)c->line;
	double each = (double)c->privileged.wbinvd_line;

	return between(less((double)c->privileged.wbinvd, OPERATION_LESS) + KEPT * lines * each,
		more((double)c->privileged.wbinvd + lines * each, PRIVILEGED) + OTHERS * each);
}

/* Six instructions a line, the last of which jumps; then a fence that waits for the last one. */
static struct wanted flush(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;
	double turn = fmax(ceil(6 / (double)c->width), 1 / (double)c->stores);
	double step = (double)c->tsc_step * (double)c->hz / (double)c->tsc_hz;
	double end = (double)(2 * c->fence + c->level[0].latency + c->penalty) + 2 * step;

	(void)row;
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

static struct wanted touch(const struct judged *j, json_t *row)
{
	(void)row;
	return touches(j->cpu, 0, 0);
}

/* Every page is walked, as many at a time as there are walkers. */
static struct wanted cr3_touch(const struct judged *j, json_t *row)
{
	const struct cpu *c = j->cpu;

	(void)row;
	if (c->walk_loads || c->coalesce > 1)
		return anything();
	return touches(c, (double)c->privileged.cr3,
		ceil(PAGES / (double)c->walkers) * (double)c->walk);
}

void judge_privileged_rows(const struct judged *j)
{
	static const struct row_rule rules[] = {
		{ "privileged:rdtsc", "privileged", "rdtsc", NULL, CYCLES, stamp },
		{ "privileged:rdtscp", "privileged", "rdtscp", NULL, CYCLES, stamp },
		{ "privileged:cpuid", "privileged", "cpuid", NULL, CYCLES, cpuid },
		{ "privileged:verw", "privileged", "verw", NULL, CYCLES, verw },
		{ "privileged:cr3", "privileged", "cr3", NULL, CYCLES, cr3 },
		{ "privileged:invlpg", "privileged", "invlpg", NULL, CYCLES, invlpg },
		{ "privileged:rdmsr", "privileged", "rdmsr", NULL, CYCLES, rdmsr },
		{ "privileged:rdmsr-apic", "privileged", "rdmsr-apic", NULL, CYCLES, rdmsr },
		{ "privileged:wrmsr", "privileged", "wrmsr", NULL, CYCLES, wrmsr },
		{ "privileged:sti-cli", "privileged", "sti-cli", NULL, CYCLES, sti_cli },
		{ "privileged:swapgs", "privileged", "swapgs", NULL, CYCLES, swapgs },
		{ "privileged:port-in", "privileged", "port-in", NULL, CYCLES, port_in },
		{ "privileged:lgdt", "privileged", "lgdt", NULL, CYCLES, lgdt },
		{ "privileged:interrupt", "privileged", "interrupt", NULL, CYCLES, interrupt },
		{ "privileged:syscall", "privileged", "syscall", NULL, CYCLES, syscall },
		{ "privileged:xsave-sse", "privileged", "xsave-sse", NULL, CYCLES, xsave },
		{ "privileged:xsaveopt-sse", "privileged", "xsaveopt-sse", NULL, CYCLES, xsaveopt },
		{ "privileged:xsavec-sse", "privileged", "xsavec-sse", NULL, CYCLES, xsavec },
		{ "privileged:xrstor-sse", "privileged", "xrstor-sse", NULL, CYCLES, xrstor },
		{ "privileged:wbinvd-clean", "privileged", "wbinvd-clean", NULL, CYCLES, wbinvd },
		{ "privileged:wbinvd-half", "privileged", "wbinvd-half", NULL, CYCLES, wbinvd },
		{ "privileged:wbinvd-full", "privileged", "wbinvd-full", NULL, CYCLES, wbinvd },
		{ "privileged:clflush-absent", "privileged", "clflush-absent", NULL, CYCLES,
			flush },
		{ "privileged:clflush-clean", "privileged", "clflush-clean", NULL, CYCLES, flush },
		{ "privileged:clflush-dirty", "privileged", "clflush-dirty", NULL, CYCLES, flush },
		{ "privileged:touch", "privileged", "touch", NULL, CYCLES, touch },
		{ "privileged:cr3-touch", "privileged", "cr3-touch", NULL, CYCLES, cr3_touch },
	};

	judge_rules(j, rules, sizeof(rules) / sizeof(*rules));
}
