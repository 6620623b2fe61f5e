/* SPDX-License-Identifier: MIT */
/* Asks Linux for something, again and again between two stamps (room.request). */
#include "linux/requests.h"

static uint64_t lap_nothing(uint64_t requested, uint64_t b, uint64_t c)
{
	return 1;
}

static const struct request_kind request_nothing = { .lap = lap_nothing };

static const struct request_kind *const kinds[REQUESTS] = {
	[REQUEST_NOTHING] = &request_nothing,
	[REQUEST_SYSCALL] = &request_syscall,
	[REQUEST_CLOCK] = &request_clock,
	[REQUEST_CLOCK_SYSCALL] = &request_clock_syscall,
	[REQUEST_SIGNAL] = &request_signal,
	[REQUEST_SWITCH_PIPE] = &request_switch_pipe,
	[REQUEST_SWITCH_FUTEX] = &request_switch_futex,
	[REQUEST_CROSS_PIPE] = &request_cross_pipe,
	[REQUEST_CROSS_FUTEX] = &request_cross_futex,
	[REQUEST_FAULT] = &request_fault,
	[REQUEST_FAULT_HUGE] = &request_fault_huge,
	[REQUEST_MAP] = &request_map,
	[REQUEST_MAP_TOUCHED] = &request_map_touched,
	[REQUEST_THREAD] = &request_thread,
	[REQUEST_TIMER] = &request_timer,
	[REQUEST_TIMER_PRECISE] = &request_timer_precise,
};

static void time_laps(struct room *room, const struct request_kind *kind, struct requested *r,
	struct request_result *out)
{
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)kind->lap, r->laps, (uintptr_t)r };
	uint64_t before = kind->counter ? kind->counter() : 0;
	room->timed_begin(room, &out->events);
	out->timed = room->call(room, loop_timed_call, args);
	room->timed_end(room, &out->events);
	out->counted = kind->counter ? kind->counter() - before : 0;
	out->late_ns = r->late_ns;
}

static int hosted_request(struct room *room, enum os_request what, uint64_t laps,
	struct request_result *out, const char **why)
{
	static struct requested r; /* `why` outlives the call */
	const struct request_kind *kind = kinds[what];
	r = (struct requested){ .h = hosted_of(room), .laps = laps };
	*out = (struct request_result){ 0 };
	int failed = kind->begin ? kind->begin(&r) : 0;
	if (!failed)
		time_laps(room, kind, &r, out);
	if (kind->end && kind->end(&r))
		failed = -1;
	*why = r.why;
	return failed;
}

void requests_init(struct hosted *h)
{
	h->room.request = hosted_request;
}
