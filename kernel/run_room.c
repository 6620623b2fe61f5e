/* SPDX-License-Identifier: MIT */
#include "kernel/run_room.h"

#include "kernel/console/console.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/fault.h"
#include "kernel/dashboard/dashboard.h"
#include "kernel/result/result_log.h"
#include "kernel/smp/smp.h"
#include "engine/plan.h"

static void report_fault(struct room *room)
{
	static char text[2048];
	size_t n = fault_text(text, sizeof text);

	room_leave(room);
	dashboard_close();
	console_write(text, n);
	bench_faulted(room, fault_summary());
}

/*
 * Nobody can be asked again: a name that no row has is said, and the others are measured; where
 * there are none, all probes are.
 */
static void check_selection(struct room *room, struct options *opt)
{
	struct unplanned u = selection_unplanned(room, opt);

	if (!u.name)
		return;
	console_printf("probes = '%.*s': this profile has no variant of that name here\n"
		       "(docs/method.md names the variants); %s\n",
		(int)u.n, u.name, u.any ? "the others are measured" : "all probes are measured");
	if (!u.any)
		opt->probes[0] = 0;
}

static bool measure(struct room *room, const struct options *asked)
{
	static struct context back;
	static struct options opt;

	if (context_save(&back)) {
		report_fault(room);
		return false;
	}
	fault_recover_to(&back);
	opt = *asked;
	check_selection(room, &opt);
	bench_run(room, &opt); /* says itself what was wrong */
	fault_recover_to(NULL);
	return true;
}

struct run {
	struct room *room;
	const struct machine *machine;
	const struct config *config;
	bool completed;
};

/* On the measuring processor. */
static void run(void *arg)
{
	struct run *r = arg;

	room_begin(r->room);
	results_open(r->machine, r->room->kind, r->room->facts.tsc_hz);
	r->completed = measure(r->room, &r->config->options);
	room_leave(r->room);
	results_close();
}

bool run_room(struct room *room, enum room_kind kind, const struct machine *m,
	const struct config *c)
{
	struct run r = { room, m, c, false };

	room_enter(room, kind);
	smp_measure_on(room, c->options.cpu, run, &r);
	smp_leave_room(room);
	return r.completed;
}
