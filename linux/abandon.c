/* SPDX-License-Identifier: MIT */
#include "linux/abandon.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t stop_signal;

#define GRACE_NS 120000000

#ifndef sigev_notify_thread_id /* glibc before 2.38 has the member, and no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static __thread struct {
	sigjmp_buf back;
	volatile sig_atomic_t working;   /* in abandon_call */
	volatile sig_atomic_t forbidden; /* depth of functions that must return first */
	volatile sig_atomic_t due;       /* it is to be abandoned, for good */
} here;

static timer_t timer;
static bool has_timer;

static void leave(void)
{
	if (here.due && here.working && !here.forbidden)
		siglongjmp(here.back, 1);
}

static void on_due(int number)
{
	here.due = true;
	leave();
}

int abandon_init(void)
{
	struct sigaction action = { .sa_handler = on_due, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2 };

	event.sigev_notify_thread_id = gettid();
	has_timer = !sigaction(SIGUSR2, &action, NULL) &&
		!timer_create(CLOCK_MONOTONIC, &event, &timer);
	return has_timer ? 0 : -1;
}

int abandon_call(void (*fn)(void *), void *arg)
{
	if (sigsetjmp(here.back, 1)) {
		here.working = false;
		return -1;
	}
	here.working = true;
	leave();
	fn(arg);
	here.working = false;
	return 0;
}

void abandon_soon(void)
{
	const struct itimerspec grace = { .it_value.tv_nsec = GRACE_NS };

	if (has_timer)
		timer_settime(timer, 0, &grace, NULL);
}

void abandon_thread(pthread_t thread)
{
	pthread_kill(thread, SIGUSR2);
}

int abandon_due(void)
{
	return here.due;
}

int abandon_forbid(void)
{
	return ++here.forbidden;
}

void abandon_allow(const int *forbidden)
{
	here.forbidden = *forbidden - 1;
	leave();
}
