/* SPDX-License-Identifier: MIT */
/*
 * The user's own code in this process: a signal handler ends it if it raises an exception, and a
 * timer if it does not return. Its stack pointer may be anything, so the handler has a stack of its
 * own.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "linux/abandon.h"
#include "lib/exception.h"
#include "linux/hosted.h"

#define STACK_BYTES 65536 /* includes the vector state that the kernel puts there */

static struct {
	sigjmp_buf back;
	struct escape *out;
	_Alignas(64) unsigned char stack[STACK_BYTES];
} guarded;

/* Exceptions, the timer, and what ends the run: the code is then late as well. */
static const int signals[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGSYS, SIGALRM, SIGINT,
	SIGTERM, SIGHUP };

#define SIGNALS (sizeof(signals) / sizeof(*signals))

/*
 * End the code. Linux reports vector, error code and CR2 of an exception, and has cleared DF and
 * TF; it leaves AC set, which makes an unaligned access an exception, so clear that first.
 */
static void on_escape(int number, siginfo_t *info, void *context)
{
	bool ends_run = number == SIGINT || number == SIGTERM || number == SIGHUP;
	__asm__ volatile("pushfq; andq $~0x40000, (%%rsp); popfq" ::: "memory", "cc");
	const greg_t *r = ((const ucontext_t *)context)->uc_mcontext.gregs;
	*guarded.out = (struct escape){
		.late = number == SIGALRM || ends_run,
		.at = (uint64_t)r[REG_RIP],
	};
	if (ends_run) {
		stop_signal = number;
		abandon_soon();
	}
	if (!guarded.out->late) {
		guarded.out->vector = (uint64_t)r[REG_TRAPNO];
		guarded.out->error = (uint64_t)r[REG_ERR];
		guarded.out->access = (uint64_t)r[REG_CR2];
	}
	siglongjmp(guarded.back, 1);
}

static void set_timer(double ns)
{
	const struct itimerval t = { .it_value = { (time_t)(ns / 1e9),
					     (suseconds_t)((uint64_t)(ns / 1e3) % 1000000) } };
	setitimer(ITIMER_REAL, &t, NULL);
}

/* All memory but `writable` is this process's, too, which an exception leaves as it is. */
static int hosted_guard(struct room *room, loop_fn *loop, const uint64_t a[LOOP_ARGS],
	double most_ns, const struct arena *writable, struct timed *t, struct escape *out)
{
	struct sigaction own = { .sa_sigaction = on_escape,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER },
			 before[SIGNALS];
	stack_t stack = { .ss_sp = guarded.stack, .ss_size = STACK_BYTES }, stack_before;
	sigset_t others, mask;

	sigfillset(&others); /* others wait: their handlers would use the code's stack */
	for (unsigned i = 0; i < SIGNALS; i++)
		sigdelset(&others, signals[i]);
	sigaltstack(&stack, &stack_before);
	sigprocmask(SIG_BLOCK, &others, &mask);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &own, &before[i]);
	guarded.out = out;
	int escaped = sigsetjmp(guarded.back, 0);
	if (!escaped) {
		set_timer(most_ns);
		*t = loop(a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	set_timer(0);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaltstack(&stack_before, NULL);
	return escaped ? -1 : 0;
}

#define ATTEMPT_NS 1e9 /* of a loop whose instructions may be refused, at most */

/* There are no model-specific registers here. */
static int hosted_attempt(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS],
	const uint32_t *msrs, const char **why)
{
	struct escape escape;
	struct timed t;

	if (!hosted_guard(room, loop, args, ATTEMPT_NS, NULL, &t, &escape))
		return 0;
	*why = escape.late ? "it does not end" : exception_name(escape.vector);
	return -1;
}

void guard_init(struct hosted *h)
{
	h->room.guard = hosted_guard;
	h->room.attempt = hosted_attempt;
}
