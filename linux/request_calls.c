/* SPDX-License-Identifier: MIT */
/* Requests that this thread makes alone: system calls, the time, signals, timers. */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "linux/requests.h"

#define TIMER_NS 300000 /* from then on: this CPU has gone to sleep before it is over */

/* The instruction itself: no function of the C library is timed with it. */
static inline long system_call(long number, long a, long b, long c)
{
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static uint64_t lap_syscall(uint64_t requested, uint64_t b, uint64_t c)
{
	return system_call(SYS_getppid, 0, 0, 0) >= 0;
}

static uint64_t lap_clock(uint64_t requested, uint64_t b, uint64_t c)
{
	struct timespec now;
	return clock_gettime(CLOCK_MONOTONIC, &now) == 0;
}

static uint64_t lap_clock_syscall(uint64_t requested, uint64_t b, uint64_t c)
{
	struct timespec now;
	return system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0) == 0;
}

const struct request_kind request_syscall = { .lap = lap_syscall };
const struct request_kind request_clock = { .lap = lap_clock };
const struct request_kind request_clock_syscall = { .lap = lap_clock_syscall };

static volatile uint64_t handled;

static void handle(int number)
{
	handled++;
}

static uint64_t signals_handled(void)
{
	return handled;
}

static int signal_begin(struct requested *r)
{
	struct sigaction action = { .sa_handler = handle };
	r->process = getpid();
	r->thread = (pid_t)syscall(SYS_gettid);
	if (sigaction(SIGUSR1, &action, &r->action))
		return request_failed(r, "sigaction");
	r->handles = true;
	return 0;
}

/* Sent by a thread to itself, the signal is delivered before the call returns. */
static uint64_t lap_signal(uint64_t requested, uint64_t b, uint64_t c)
{
	const struct requested *r = (void *)requested;
	return system_call(SYS_tgkill, r->process, r->thread, SIGUSR1) == 0;
}

static int signal_end(struct requested *r)
{
	if (r->handles)
		sigaction(SIGUSR1, &r->action, NULL);
	return 0;
}

const struct request_kind request_signal = { signal_begin, lap_signal, signals_handled,
	signal_end };

static double ns_since(const struct timespec *then)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) * 1e9 + (double)(now.tv_nsec - then->tv_nsec);
}

static void set_timer(struct timespec *until)
{
	clock_gettime(CLOCK_MONOTONIC, until);
	until->tv_nsec += TIMER_NS;
	until->tv_sec += until->tv_nsec / 1000000000;
	until->tv_nsec %= 1000000000;
}

/* Set within the lap: who is kept from sleeping until the time has come was switched away. */
static uint64_t lap_timer(uint64_t requested, uint64_t b, uint64_t c)
{
	struct requested *r = (void *)requested;
	struct timespec until;
	int failed;
	set_timer(&until);
	do
		failed = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	while (failed == EINTR);
	r->late_ns = ns_since(&until);
	return !failed && r->late_ns >= 0;
}

/* Linux wakes an ordinary thread up to so much later, to wake for several at once. */
static int precise_begin(struct requested *r)
{
	r->slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	if (r->slack < 0 || prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0))
		return request_failed(r, "prctl(PR_SET_TIMERSLACK)");
	return 0;
}

static int precise_end(struct requested *r)
{
	if (r->slack > 0)
		prctl(PR_SET_TIMERSLACK, r->slack, 0, 0, 0);
	return 0;
}

const struct request_kind request_timer = { .lap = lap_timer, .counter = switches_of_thread };
const struct request_kind request_timer_precise = { precise_begin, lap_timer, switches_of_thread,
	precise_end };
