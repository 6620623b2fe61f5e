/* SPDX-License-Identifier: MIT */
/* Requests that need another thread: it is started and joined, or it answers. */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/requests.h"

static _Atomic uint64_t threads_run;

static void *run_nothing(void *arg)
{
	threads_run++;
	return NULL;
}

static uint64_t threads_counted(void)
{
	return threads_run;
}

static uint64_t lap_thread(uint64_t requested, uint64_t b, uint64_t c)
{
	pthread_t thread;
	return !pthread_create(&thread, NULL, run_nothing, NULL) && !pthread_join(thread, NULL);
}

const struct request_kind request_thread = { .lap = lap_thread, .counter = threads_counted };

/* A CPU of another core, or else any other one. */
static unsigned other_cpu(const struct hosted *h)
{
	const struct cpu_location *t = h->topology;
	for (unsigned i = 1; i < h->room.facts.cpus; i++)
		if (t[i].core != t[0].core || t[i].package != t[0].package)
			return t[i].id;
	return t[h->room.facts.cpus > 1].id;
}

/* On its CPU, and by the rules of the thread that measures. */
static void settle(struct requested *r)
{
	struct sched_param param = { .sched_priority = r->priority };
	r->partner_failed = pin_to(r->cpu) != 0;
	if (r->priority && sched_setscheduler(0, r->policy, &param))
		r->partner_failed = true;
}

static int start(struct requested *r, void *(*answer)(void *), unsigned cpu)
{
	struct sched_param param = { 0 };
	r->cpu = cpu;
	r->policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	if (!sched_getparam(0, &param))
		r->priority = param.sched_priority;
	errno = pthread_create(&r->partner, NULL, answer, r);
	r->started = !errno;
	return errno ? request_failed(r, "pthread_create") : 0;
}

/* One lap untimed: then the other thread is there, and waits. */
static int meet(struct requested *r, lap_fn *lap)
{
	if (lap((uintptr_t)r, 0, 0) && !r->partner_failed)
		return 0;
	snprintf(r->why, sizeof(r->why), "the other thread could not be put on CPU %u", r->cpu);
	return -1;
}

static bool send_byte(int to)
{
	ssize_t n;
	do
		n = write(to, "", 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static bool receive_byte(int from)
{
	ssize_t n;
	char byte;
	do
		n = read(from, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static void *answer_pipe(void *arg)
{
	struct requested *r = arg;
	settle(r);
	while (receive_byte(r->there[0]) && send_byte(r->back[1]))
		;
	return NULL;
}

static uint64_t lap_pipe(uint64_t requested, uint64_t b, uint64_t c)
{
	const struct requested *r = (void *)requested;
	return send_byte(r->there[1]) && receive_byte(r->back[0]);
}

static int pipe_begin(struct requested *r, unsigned cpu)
{
	r->there[0] = r->there[1] = r->back[0] = r->back[1] = -1;
	if (pipe(r->there) || pipe(r->back))
		return request_failed(r, "pipe");
	return start(r, answer_pipe, cpu) ? -1 : meet(r, lap_pipe);
}

static int pipe_begin_here(struct requested *r)
{
	return pipe_begin(r, r->h->scheduling.cpu);
}

static int pipe_begin_there(struct requested *r)
{
	return pipe_begin(r, other_cpu(r->h));
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* Without a writer the other thread reads the end. */
static int pipe_end(struct requested *r)
{
	close_end(&r->there[1]);
	if (r->started)
		pthread_join(r->partner, NULL);
	close_end(&r->there[0]);
	close_end(&r->back[0]);
	close_end(&r->back[1]);
	return 0;
}

enum { TURN_OURS, TURN_THEIRS, TURN_OVER };

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void hand_over(_Atomic uint32_t *turn, uint32_t to)
{
	*turn = to;
	futex(turn, FUTEX_WAKE, 1);
}

static void wait_while(_Atomic uint32_t *turn, uint32_t is)
{
	while (*turn == is)
		futex(turn, FUTEX_WAIT, is);
}

static void *answer_futex(void *arg)
{
	struct requested *r = arg;
	settle(r);
	for (;;) {
		wait_while(&r->turn, TURN_OURS);
		if (r->turn == TURN_OVER)
			return NULL;
		hand_over(&r->turn, TURN_OURS);
	}
}

static uint64_t lap_futex(uint64_t requested, uint64_t b, uint64_t c)
{
	struct requested *r = (void *)requested;
	hand_over(&r->turn, TURN_THEIRS);
	wait_while(&r->turn, TURN_THEIRS);
	return r->turn == TURN_OURS;
}

static int futex_begin_here(struct requested *r)
{
	return start(r, answer_futex, r->h->scheduling.cpu) ? -1 : meet(r, lap_futex);
}

static int futex_begin_there(struct requested *r)
{
	return start(r, answer_futex, other_cpu(r->h)) ? -1 : meet(r, lap_futex);
}

static int futex_end(struct requested *r)
{
	hand_over(&r->turn, TURN_OVER);
	if (r->started)
		pthread_join(r->partner, NULL);
	return 0;
}

const struct request_kind request_switch_pipe = { pipe_begin_here, lap_pipe, switches_of_thread,
	pipe_end };
const struct request_kind request_switch_futex = { futex_begin_here, lap_futex, switches_of_thread,
	futex_end };
const struct request_kind request_cross_pipe = { pipe_begin_there, lap_pipe, switches_of_thread,
	pipe_end };
const struct request_kind request_cross_futex = { futex_begin_there, lap_futex, switches_of_thread,
	futex_end };
