/* SPDX-License-Identifier: MIT */
/* What requests to Linux have in common: a reason, and what Linux counts of a thread. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "linux/requests.h"

int request_failed(struct requested *r, const char *what)
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

uint64_t switches_of_thread(void)
{
	struct rusage u = usage_of_thread();
	return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

uint64_t faults_of_thread(void)
{
	return (uint64_t)usage_of_thread().ru_minflt;
}
