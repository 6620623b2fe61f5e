/* SPDX-License-Identifier: MIT */
/*
 * Sends requests to Linux, again and again between two stamps (room.system.request): requests of a
 * single thread, for memory, and with another thread.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "linux/abandon.h"
#include "linux/hosted.h"

/* State of a request, shared by its parts. There is one at a time. */
struct requested {
	const struct hosted *h;
	uint64_t laps;
	char why[96]; /* why it is not possible */

	/* memory */
	unsigned char *map, *next; /* NULL: none; the next byte to touch */
	size_t map_bytes, page_bytes;

	/* another thread */
	pthread_t partner;
	bool started;
	unsigned cpu;                /* the other thread's, by Linux's number */
	int policy, priority;        /* the same as this thread's */
	int there[2], back[2];       /* pipes; -1: not open */
	_Atomic uint32_t turn;       /* futex: says whose turn it is */
	_Atomic bool partner_failed; /* it could not be put on its CPU */

	/* calls, signals and timers */
	pid_t process, thread;
	struct sigaction action; /* the action before */
	bool handles;
	int slack; /* of timers, ns, before; 0: unchanged */
	double late_ns;
};

/*
 * Make one request. Returns 1: done, 0: not; its first argument is the address of struct requested.
 */
typedef uint64_t lap_fn(uint64_t requested, uint64_t, uint64_t);

/* One kind of request. Only `lap` is required. */
struct request_kind {
	int (*begin)(struct requested *); /* untimed; returns 0, or -1 with the reason in why */
	lap_fn *lap;
	uint64_t (*counter)(void);      /* Linux's count of it: it only grows */
	int (*end)(struct requested *); /* also after a begin that failed; returns as begin */
};

/* Set why to the failed call and errno's text. Always returns -1. */
static int request_failed(struct requested *r, const char *what)
{
	snprintf(r->why, sizeof(r->why), "%s: %s", what, strerror(errno));
	return -1;
}

static struct rusage usage_of_thread(void)
{
	struct rusage u = { 0 };
	getrusage(RUSAGE_THREAD, &u);
	return u;
}

