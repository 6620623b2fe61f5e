/* SPDX-License-Identifier: MIT */
/* Puts room `hosted` together. */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "engine/claims.h"
#include "linux/clocks.h"
#include "linux/hosted.h"
#include "linux/mapping.h"
#include "linux/os_counters.h"
#include "linux/sysfs.h"
#include "version.h"

/* The other processors: a thread for each call, pinned before it begins. */
static void *worker_main(void *arg)
{
	struct worker *w = arg;
	w->failed = pin_to(w->cpu) != 0;
	if (!w->failed)
		w->fn(w->arg);
	return NULL;
}

static struct worker *worker_of(struct room *room, unsigned cpu)
{
	struct hosted *h = hosted_of(room);
	return cpu > 0 && cpu < room->facts.cpus ? &h->workers[cpu] : NULL;
}

static int hosted_run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct worker *w = worker_of(room, cpu);
	if (!w || w->running)
		return -1;
	*w = (struct worker){ .cpu = room->facts.topology[cpu].id, .fn = fn, .arg = arg };
	w->running = pthread_create(&w->thread, NULL, worker_main, w) == 0;
	return w->running ? 0 : -1;
}

static int hosted_run_wait(struct room *room, unsigned cpu)
{
	struct worker *w = worker_of(room, cpu);
	if (!w || !w->running)
		return -1;
	w->running = false;
	return pthread_join(w->thread, NULL) || w->failed ? -1 : 0;
}

static void threads_init(struct hosted *h)
{
	h->workers = calloc(h->room.facts.cpus, sizeof(*h->workers));
	if (!h->workers)
		return; /* no other processor can be used: rows that need one are skipped */
	h->room.run_on = hosted_run_on;
	h->room.run_wait = hosted_run_wait;
}

/*
 * Model-specific registers by the kernel's module `msr` (msr(4)): root only, and reading one that
 * the processor does not have fails with EIO.
 */
static int read_msr(struct room *room, uint32_t msr, uint64_t *value)
{
	ssize_t n = pread(hosted_of(room)->msr_fd, value, sizeof(*value), msr);
	return n == sizeof(*value) ? 0 : -1;
}

static void msr_init(struct hosted *h)
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

volatile sig_atomic_t stop_signal;

static struct timed hosted_call(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	(void)room;
	return loop(args[0], args[1], args[2], args[3], args[4], args[5]);
}

static struct cpuid hosted_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;
	(void)room;
	__cpuid_count(leaf, subleaf, c.eax, c.ebx, c.ecx, c.edx);
	return c;
}

static uint64_t hosted_now(struct room *room)
{
	(void)room;
	return __rdtsc();
}

static uint64_t hosted_os_clock_ns(struct room *room)
{
	struct timespec t;
	(void)room;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool hosted_stop(struct room *room)
{
	return stop_signal || hosted_of(room)->output.error;
}

static uint64_t xcr0_now(struct room *room)
{
	uint32_t low, high;
	if (!(room->cpuid(room, 1, 0).ecx >> 27 & 1)) /* OSXSAVE */
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/* Hypervisors hide the revision; KVM then shows 1, which is not a revision of any processor. */
static void read_microcode(struct facts *f)
{
	char line[64];
	char *end;
	if (!read_line("/sys/devices/system/cpu/cpu0/microcode/version", line, sizeof(line)))
		return;
	unsigned long value = strtoul(line, &end, 0);
	f->microcode = (uint32_t)value;
	f->microcode_known = end != line && (value != 1 || !f->hypervisor[0]);
}

static int facts_init(struct hosted *h, char *err, size_t err_bytes)
{
	struct facts *f = &h->room.facts;
	identity_hypervisor(&h->room, h->hypervisor);
	f->build = VERSION;
	f->hypervisor = h->hypervisor;
	f->emulated = identity_emulated(h->hypervisor);
	f->xcr0 = xcr0_now(&h->room);
	f->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	read_microcode(f);
	return tsc_init(h, err, err_bytes);
}

int hosted_open(struct hosted *h, const struct options *opt, char *err, size_t err_bytes)
{
	h->opt = opt;
	h->room.priv = h;
	h->room.began = hosted_now(&h->room);
	h->room.kind = ROOM_HOSTED;
	h->room.call = hosted_call;
	h->room.cpuid = hosted_cpuid;
	h->room.now = hosted_now;
	h->room.system.os_clock_ns = hosted_os_clock_ns;
	h->room.stop = hosted_stop;
	if (cpus_init(h, err, err_bytes) || facts_init(h, err, err_bytes) ||
		memory_init(h, err, err_bytes))
		return -1;
	events_init(h);
	threads_init(h);
	msr_init(h);
	remedies_init(h);
	requests_init(h);
	counts_init(h);
	system_init(h);
	clock_setting_apply(&h->clock, CPU_DIR, opt, h->topology, h->room.facts.cpus);
	h->room.controls[CONTROL_clock] = (struct control_answer){ "cpufreq", h->clock.not_set,
		h->clock.not_set ? h->clock.why : NULL };
	return 0;
}

void hosted_close(struct hosted *h)
{
	struct memory *m = &h->memory;
	if (h->room.system.remedy_end)
		h->room.system.remedy_end(&h->room);
	for (unsigned i = 0; i < SLOTS; i++)
		mapping_free(&m->slots[i]);
	for (unsigned i = 0; i < NODE_SLOTS; i++)
		mapping_free(&m->beside[i]);
	mapping_free(&m->untouched);
	if (m->code)
		munmap(m->code, m->code_bytes);
	if (h->room.work)
		munmap(h->room.work, h->room.work_bytes);
	counters_close(&h->counters);
	counts_close();
	clock_setting_restore(&h->clock);
	autogroup_set(&h->scheduling.autogroup, "", h->scheduling.autogroup.nice_at_start);
	if (h->msr_fd >= 0)
		close(h->msr_fd);
	free(h->topology);
	free(h->workers);
	h->room.work = NULL;
}
