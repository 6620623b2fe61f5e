/* SPDX-License-Identifier: MIT */
#include "linux/autogroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "linux/sysfs.h"

#define PATH_BYTES 256
#define GROUP      "/proc/self/autogroup" /* "/autogroup-11 nice 0" */
#define ENABLED    "/proc/sys/kernel/sched_autogroup_enabled"
#define BETWEEN_NS                                                                                 \
	110000000 /* two changes by one without CAP_SYS_ADMIN: kernel/sched/autogroup.c */

static void path_of(const char *root, const char *file, char out[PATH_BYTES])
{
	snprintf(out, PATH_BYTES, "%s%s", root, file);
}

struct autogroup autogroup_read(const char *root)
{
	struct autogroup g = { 0 };
	char path[PATH_BYTES], line[64];
	uint64_t enabled;
	path_of(root, ENABLED, path);
	if (!read_number(path, &enabled) || !enabled)
		return g;
	path_of(root, GROUP, path);
	g.on = read_line(path, line, sizeof(line)) &&
		sscanf(line, "/autogroup-%*d nice %d", &g.nice) == 1;
	g.nice_at_start = g.nice;
	return g;
}

static int write_nice(const char *root, int nice)
{
	char path[PATH_BYTES], text[16];
	path_of(root, GROUP, path);
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int n = snprintf(text, sizeof(text), "%d", nice);
	if (fd < 0)
		return -1;
	int failed = write(fd, text, (size_t)n) != n, number = errno;
	close(fd);
	errno = number;
	return failed ? -1 : 0;
}

int autogroup_set(struct autogroup *g, const char *root, int nice)
{
	struct timespec between = { .tv_nsec = BETWEEN_NS };
	if (!g->on || g->nice == nice)
		return 0;
	int failed = write_nice(root, nice);
	if (failed && errno == EAGAIN && !nanosleep(&between, NULL))
		failed = write_nice(root, nice);
	*g->why = '\0';
	if (!failed)
		g->nice = nice;
	else if (errno == EPERM || errno == EACCES)
		snprintf(g->why, sizeof(g->why), "not permitted, needs CAP_SYS_NICE");
	else
		snprintf(g->why, sizeof(g->why), "%s", strerror(errno));
	return failed;
}
