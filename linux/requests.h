/* SPDX-License-Identifier: MIT */
/* What the files share that ask Linux for something (room.request). */
#ifndef LINUX_REQUESTS_H
#define LINUX_REQUESTS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "linux/hosted.h"

/* A request under way: what its parts share. There is one at a time. */
struct requested {
	const struct hosted *h;
	uint64_t laps;
	char why[96]; /* why it cannot be had */

	/* memory */
	unsigned char *map, *next; /* NULL: none; the next byte to touch */
	size_t map_bytes, page_bytes;

	/* another thread */
	pthread_t partner;
	bool started;
	unsigned cpu;                /* its Linux number */
	int policy, priority;        /* as this thread's */
	int there[2], back[2];       /* pipes; -1: not open */
	_Atomic uint32_t turn;       /* futex: whose turn it is */
	_Atomic bool partner_failed; /* it is not on its CPU */

	/* calls, signals and timers */
	pid_t process, thread;
	struct sigaction action; /* before */
	bool handles;
	int slack; /* of timers, ns, before; 0: not changed */
	double late_ns;
};

/* One call of it: 1 done, 0 not; its first argument is the address of struct requested. */
typedef uint64_t lap_fn(uint64_t requested, uint64_t, uint64_t);

/* One kind of request. Only `lap` must be there. */
struct request_kind {
	int (*begin)(struct requested *); /* untimed; 0, or -1 with the reason in why */
	lap_fn *lap;
	uint64_t (*counter)(void);      /* of what Linux counts of it: it only grows */
	int (*end)(struct requested *); /* also after a begin that failed; as begin */
};

extern const struct request_kind request_syscall, request_clock, request_clock_syscall,
	request_signal, request_timer, request_timer_precise, request_switch_pipe,
	request_switch_futex, request_cross_pipe, request_cross_futex, request_fault,
	request_fault_huge, request_map, request_map_touched, request_thread;

#endif
