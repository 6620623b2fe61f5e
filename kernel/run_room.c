/* SPDX-License-Identifier: MIT */
#include "kernel/run_room.h"

#include "kernel/console/console.h"
#include "kernel/cpu/context.h"
#include "kernel/cpu/fault.h"
#include "kernel/result/result_log.h"
#include "engine/bench.h"

static void report_fault(struct env *env)
{
	static char text[2048];
	size_t n = fault_text(text, sizeof text);

	env_leave(env);
	console_write(text, n);
	bench_faulted(env, fault_summary());
}

static bool measure(struct env *env, const struct options *opt)
{
	static struct context back;

	if (context_save(&back)) {
		report_fault(env);
		return false;
	}
	fault_recover_to(&back);
	bench_run(env, opt); /* says itself what was wrong */
	fault_recover_to(NULL);
	return true;
}

bool run_room(struct env *env, enum room room, const struct machine *m, const struct config *c)
{
	bool completed;

	env_enter(env, room);
	results_open(m, room);
	completed = measure(env, &c->options);
	env_leave(env);
	results_close();
	return completed;
}
