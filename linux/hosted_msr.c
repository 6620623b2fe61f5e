/* SPDX-License-Identifier: MIT */
/*
 * Model-specific registers by the kernel's module `msr` (msr(4)): root only, and reading one that
 * the processor does not have fails with EIO.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "linux/hosted.h"

static int read_msr(struct room *room, uint32_t msr, uint64_t *value)
{
	ssize_t n = pread(hosted_of(room)->msr_fd, value, sizeof(*value), msr);
	return n == sizeof(*value) ? 0 : -1;
}

void msr_init(struct hosted *h)
{
	char path[32];
	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", h->scheduling.cpu);
	h->msr_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (h->msr_fd >= 0) {
		h->room.read_msr = read_msr;
		return;
	}
	snprintf(h->msr_why, sizeof(h->msr_why), "%s: %s", path, strerror(errno));
	h->room.msr_why = h->msr_why;
}
