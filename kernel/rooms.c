/* SPDX-License-Identifier: MIT */
#include "kernel/console/console.h"
#include "kernel/cpu/fault.h"
#include "kernel/result/result_log.h"
#include "kernel/rooms.h"
#include "kernel/cpu/x86.h"
#include "engine/bench.h"

static enum left after_fault(struct env *env)
{
	static char text[2048];
	size_t n = fault_text(text, sizeof text);

	env_leave(env);
	console_write(text, n);
	bench_faulted(env, fault_short());
	return LEFT_FAULTED;
}

static enum left measure(struct env *env, const struct options *opt)
{
	static const enum left how[] = { LEFT_COMPLETE, LEFT_WRONG, LEFT_EMPTY };
	static struct context back;
	int result;

	if (context_save(&back))
		return after_fault(env);
	fault_recover_to(&back);
	result = bench_run(env, opt);
	fault_recover_to(NULL);
	return how[result];
}

enum left room_run(struct env *env, enum room room, const struct machine *m, const struct config *c)
{
	enum left left;

	env_enter(env, room);
	results_open(m, room);
	left = measure(env, &c->options);
	env_leave(env);
	results_close();
	return left;
}
