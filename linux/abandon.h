/* SPDX-License-Identifier: MIT */
/*
 * A run that is to end does not wait for the work under way: a thread leaves it where it is. Work
 * is abandoned by a signal to its thread (SIGUSR2), whose handler returns to abandon_call. What
 * holds locks of the C library, or changes settings step by step, forbids it meanwhile.
 */
#ifndef LINUX_ABANDON_H
#define LINUX_ABANDON_H

#include <pthread.h>
#include <signal.h>

/* The signal that ends the run, 0: none; room->stop reads it. */
extern volatile sig_atomic_t stop_signal;

/*
 * Set up for this thread: it abandons its work when abandon_soon says so. Returns 0, or -1 with
 * errno: then it ends by itself only.
 */
int abandon_init(void);

/* Call fn(arg) in this thread. Returns 0; -1: it was abandoned, or not begun for that reason. */
int abandon_call(void (*fn)(void *), void *arg);

/*
 * From a signal handler of any thread: the thread of abandon_init abandons its work in 120 ms. So
 * long it may end by itself: a slice of a scan for noise (100 ms) is kept.
 */
void abandon_soon(void);

/* Let another thread abandon its work now. */
void abandon_thread(pthread_t);

/* Returns true if this thread's work is to be abandoned as soon as that is allowed. */
int abandon_due(void);

/* This first statement of a function forbids that work is abandoned before it returns. */
#define NOT_ABANDONED __attribute__((cleanup(abandon_allow))) const int forbidden = abandon_forbid()
int abandon_forbid(void);
void abandon_allow(const int *forbidden);

#endif