/* Linux's counts of the calling thread: context switches, page faults. */
static uint64_t switches_of_thread(void)
{
	struct rusage u = usage_of_thread();
	return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

static uint64_t faults_of_thread(void)
{
	return (uint64_t)usage_of_thread().ru_minflt;
}

/* Requests of this thread alone: system calls, the time, signals, timers. */

#define TIMER_NS 300000 /* from now: this CPU falls asleep before it is over */

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

static const struct request_kind request_syscall = { .lap = lap_syscall };
static const struct request_kind request_clock = { .lap = lap_clock };
static const struct request_kind request_clock_syscall = { .lap = lap_clock_syscall };

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

/* Send a signal to this thread: it is delivered before the call returns. */
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

static const struct request_kind request_signal = { signal_begin, lap_signal, signals_handled,
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

/*
 * Wait for a timer. It is set within the lap: if it is due before this thread sleeps, the thread
 * was switched away.
 */
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

/*
 * Make the timer precise: Linux wakes an ordinary thread later by this much, to wake several at
 * once.
 */
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

static const struct request_kind request_timer = { .lap = lap_timer,
	.counter = switches_of_thread };
static const struct request_kind request_timer_precise = { precise_begin, lap_timer,
	switches_of_thread, precise_end };

/* Requests for memory: mappings, and the first touch of a page. */

/* Map a fresh page for each lap, aligned to pages, that nobody has touched. */
static int map_fresh(struct requested *r, size_t page_bytes, int advice)
{
	r->page_bytes = page_bytes;
	r->map_bytes = (r->laps + 1) * page_bytes;
	void *map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return request_failed(r, "mmap");
	r->map = map;
	r->next = (void *)(((uintptr_t)map + page_bytes - 1) & ~(uintptr_t)(page_bytes - 1));
	return madvise(map, r->map_bytes, advice) && advice == MADV_HUGEPAGE
		? request_failed(r, "madvise(MADV_HUGEPAGE)")
		: 0;
}

static int fault_begin(struct requested *r)
{
	return map_fresh(r, PAGE_4K, MADV_NOHUGEPAGE);
}

static int fault_huge_begin(struct requested *r)
{
	return map_fresh(r, PAGE_2M, MADV_HUGEPAGE);
}

static uint64_t lap_fault(uint64_t requested, uint64_t b, uint64_t c)
{
	struct requested *r = (void *)requested;
	*(volatile unsigned char *)r->next = 1;
	r->next += r->page_bytes;
	return 1;
}

static int fault_end(struct requested *r)
{
	if (r->map)
		munmap(r->map, r->map_bytes);
	return 0;
}

/* Returns true if all of the large page is there after its first byte was touched. */
static bool page_is_whole(const struct requested *r, unsigned char *page)
{
	unsigned char there[PAGE_2M / PAGE_4K];
	if (mincore(page, r->page_bytes, there))
		return false;
	for (size_t i = 0; i < sizeof(there); i++)
		if (!(there[i] & 1))
			return false;
	return true;
}

static int fault_huge_end(struct requested *r)
{
	bool whole = r->map != NULL;
	for (uint64_t i = 1; whole && i <= r->laps; i++)
		whole = page_is_whole(r, r->next - i * r->page_bytes);
	fault_end(r);
	if (whole || r->why[0])
		return 0;
	snprintf(r->why, sizeof(r->why), "no pages of 2048 KiB on first touch here");
	return -1;
}

static const struct request_kind request_fault = { fault_begin, lap_fault, faults_of_thread,
	fault_end };
static const struct request_kind request_fault_huge = { fault_huge_begin, lap_fault,
	faults_of_thread, fault_huge_end };

static uint64_t map_and_unmap(bool touch)
{
	volatile unsigned char *page =
		mmap(NULL, PAGE_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 0;
	if (touch)
		*page = 1;
	return munmap((void *)page, PAGE_4K) == 0;
}

static uint64_t lap_map(uint64_t requested, uint64_t b, uint64_t c)
{
	return map_and_unmap(false);
}

static uint64_t lap_map_touched(uint64_t requested, uint64_t b, uint64_t c)
{
	return map_and_unmap(true);
}

static const struct request_kind request_map = { .lap = lap_map };
static const struct request_kind request_map_touched = { .lap = lap_map_touched,
	.counter = faults_of_thread };

/* Requests with another thread: it is started and joined, or it answers. */

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

static const struct request_kind request_thread = { .lap = lap_thread, .counter = threads_counted };

/* A CPU of another core, or else any other one. */
static unsigned other_cpu(const struct hosted *h)
{
	const struct cpu_location *t = h->topology;
	for (unsigned i = 1; i < h->room.facts.cpus; i++)
		if (t[i].core != t[0].core || t[i].package != t[0].package)
			return t[i].id;
	return t[h->room.facts.cpus > 1].id;
}

/* Pin the other thread to its CPU, with the scheduling of the thread that measures. */
static void settle(struct requested *r)
{
	struct sched_param param = { .sched_priority = r->priority };
	r->partner_failed = pin_to(r->cpu) != 0;
	if (r->priority && sched_setscheduler(0, r->policy, &param))
		r->partner_failed = true;
}

static int start_thread(struct requested *r, void *(*answer)(void *), unsigned cpu)
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

/* Make one lap untimed: then the other thread is there, and waits. */
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
	return start_thread(r, answer_pipe, cpu) ? -1 : meet(r, lap_pipe);
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

/* End the pipes. When the writer is closed, the other thread reads the end. */
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
	return start_thread(r, answer_futex, r->h->scheduling.cpu) ? -1 : meet(r, lap_futex);
}

static int futex_begin_there(struct requested *r)
{
	return start_thread(r, answer_futex, other_cpu(r->h)) ? -1 : meet(r, lap_futex);
}

static int futex_end(struct requested *r)
{
	hand_over(&r->turn, TURN_OVER);
	if (r->started)
		pthread_join(r->partner, NULL);
	return 0;
}

static const struct request_kind request_switch_pipe = { pipe_begin_here, lap_pipe,
	switches_of_thread, pipe_end };
static const struct request_kind request_switch_futex = { futex_begin_here, lap_futex,
	switches_of_thread, futex_end };
static const struct request_kind request_cross_pipe = { pipe_begin_there, lap_pipe,
	switches_of_thread, pipe_end };
static const struct request_kind request_cross_futex = { futex_begin_there, lap_futex,
	switches_of_thread, futex_end };

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
	NOT_ABANDONED;
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
	h->room.system.request = hosted_request;
}
